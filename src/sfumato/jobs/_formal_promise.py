"""Releases under a formal promise: how one is asked for, and what has to be declared for it."""

from typing import Any

from sfumato.core import DataError, ParameterError, param, parameters
from sfumato.data import Source, Table
from sfumato.data.blocks import Blocks
from sfumato.jobs._job import Job
from sfumato.masking import Masking, make_masking

METHOD = "calibrated_synthesis"
LOOKS = ("methods", "require", "score", "grouped", "evolve", "sample", "stop", "keep")
"""What chooses by looking at the original, or releases a column as it is."""


def promised_epsilon() -> Any:
    """Declare how strong a formal promise is asked for."""
    return param(
        default=0.0,
        low=0.0,
        high=100.0,
        help="release under a formal promise, (epsilon, delta)-differential privacy, in place of a search: the smaller the "
        "stronger, such as 1; needs a schema with the bounds of numbers",
        usual="0: nothing is promised",
    )


def promised_delta() -> Any:
    """Declare how likely it may fail."""
    return param(
        default=1e-6,
        low=1e-15,
        high=0.1,
        help="how likely the promise of epsilon may fail, about: far below one in the number of records",
    )


def formal_masking(epsilon: float, delta: float) -> Masking:
    return make_masking({"method": METHOD, "epsilon": epsilon, "delta": delta})


def check_alone(job: Job, *more: str) -> None:
    """Refuse what cannot be asked for together with a formal promise."""
    known, given = parameters(type(job)), job.non_defaults()
    looks = [known[name].key for name in (*LOOKS, *more) if name in given]
    if looks:
        raise ParameterError(
            f"{job.name}: under a formal promise nothing is chosen by looking at the original, and no column goes out as "
            f"it is: leave out {', '.join(looks)}."
        )


def check_declared(source: Source, table: Table | Blocks) -> None:
    """Refuse columns whose domains may hang on records: all must be declared by whoever asks for the promise."""
    if not source.stated:
        raise DataError(
            "A formal promise needs columns whose domains hang on no record: declare all of them in a schema, from what "
            "is known of the survey, and give it with --schema."
        )
    for attribute in table.schema:
        declared = source.schema[attribute.name].missing
        new = [code for code in attribute.missing if code not in declared]
        if new:
            raise DataError(
                f"Column {attribute.name}: the file has codes for missing values that the schema does not declare, and a "
                f"formal promise hangs on what is declared; add {', '.join(new)} to missing, or take them out of the file."
            )
