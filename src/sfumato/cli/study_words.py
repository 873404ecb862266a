"""Between a study file and the words of a command: each option stands under its own name."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from sfumato.cli.options import NameList
from sfumato.cli.parameters import ParameterType
from sfumato.core.errors import FileError, suggestion


def parameters_of(command: click.Command, words: Sequence[str]) -> dict[str, click.Parameter]:
    """The arguments and options of a command by name, those of the method that the words name among them."""
    context = click.Context(command, info_name=command.name, resilient_parsing=True)
    command.parse_args(context, list(words))
    return {key_of(one): one for one in command.get_params(context) if key_of(one) != "help"}


def key_of(parameter: click.Parameter) -> str:
    """The name under which an argument or option stands in a study file.

    >>> key_of(click.Option(["-o", "--output"])), key_of(click.Argument(["graph_file"]))
    ('output', 'graph-file')
    """
    if isinstance(parameter, click.Argument):
        return str(parameter.name).replace("_", "-")
    return max(parameter.opts, key=len).lstrip("-")


def words_from(
    settings: Mapping[str, Any],
    known: Mapping[str, click.Parameter],
    *,
    source: str,
    folder: Path,
    replaced: Mapping[str, Any] = MappingProxyType({}),
) -> list[str]:
    """The words for the settings of a study; its paths start in the folder, and errors name the source.

    What is replaced was said elsewhere, so that its paths are left as they are.
    """
    given = {**settings, **replaced}
    _check(given, known, source)
    words: list[str] = []
    arguments: list[str] = []
    for key, parameter in known.items():
        if key not in given:
            continue
        start, where = Path() if key in replaced else folder, f"{source}: {key}"
        if isinstance(parameter, click.Option):
            words += _option_words(parameter, given[key], where, start)
        else:
            arguments.append(_one(parameter, given[key], where, start))
    return [*words, "--", *arguments]


def settings_from(
    words: Sequence[str], known: Mapping[str, click.Parameter], *, folder: Path
) -> dict[str, Any]:
    """The settings that words stand for; paths are made relative to the folder."""
    given = _parsed(words, known)
    return {
        key: _setting(parameter, given[str(parameter.name)], folder)
        for key, parameter in known.items()
        if parameter.name in given
    }


def _check(given: Mapping[str, Any], known: Mapping[str, click.Parameter], source: str) -> None:
    for key, parameter in known.items():
        if parameter.required and key not in given:
            raise FileError(f"{source}: {key} is missing.")
    for key in given:
        if key not in known:
            raise FileError(f"{source}: unknown option {key!r}.{suggestion(key, known)}")


def _option_words(option: click.Option, value: Any, where: str, folder: Path) -> list[str]:
    flag = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise FileError(f"{where} must be true or false.")
        return [flag] if value else option.secondary_opts[:1]
    if option.nargs > 1:
        if not isinstance(value, tuple) or len(value) != option.nargs:
            raise FileError(f"{where} must be a list of {option.nargs}.")
        return [flag, *map(_text, value)]
    if option.multiple and isinstance(value, tuple):
        return [word for item in value for word in (flag, _item(option, item))]
    return [flag, _one(option, value, where, folder)]


def _one(parameter: click.Parameter, value: Any, where: str, folder: Path) -> str:
    if isinstance(value, tuple):
        raise FileError(f"{where} takes one value. Got a list.")
    return str(folder / _text(value)) if _is_path(parameter, value, folder) else _text(value)


def _item(option: click.Option, value: Any) -> str:
    """An item of a list; where commas stand between names, a name that holds one is quoted."""
    text = _text(value)
    return '"' + text.replace('"', '""') + '"' if _holds_names(option) and set(text) & set(',"') else text


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _holds_names(parameter: click.Parameter) -> bool:
    kind = parameter.type
    return isinstance(kind, NameList) or (isinstance(kind, ParameterType) and kind.parameter.repeated)


def _is_path(parameter: click.Parameter, value: Any, folder: Path) -> bool:
    """Whether a value is a path: a parameter of a method may be one, if there is a file of that name."""
    if isinstance(parameter.type, click.Path):
        return True
    text = isinstance(parameter.type, ParameterType) and parameter.type.parameter.type is str
    return text and bool(Path(str(value)).suffix) and (folder / str(value)).is_file()


def _parsed(words: Sequence[str], known: Mapping[str, click.Parameter]) -> dict[str, Any]:
    """The texts that were given, by the names that click has for them."""
    reader = click.Command("reader", params=list(known.values()), add_help_option=False)
    found, _, _ = reader.make_parser(click.Context(reader)).parse_args(list(words))
    return {name: value for name, value in found.items() if isinstance(value, str | bool | list | tuple)}


def _setting(parameter: click.Parameter, value: Any, folder: Path) -> Any:
    if isinstance(value, bool):
        return value
    if _holds_names(parameter):
        names = NameList()
        return [_natural(name) for text in value for name in names.convert(text, parameter, None)]
    if isinstance(value, list | tuple):
        return [_natural(text) for text in value]
    if not _is_path(parameter, value, Path()):
        return _natural(value)
    return value if Path(value).is_absolute() else Path(os.path.relpath(value, folder)).as_posix()


def _natural(text: str) -> str | int | float:
    """A number where that reads the same.

    >>> _natural("5"), _natural("0.25"), _natural("1e3"), _natural("05")
    (5, 0.25, '1e3', '05')
    """
    for kind in (int, float):
        try:
            if str(kind(text)) == text and text not in ("nan", "inf", "-inf"):
                return kind(text)
        except ValueError:
            pass
    return text
