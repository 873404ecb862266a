"""What every method is: a frozen set of parameters with a name, that travels as a small dictionary."""

import dataclasses
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, dataclass_transform

from sfumato.core import notation
from sfumato.core.errors import ParameterError
from sfumato.core.parameters import Parameter, check_names, param, parameters

Aliases = Mapping[str, Mapping[str, Any]]
"""Names that sources use, each with the parameters it stands for."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(param,))
class Method:
    """A method of the field. Its fields are its parameters; its name is the name of its file.

    A subclass only declares fields with `param`; it becomes a frozen, keyword-only dataclass by itself.
    Values are checked when it is made, so a method that exists is a method that can run. The base of a kind says
    in which folder its methods are; `aliases` are names that sources use, each with the parameters it stands for.

    >>> from sfumato.masking import Mdav
    >>> Mdav(k=3)
    Mdav(k=3)
    >>> Mdav(k=3).spec()
    {'method': 'mdav', 'k': 3}
    >>> Mdav(k=0)
    Traceback (most recent call last):
    sfumato.core.errors.ParameterError: mdav: k must be an integer of at least 1. Got 0.
    """

    name: ClassVar[str] = ""
    registered_in: ClassVar[str] = ""
    noun: ClassVar[str] = "a method"
    word: ClassVar[str] = "NAME"
    aliases: ClassVar[Aliases] = MappingProxyType({})

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for name, value in vars(cls).items():
            if isinstance(value, dataclasses.Field) and callable(getattr(Method, name, None)):
                raise TypeError(
                    f"{name}: every method can be asked for this; call the parameter something else"
                )
        if "name" not in vars(cls):
            cls.name = cls.__module__.rpartition(".")[2]
        dataclasses.dataclass(frozen=True, kw_only=True, repr=False)(cls)

    def __post_init__(self) -> None:
        for name, parameter in parameters(type(self)).items():
            object.__setattr__(self, name, parameter.checked(self.name, getattr(self, name)))
        self.check()

    def check(self) -> None:
        """Refuse combinations of parameters that make no sense together; nothing by default."""

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.non_defaults().items())
        return f"{type(self).__name__}({given})"

    def __str__(self) -> str:
        given = ", ".join(f"{key} = {_shown(value)}" for key, value in self.non_defaults().items())
        return f"{self.name} ({given})" if given else self.name

    def spec(self) -> dict[str, Any]:
        """The method as a small dictionary: its name and every parameter that is not the default."""
        known = parameters(type(self))
        return {
            "method": self.name,
            **{name: known[name].plain(value) for name, value in self.non_defaults().items()},
        }

    def plain(self) -> str:
        """The method as a text that reads back as the same one: `mdav(k=5)`."""
        return notation.written(self)

    @classmethod
    def convert(cls, value: Any) -> Self:
        """A method of this kind from its name, from `name(parameter=value)`, from a spec, or as it is."""
        from sfumato.core import registry  # which finds methods, and so knows what they are

        made: Self = registry.make(cls.registered_in, value)
        if not isinstance(made, cls):
            raise ParameterError(f"{made.name} is not {cls.noun}.")
        return made

    @classmethod
    def further(cls, owner: Any, parameter: Parameter, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """The options that such a method is spread over: its name, and the parameters of the one that is named."""
        from sfumato.core import registry

        value = settings.get(parameter.key)
        if isinstance(value, str) and value and notation.is_one_part(value):
            name, _ = registry.resolved(cls.registered_in, notation.named(value)[0])
            own = parameters(registry.load(cls.registered_in, name))
            return {parameter.key: parameter, **{p.key: p for p in own.values()}}
        return {parameter.key: parameter}

    @classmethod
    def folded(cls, owner: Any, parameter: Parameter, settings: Mapping[str, Any]) -> Self | None:
        """The method that its name and its parameters, each an option, make; none where there is no name."""
        if parameter.key not in settings:
            return None
        from sfumato.core import registry

        value = settings[parameter.key]
        known = {p.key: p for p in cls.further(owner, parameter, settings).values() if p is not parameter}
        further = {key: value for key, value in settings.items() if key in known}
        if not further or not isinstance(value, str):
            return cls.convert(value)
        name, texts = notation.named(value)
        name, meant = registry.resolved(cls.registered_in, name)
        check_names(name, texts, registry.load(cls.registered_in, name))
        own = {known[key].name: text for key, text in further.items()}
        read = {p.name: p for p in known.values()}
        given = {
            key: read[key].read(name, text) if isinstance(text, str) else text
            for key, text in {**texts, **own}.items()
        }
        made: type[Self] = registry.load(cls.registered_in, name)
        return made.from_parameters({**meant, **given})

    @classmethod
    def unfolded(cls, parameter: Parameter, value: Self) -> dict[str, Any]:
        """The settings that make the method again; a parameter that may name a file stands by itself."""
        known, given = parameters(type(value)), value.non_defaults()
        if any(known[name].file for name in given):
            return {parameter.key: value.name, **{known[n].key: known[n].plain(v) for n, v in given.items()}}
        return {parameter.key: value.plain()}

    @classmethod
    def from_parameters(cls, given: dict[str, Any]) -> Self:
        """Make the method from parameters that came from outside, with kind words about wrong ones."""
        check_names(cls.name, given, cls)
        missing = [
            name
            for name, p in parameters(cls).items()
            if p.default is dataclasses.MISSING and name not in given
        ]
        if missing:
            raise ParameterError(f"{cls.name}: {missing[0]} must be given.")
        return cls(**given)

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring of the method's file."""
        return (sys.modules[cls.__module__].__doc__ or "").strip().partition("\n")[0]

    def non_defaults(self) -> dict[str, Any]:
        values = ((name, p.default, getattr(self, name)) for name, p in parameters(type(self)).items())
        return {name: value for name, default, value in values if value != default}


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
