"""How to repeat a protection: the command line, and the lines of Python that check the outcome."""

import pprint
import shlex

from sfumato.studies.protect import Protection


def repeat_command(protection: Protection, source: str = "") -> str:
    """The command line that makes the same choice again."""
    words = ["sfumato", "protect", source or "FILE", "--output", "OUT", "--schema", "SCHEMA.toml"]
    words += ["--seed", str(protection.seed), "--score", protection.score]
    if protection.methods:
        words += ["--methods", ",".join(protection.methods)]
    for gate in protection.gates:
        words += ["--require", gate.gate]
    for name in protection.original.schema.with_role("identifier"):
        if name in protection.release:
            words += ["--keep", '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name]
    return shlex.join(words)


def repeat_script(protection: Protection, source: str = "") -> str:
    """Python lines that make the same release again, and check it."""
    spec = pprint.pformat(protection.chosen.masking.spec(), width=96, compact=True, sort_dicts=False)
    names = pprint.pformat(list(protection.release.names), width=96, compact=True)
    return "\n".join(
        [
            "import sfumato",
            "",
            f"method = {spec}",
            f"columns = {names}",
            'schema = sfumato.Schema.read("SCHEMA.toml")',
            f"original = sfumato.read_table({source or 'FILE'!r}, schema=schema)",
            f"release = sfumato.mask(original, method, seed={protection.seed}).select(columns)",
            f"assert release.fingerprint == {protection.release.fingerprint!r}",
        ]
    )
