"""Maskings of data frames: what is masked where only a guess says what the columns are, and a frame in, a frame out."""

import dataclasses
from typing import TypeVar

import numpy as np

from sfumato.core import progress
from sfumato.data import Schema, frame_like, table_from_frame
from sfumato.masking._chain import Chain
from sfumato.masking._contract import Masking

NOT_MASKED = ("identifier", "household", "weight")  # roles that are left alone unless named

Frame = TypeVar("Frame")


def of_proposal(masking: Masking, schema: Schema) -> tuple[Masking, Schema]:
    """A masking that says which columns of a proposed schema it takes, which are the keys: all it can take, if none are
    named. One that releases some of the records takes none."""
    if not masking.keeps_records:
        return masking, schema
    names = masking.named or tuple(
        a.name for a in schema if a.role not in NOT_MASKED and a.scale in masking.taken
    )
    if not masking.named and names:
        left = [a.name for a in schema if a.name not in names]
        more = f"; not {', '.join(left)}." if left else "."
        progress.note(f"no schema given: masking {', '.join(names)}{more}")
        if not isinstance(masking, Chain):  # whose steps take the keys, each those it can
            masking = dataclasses.replace(masking, attributes=names)
    return masking, schema.with_roles(dict.fromkeys(names, "key"))


def masked_frame(masking: Masking, frame: Frame, rng: np.random.Generator) -> Frame:
    """A frame with the columns that are masked as a proposal has them."""
    table = table_from_frame(frame)
    masking, schema = of_proposal(masking, table.schema)
    masked, rows = masking.traced(table.with_schema(schema), rng)
    return frame_like(masked, frame, rows=rows)
