"""Parameters of methods: described once, read by Python, command line, study file, page, documentation and the check."""

import dataclasses
import inspect
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core import notation
from sfumato.core.errors import ParameterError, SfumatoError, UnknownNameError

NOUNS = {int: "an integer", float: "a number", bool: "true or false", str: "a text", Path: "a path"}
WORDS = {int: "INTEGER", float: "NUMBER", bool: "BOOLEAN", str: "TEXT", Path: "FILE"}
TRUTH = {"true": True, "false": False, "yes": True, "no": False}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a method: its type, default, bounds and a line of help.

    A type is int, float, bool, str, a path, or a class with a `noun` that says in words what it is and a class
    method `convert` that makes one of a text or of other values: another method, a duration, a requirement.

    Of a job some is said besides: what its `option` is called where that is not its name, whether it is an
    `argument` of the command, whether it is `needed` there, and whether it only says `where` and how the work is
    done, which changes no result. A path `writes` to where it leads, and takes certain `suffixes`. What is made of
    several options is `spread` over them: a method over its parameters, a stop over its rules. A text may name a
    `file`. `usual` says in words what holds where nothing is given, and `opposite` is what the option that denies
    something true is called. A list that has to hold so many values says how many it `holds`.
    """

    name: str
    type: Any
    repeated: bool
    optional: bool
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    option: str = ""
    short: str = ""
    word: str = ""
    argument: bool = False
    needed: bool = False
    where: bool = False
    writes: bool = False
    suffixes: tuple[str, ...] = ()
    spread: bool = False
    file: bool = False
    usual: str = ""
    opposite: str = ""
    holds: int | None = None

    @property
    def key(self) -> str:
        """Its name on the command line and in study files."""
        return self.option or self.name.replace("_", "-")

    @property
    def is_path(self) -> bool:
        """Whether its value is a path, or something read from a file that is told by its path."""
        return self.type is Path or getattr(self.type, "is_path", False)

    @property
    def metavar(self) -> str:
        """What stands for a value in the help of a command."""
        word = self.word or WORDS.get(self.type, "") or getattr(self.type, "word", "TEXT")
        return word + ",…" * (self.repeated and not self.holds and self._is_listed)

    def rule(self) -> str:
        """Say in words what a value must be.

        >>> from sfumato.masking import Mdav
        >>> parameters(Mdav)["k"].rule()
        'an integer of at least 1'
        """
        noun = NOUNS.get(self.type) or self.type.noun
        if self.choices:
            noun = "one of " + ", ".join(self.choices)
        if self.repeated:
            noun = f"a list{f' of {self.holds}' if self.holds else ''}, each item {noun}"
        if self.low is not None and self.high is not None:
            noun += f" from {self.low:g} to {self.high:g}"
        elif self.low is not None:
            noun += f" of at least {self.low:g}"
        elif self.high is not None:
            noun += f" of at most {self.high:g}"
        return noun + (" or nothing" if self.optional and not self.needed else "")

    def checked(self, owner: str, value: Any) -> Any:
        """Return the value in its canonical form, or refuse it with the rule it breaks."""
        if value is None and self.optional:
            return None
        if self.repeated:
            if isinstance(value, Mapping) and not self._is_listed:
                value = tuple(value.items())  # each a name and what goes with it
            if not isinstance(value, list | tuple) or len(value) != (self.holds or len(value)):
                raise self._refusal(owner, value)
            return tuple(self._item(owner, item) for item in value)
        return self._item(owner, value)

    def read(self, owner: str, text: str) -> Any:
        """The value that a text stands for, checked."""
        if self.optional and not self.needed and text.strip().lower() == "none":
            return None
        if not self.repeated:
            return self.checked(owner, self._natural(notation.unquoted(text) if self._is_bare else text))
        if not self._is_listed:
            return self.checked(owner, [text])
        split = notation.items if self._is_bare else notation.pieces
        return self.checked(owner, [self._natural(item) for item in split(text)])

    def plain(self, value: Any) -> Any:
        """The value as numbers, texts and lists, as specs and study files hold it."""
        if isinstance(value, tuple):
            return [self.plain(item) for item in value]
        if value is None or type(value) in (int, float, bool, str):
            return value
        return value.plain() if hasattr(value, "plain") else str(value)

    @property
    def _is_listed(self) -> bool:
        """Whether several are written with commas between them; else the option is repeated, as for names of files."""
        return bool(getattr(self.type, "listed", self.type is not Path))

    @property
    def _is_bare(self) -> bool:
        return self.type in NOUNS

    def _natural(self, text: str) -> Any:
        if self.type is bool:
            return TRUTH.get(text.strip().lower(), text)
        if self.type not in (int, float):
            return text
        try:
            return self.type(text)
        except ValueError:
            return text  # the check that follows refuses it in the same words as Python's caller gets

    def _item(self, owner: str, value: Any) -> Any:
        kind: Any = self.type
        if self.type is Path and isinstance(value, str) and value:
            value = Path(value)
        if isinstance(value, Path) and not _is_nameable(value):
            raise ParameterError(
                f"{owner}: {self.option or self.name}: a name of a file is text without control characters; rename it."
            )
        if not self._is_bare:
            return self._converted(owner, value)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if hasattr(value, "item") and not isinstance(value, str):  # numpy scalars
            value = value.item()
        of_kind = isinstance(value, Path) if kind is Path else type(value) is kind
        if not of_kind or (kind is float and not math.isfinite(value)):
            raise self._refusal(owner, value)
        too_small = self.low is not None and value < self.low
        too_large = self.high is not None and value > self.high
        if too_small or too_large or (self.choices and value not in self.choices):
            raise self._refusal(owner, value)
        return value

    def _converted(self, owner: str, value: Any) -> Any:
        try:
            return self.type.convert(value)
        except (TypeError, ValueError) as error:
            if isinstance(error, SfumatoError):  # which says itself what is wrong
                raise
            raise self._refusal(owner, value) from None

    def _refusal(self, owner: str, value: Any) -> ParameterError:
        return ParameterError(f"{owner}: {self.option or self.name} must be {self.rule()}. Got {value!r}.")


def _is_nameable(path: Path) -> bool:
    """Whether a name can be written down: names of files may be any bytes, those we report must be text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in str(path)


