"""How to repeat a release: the command line, and the lines of Python that check the outcome."""

import json
import pprint
import shlex
from collections.abc import Sequence
from typing import Any

from sfumato.studies.evolved import Evolved
from sfumato.studies.large_protection import LargeProtection
from sfumato.studies.protection import Protection, Release, evolution_of
from sfumato.studies.yardsticks import Front, fitness_of, made

TUNED = ("drop_best", "selection")


def repeat_command(release: Release, source: str = "") -> str:
    """The command line that makes the same choice again; empty where only Python can say what was asked for."""
    evolved = isinstance(release, Evolved)
    words = ["sfumato", "evolve" if evolved else "protect", source or "FILE", "--output", "OUT"]
    words += ["--schema", "SCHEMA.toml", "--seed", str(release.seed)]
    own = _evolve_words(release) if isinstance(release, Evolved) else _protect_words(release)
    if own is None:
        return ""
    words += own
    if release.methods:
        words += ["--methods", ",".join(release.methods)]
    for gate in release.gates:
        words += ["--require", str(gate.gate)]
    for name in kept_identifiers(release):
        words += ["--keep", '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name]
    return shlex.join(words)


def repeat_script(release: Release, source: str = "") -> str:
    """Python lines that make the same release again, and check it; empty where a table would not fit memory."""
    if isinstance(release, LargeProtection):
        return ""
    evolved = evolution_of(release) is not None
    stop = evolved and isinstance(release, Protection)
    return "\n".join(
        [
            "import sfumato",
            *(["from sfumato.search.stop import Stop"] if stop else []),
            "",
            'schema = sfumato.Schema.read("SCHEMA.toml")',
            f"original = sfumato.read_table({source or 'FILE'!r}, schema=schema)",
            *(_searched_lines(release) if evolved else _masked_lines(release)),
            f"assert release.fingerprint == {release.release.fingerprint!r}",
        ]
    )


def kept_identifiers(release: Release) -> list[str]:
    """The identifiers that are released because they were asked for."""
    return [name for name in release.original.schema.with_role("identifier") if name in release.release]


def _protect_words(protection: Protection) -> list[str]:
    words = []
    if isinstance(protection, LargeProtection):
        words = ["--memory", f"{max(protection.memory // 1000, 1)}KB"]
        words += ["--sample", str(protection.original.n)]
    if not protection.searched:
        return [*words, "--masking", json.dumps(protection.chosen.masking.spec(), ensure_ascii=False)]
    words += ["--score", protection.score]
    if protection.grouped:
        words += ["--group-attributes", ",".join(map(str, protection.grouped))]
    if protection.evolution is not None:
        words += ["--evolve", f"{protection.evolution.generations}g"]
    return words


def _evolve_words(evolved: Evolved) -> list[str] | None:
    words = ["--preset", evolved.preset, "--generations", str(evolved.generations)]
    settings = _settings(evolved)
    for name, option in (("loss", "--loss"), ("risk", "--risk"), ("objectives", "--objective")):
        for spec in settings.pop(name, []):
            if not isinstance(spec, str):
                return None
            words += [option, spec]
    if settings.pop("front", False):
        words.append("--front")
    for name, value in settings.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def _settings(evolved: Evolved) -> dict[str, Any]:
    """What `evolve` was told that its preset does not say."""
    usual, spec = fitness_of(evolved.preset).spec(), evolved.fitness.spec()
    tuned = {name: evolved.run.optimizer[name] for name in TUNED if name in evolved.run.optimizer}
    if isinstance(evolved.fitness, Front):
        measures, score = spec["objectives"], {"score": evolved.fitness.how}
        if measures == usual["losses"] + usual["risks"]:
            return {"front": True, **score, **tuned}
        return {"objectives": _named(measures), **score, **tuned}
    names = {"losses": "loss", "risks": "risk"}
    measured = {names[key]: _named(spec[key]) for key in names if spec[key] != usual[key]}
    score = {"score": spec["how"]} if spec["how"] != usual["how"] else {}
    return {**measured, **score, **({"weight": spec["weight"]} if "weight" in spec else {}), **tuned}


def _named(specs: Sequence[dict[str, Any]]) -> list[Any]:
    """The names of measures, or their specs where a name does not say it all."""
    return [spec["method"] if made(spec["method"]).spec() == spec else spec for spec in specs]


def _masked_lines(protection: Release) -> list[str]:
    assert isinstance(protection, Protection)
    spec = pprint.pformat(protection.chosen.masking.spec(), width=96, compact=True, sort_dicts=False)
    names = pprint.pformat(list(protection.release.names), width=96, compact=True)
    return [
        f"method = {spec}",
        f"columns = {names}",
        f"release = sfumato.mask(original, method, seed={protection.seed}).select(columns)",
    ]


def _searched_lines(release: Release) -> list[str]:
    given: dict[str, Any] = {"seed": release.seed, "methods": list(release.methods)}
    given |= {"require": [str(gate.gate) for gate in release.gates], "keep": kept_identifiers(release)}
    if isinstance(release, Evolved):
        given |= {"preset": release.preset, "generations": release.generations, **_settings(release)}
    else:
        given |= {"score": release.score, "grouped": list(release.grouped)}
    lines = [f"    {name}={value!r}," for name, value in given.items() if value != []]
    if isinstance(release, Protection) and release.evolution is not None:
        lines.append(f"    evolve=Stop(generations={release.evolution.generations}),")
    job = "evolve" if isinstance(release, Evolved) else "protect"
    return [f"release = sfumato.{job}(", "    original,", *lines, ").release"]
