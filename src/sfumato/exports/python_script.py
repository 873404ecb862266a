"""The steps as a script of Python, which looks at them and then lets the search do the rest."""

from collections.abc import Mapping
from typing import Any

from sfumato.exports._script import Script

LOOKED_AT = (  # by which the file is read
    *("schema", "keys", "delimiter", "encoding", "header", "no_header"),
    *("decimal", "thousands", "quote", "comment", "dates", "sheet"),
)


def python_script(script: Script) -> str:
    """A script that can be run where the file is."""
    names = sorted({type(step).__name__ for step in script.by_hand.first})
    imports = [f"from sfumato.masking import {', '.join(names)}"] if names else []
    own = {"first": "steps", "fixed": "fixed"} if script.by_hand.fixed else {"first": "steps"}
    reading = {key: value for key, value in script.arguments.items() if key in LOOKED_AT}
    return "\n".join(
        [
            *(f"# {line}" for line in script.heading()),
            "",
            "import sfumato",
            *imports,
            "",
            "steps = [",
            *(f"    {step!r}," for step in script.by_hand.first),
            "]",
            *([f"fixed = {list(script.by_hand.fixed)!r}"] if script.by_hand.fixed else []),
            "",
            "# what the file gives away after each step, and what analysts lose",
            *_call("work = sfumato.steps", script.file, reading, own),
            "print(work)",
            *_release(script, own),
            "",
        ]
    )


def _release(script: Script, own: Mapping[str, str]) -> list[str]:
    if "output" not in script.arguments:
        return ["", '# let the search do the rest: sfumato.protect(…, output="…", **work.settings)']
    return [
        "",
        "# the search does the rest, and releases the file",
        *_call("sfumato.protect", script.file, script.arguments, own),
    ]


def _call(function: str, file: str, arguments: Mapping[str, Any], own: Mapping[str, str]) -> list[str]:
    given = {**{key: repr(value) for key, value in arguments.items()}, **own}
    return [
        f"{function}(",
        f"    {file!r},",
        *(f"    {key}={value}," for key, value in given.items()),
        ")",
    ]
