"""How to repeat a job: the command line, and lines of Python that check the outcome. Both come from the job itself."""

import itertools
import shlex
from typing import Any

from sfumato.core import parameters
from sfumato.core.notation import quoted
from sfumato.core.parameters import Parameter
from sfumato.jobs import UNNAMED_SCHEMA, Job, Outcome, command_name, function_name, named_only


def repeat_command(outcome: Outcome) -> str:
    """The command that gives the same again, where the files that it names lie in one folder."""
    job = outcome.repeated()
    return "" if job is None else shlex.join(command_words(job))


def command_words(job: Job) -> list[str]:
    """The words of a command that does a job; of paths only the names are told."""
    asked = job.asked()
    known = type(job).options(asked)
    asked |= {p.key: p.key.upper() for p in known.values() if p.needed and p.key not in asked}
    if "schema" in known and any(getattr(job, name) is None for name in job.data):
        asked.setdefault("schema", str(UNNAMED_SCHEMA))
    del asked["job"]
    arguments = sorted((k for k in asked if known[k].argument), key=lambda k: job.place(known[k].name))
    options = [_option_words(known[key], value) for key, value in asked.items() if key not in arguments]
    files = [f"./{asked[key]}" if str(asked[key]).startswith("-") else str(asked[key]) for key in arguments]
    return ["sfumato", *command_name(job.name).split(), *files, *itertools.chain(*options)]


def repeat_script(outcome: Outcome) -> str:
    """Python lines that do the same, and check it; only for what has a report and is a table in memory."""
    release: Any = getattr(outcome, "release", None)
    job = outcome.repeated()
    on_disk = getattr(outcome, "whole", None) is not None or not hasattr(release, "fingerprint")
    if job is None or on_disk or not hasattr(outcome, "reported_by"):
        return ""
    data = [repr(getattr(job, name).name) if getattr(job, name) else "table" for name in job.data]
    given = {
        name: value
        for name, value in job.non_defaults().items()
        if name not in job.data
        and not parameters(type(job))[name].where
        and not parameters(type(job))[name].writes
    }
    lines = [f"    {key}={value!r}," for key, value in _keywords(job, given).items()]
    function = function_name(job.name)
    return "\n".join(
        [
            "import sfumato",
            "",
            f"found = sfumato.{function}(",
            *(f"    {one}," for one in data),
            *lines,
            ")",
            f"assert found.release.fingerprint == {release.fingerprint!r}",
        ]
    )


def _option_words(parameter: Parameter, value: Any) -> list[str]:
    flag = f"--{parameter.key}"
    if isinstance(value, bool):
        return [flag] if value else [f"--{parameter.opposite or f'no-{parameter.key}'}"]
    if parameter.holds and isinstance(value, list):
        return [flag, *map(str, value)]
    if isinstance(value, list):
        bare = parameter.type is str
        return [word for item in value for word in _pair(flag, quoted(item) if bare else str(item))]
    return _pair(flag, str(value))


def _pair(flag: str, value: str) -> list[str]:
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _keywords(job: Job, given: dict[str, Any]) -> dict[str, Any]:
    """Fields by the names that Python has for them; what is spread over options is so here too."""
    known = parameters(type(job))
    found: dict[str, Any] = {}
    for name, value in given.items():
        if known[name].spread and not hasattr(value, "spec"):
            parts = known[name].type.unfolded(known[name], value)
            found |= {type(job).options()[key].name: part for key, part in parts.items()}
        else:
            plain = known[name].plain(value)
            found[name] = named_only(plain) if known[name].is_path else plain
    return found
