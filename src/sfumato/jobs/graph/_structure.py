"""Which method protects the edges of a graph, as it was asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from sfumato.core import notation, parameters, registry
from sfumato.graphs.structure import StructureMethod


@dataclass(frozen=True)
class StructureChoice:
    """A method for the structure and what was said of it: a k of which nothing was said is that of the job.

    >>> StructureChoice.convert("k_degree").of_size(7), StructureChoice.convert("k_degree(k=3)").of_size(7)
    (KDegree(k=7), KDegree(k=3))
    """

    method: str
    said: Mapping[str, Any] = field(default_factory=dict)

    noun: ClassVar[str] = StructureMethod.noun
    word: ClassVar[str] = "NAME"

    @classmethod
    def convert(cls, value: Any) -> Self:
        """From a text, a spec or a method; `name,parameter=value` is how a text was written once."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            name, comma, others = value.partition(",")
            value = f"{name}({others})" if comma and "(" not in name else value
        made = StructureMethod.convert(value)
        return cls(made.name, {name: getattr(made, name) for name in _said(value)})

    def of_size(self, k: int) -> StructureMethod:
        """The method; its k, if it has one of which nothing was said, is this one."""
        known = parameters(registry.load("structure", self.method))
        given = {name: value for name, value in {"k": k, **self.said}.items() if name in known}
        made: StructureMethod = registry.make("structure", {"method": self.method, **given})
        return made

    def plain(self) -> str:
        """As a text that reads back as the same choice."""
        said = ", ".join(f"{name}={notation.written_value(value)}" for name, value in self.said.items())
        return f"{self.method}({said})" if said else self.method

    def __str__(self) -> str:
        said = ", ".join(f"{name} = {value}" for name, value in self.said.items())
        return f"{self.method} ({said})" if said else self.method


def _said(value: Any) -> Iterable[str]:
    """The parameters that were said; those of a method that is there all were."""
    if isinstance(value, str):
        name, texts = notation.named(value)
        return {**registry.resolved("structure", name)[1], **texts}
    if isinstance(value, dict):
        return [name for name in value if name != "method"]
    return parameters(type(value))
