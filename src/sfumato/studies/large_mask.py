"""Masking a table that stays on disk, and judging what came out."""

import json
from hashlib import blake2b
from typing import Any

from sfumato.data.blocks import INDEX, Blocks
from sfumato.data.workplace import Workplace
from sfumato.masking import Chain, Masking, make_masking
from sfumato.masking.from_disk.mask_blocks import PARTITION, mask_blocks
from sfumato.version import __version__


def mask_from_disk(original: Blocks, method: Any, *, place: Workplace, seed: int = 0) -> Blocks:
    """Mask a table in blocks; the outcome lies in the folder of the work place.

    The method is a masking, the name of one, or a spec. A job that was stopped goes on in the same folder.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from sfumato.datasets import business_survey
    >>> from sfumato.data.blocks import BlockWriter
    >>> from sfumato.parallel import Workers
    >>> firms, here = business_survey(60), Path(tempfile.mkdtemp())
    >>> original = BlockWriter(here / "firms", firms.schema).write_all([firms])
    >>> place = Workplace(here, Workers(None), memory=10**9)
    >>> mask_from_disk(original, {"method": "mdav", "k": 3}, place=place).n
    60
    """
    masking = make_masking(method)
    folder = place.folder / f"masked-{_key(original, masking, seed)}"
    if (folder / INDEX).is_file():
        return Blocks(folder)
    return mask_blocks(original, masking, folder, seed=seed, crew=place.crew)


def _key(original: Blocks, masking: Masking | Chain, seed: int) -> str:
    made_from = json.dumps(
        [original.folder.name, masking.keyed_by(), seed, PARTITION, __version__], sort_keys=True
    )
    return blake2b(made_from.encode(), digest_size=8).hexdigest()
