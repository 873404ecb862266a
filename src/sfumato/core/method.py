"""What every method is: a frozen set of parameters with a name, that travels as a small dictionary."""

import dataclasses
import sys
from typing import Any, ClassVar, Self, dataclass_transform

from sfumato.core.errors import ParameterError
from sfumato.core.parameters import check_names, param, parameters


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(param,))
class Method:
    """A method of the field. Its fields are its parameters; its name is the name of its file.

    A subclass only declares fields with `param`; it becomes a frozen, keyword-only dataclass by itself.
    Values are checked when it is made, so a method that exists is a method that can run.

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

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
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
        given = ", ".join(f"{name}={value!r}" for name, value in self._given().items())
        return f"{type(self).__name__}({given})"

    def __str__(self) -> str:
        given = ", ".join(f"{key} = {_shown(value)}" for key, value in self._given().items())
        return f"{self.name} ({given})" if given else self.name

    def spec(self) -> dict[str, Any]:
        """The method as a small dictionary: its name and every parameter that is not the default."""
        given = {k: list(v) if isinstance(v, tuple) else v for k, v in self._given().items()}
        return {"method": self.name, **given}

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

    def _given(self) -> dict[str, Any]:
        values = ((name, p.default, getattr(self, name)) for name, p in parameters(type(self)).items())
        return {name: value for name, default, value in values if value != default}


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
