"""The settings of masking methods that are worth trying on some attributes of a table."""

from collections.abc import Iterator, Sequence

from sfumato.core import parameters, registry
from sfumato.data import SCALES, Table
from sfumato.masking import Chain, Generalisation, LocalSuppression, Masking
from sfumato.search.maskings.demands import Demands, demanded

RECODED_TO = (
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
)  # percent of the records that each value of a recoded key has at the least
SUPPRESSED_K = (3, 5, 10)  # where none is demanded


def part_options(
    table: Table,
    names: tuple[str, ...],
    methods: Sequence[str],
    *,
    asked: Demands | None = None,
    partly: bool = False,
) -> list[Masking]:
    """All settings of the methods that can take these attributes, which are of one kind.

    A method that would leave some of them as they are is no protection of them: it is left out, unless it is tried
    `partly` since somebody named it.
    """
    options: list[Masking] = []
    for method_name in methods:
        method: type[Masking] = registry.load("masking", method_name)
        if method.takes_all:
            continue
        takes = tuple(name for name in names if table.schema[name].scale in method.scales)
        if takes and (partly or takes == names):
            numeric = table.schema[takes[0]].is_numeric
            settings = demanded(method, method.settings(numeric=numeric), asked or {})
            options += [method.from_parameters({**setting, "attributes": takes}) for setting in settings]
    return options


def whole_options(
    table: Table, names: tuple[str, ...], methods: Sequence[str], *, asked: Demands | None = None
) -> list[Masking]:
    """All settings of the methods that take every scale, on numeric and categorical attributes at once."""
    options: list[Masking] = []
    for method_name in methods:
        method: type[Masking] = registry.load("masking", method_name)
        if set(SCALES) <= set(method.scales) and not method.takes_all:
            settings = demanded(method, method.settings(numeric=True), asked or {})
            options += [method.from_parameters({**setting, "attributes": names}) for setting in settings]
    return options


def suppressed_options(
    table: Table, names: tuple[str, ...], methods: Sequence[str], *, asked: Demands | None = None
) -> list[Masking]:
    """What offices do: cells of rare records are emptied, as the keys are or after each was recoded by itself.

    A key is recoded until each of its values is shared by so many percent of the records.
    """
    if LocalSuppression.name not in methods:
        return []
    settings = demanded(LocalSuppression, ({"k": k} for k in SUPPRESSED_K), asked or {})
    last = [LocalSuppression.from_parameters({**setting, "attributes": names}) for setting in settings]
    if Generalisation.name not in methods:
        return [*last]
    return [*last, *(Chain((*steps, one)) for one in last for steps in _recoded(table, names, one.k))]


def _recoded(table: Table, names: tuple[str, ...], k: int) -> Iterator[tuple[Masking, ...]]:
    """Ways to recode keys one by one, the finest first; each way at most once."""
    sizes = {max(round(share * table.n / 100), k) for share in RECODED_TO}
    for size in sorted(size for size in sizes if size <= table.n):
        yield tuple(Generalisation(k=size, attributes=(name,)) for name in names)


def record_options(table: Table, methods: Sequence[str], *, coincidences: bool = True) -> list[Masking]:
    """All settings of the methods that mask whole records, on every column they take, whatever its role.

    Without `coincidences`, those that can part their records from people who are unique are told to, and others are
    left out.
    """
    options: list[Masking] = []
    for name in methods:
        method: type[Masking] = registry.load("masking", name)
        if not method.takes_all or not (coincidences or "coincidences" in parameters(method)):
            continue
        extra = {} if coincidences else {"coincidences": False}
        targets = method().targets(table)
        options += [
            method.from_parameters({**setting, **extra, "attributes": targets})
            for setting in method.settings(numeric=True)
        ]
    return options