def param(*, default: Any = dataclasses.MISSING, help: str, **facts: Any) -> Any:
    """Declare a parameter of a method: its default, its help, and the further facts of a `Parameter`."""
    return dataclasses.field(default=default, metadata={"help": help, **facts})


def parameters(method: type) -> dict[str, Parameter]:
    """All parameters of a method class by name, its own first and the shared ones last.

    >>> from sfumato.masking import RankSwapping
    >>> list(parameters(RankSwapping))
    ['p', 'attributes']
    """
    known: dict[str, Parameter] | None = method.__dict__.get("_parameters")
    if known is None:
        hints = typing.get_type_hints(method)
        declared = [inspect.get_annotations(owner) for owner in method.__mro__]
        fields = [f for f in dataclasses.fields(method) if f.init]
        fields.sort(key=lambda f: next(depth for depth, names in enumerate(declared) if f.name in names))
        known = {f.name: _described(f, hints[f.name]) for f in fields}
        method._parameters = known  # type: ignore[attr-defined]
    return known


def check_names(owner: str, given: typing.Iterable[str], method: type) -> None:
    """Refuse parameter names the method does not have, and say which it has."""
    known = parameters(method)
    for name in given:
        if name not in known:
            raise UnknownNameError(f"parameter of {owner}", name, known, listed=True)


def _described(field: "dataclasses.Field[Any]", hint: Any) -> Parameter:
    optional = typing.get_origin(hint) in (types.UnionType, typing.Union)
    if optional:
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    repeated = typing.get_origin(hint) is tuple
    holds = None
    if repeated:
        hint, *others = typing.get_args(hint)
        holds = None if Ellipsis in others else 1 + len(others)
    if field.name == "method":
        raise TypeError("method: a spec names the method by this word; call the parameter something else")
    if hint not in NOUNS and not hasattr(hint, "convert"):
        raise TypeError(
            f"{field.name}: a parameter is an int, float, bool, str, path, a class that can convert, or a tuple of one"
        )
    return Parameter(
        name=field.name,
        type=hint,
        repeated=repeated,
        optional=optional,
        holds=holds,
        default=field.default,
        **field.metadata,
    )
