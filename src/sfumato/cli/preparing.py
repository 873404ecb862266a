"""Which columns a method masks where no schema says so."""

import dataclasses

from sfumato.cli.reading import Described
from sfumato.core.progress import note
from sfumato.data import Schema
from sfumato.masking import Masking

NOT_MASKED = ("identifier", "household", "weight")  # roles that are left alone unless named


def prepared(made: Masking, read_as: Described) -> tuple[Masking, Schema]:
    """Without a schema: which columns to mask, taken as the keys so that they are also what is judged."""
    schema = read_as.schema
    if not made.keeps_records:
        read_as.say_keys()
    if not read_as.proposed or not made.keeps_records:
        return made, schema
    names = made.named or tuple(a.name for a in schema if a.role not in NOT_MASKED and a.scale in made.taken)
    if not made.named and names:
        left = [a.name for a in schema if a.name not in names]
        note(f"no schema given: masking {', '.join(names)}" + (f"; not {', '.join(left)}." if left else "."))
        made = dataclasses.replace(made, attributes=names)
    return made, schema.with_roles(dict.fromkeys(names, "key"))
