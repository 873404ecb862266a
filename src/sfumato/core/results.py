"""Results: frozen values that know how to become a dictionary, a frame or a plot."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar, dataclass_transform

from sfumato.core import registry
from sfumato.core.method import Method


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Result:
    """What came out of some work. Subclasses declare fields and name the plot that draws them."""

    drawn_by: ClassVar[str] = ""

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        dataclasses.dataclass(frozen=True, kw_only=True, eq=False)(cls)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists, numbers and texts, ready for JSON."""
        return {f.name: plain(getattr(self, f.name)) for f in dataclasses.fields(self) if f.repr}  # type: ignore[arg-type]

    def to_frame(self) -> Any:
        """A pyarrow table with one row per thing counted; `.to_pandas()` makes it a pandas frame."""
        import pyarrow as pa

        return pa.Table.from_pylist(self._rows())

    def plot(self, ax: Any = None) -> Any:
        """Draw the result and return the matplotlib figure."""
        if not self.drawn_by:
            raise NotImplementedError(f"{type(self).__name__} has no plot")
        return registry.load_function("plots", self.drawn_by)(self, ax)

    def _rows(self) -> list[dict[str, Any]]:
        return [self.to_dict()]


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Method):
        return value.spec()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
