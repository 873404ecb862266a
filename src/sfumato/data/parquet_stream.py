"""Writing blocks as one Parquet file: a row group a block, with the types that the whole table has.

The type of a column depends on all its values: numbers are integers if all are whole, categories are dates if
all are. So a first look at the blocks keeps a few values of each column that decide its type, and each block
is then decoded together with those.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.core import progress
from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER
from sfumato.data.blocks import Blocks, joined
from sfumato.data.encoding import decode
from sfumato.data.files.atomic import writing
from sfumato.data.formats.parquet import KEY
from sfumato.data.table import Table


def write_parquet_blocks(blocks: Blocks, target: Path, names: Sequence[str] = ()) -> None:
    """Write some columns of a table in blocks, or all, as a Parquet file that appears whole or not at all."""
    with writing(target) as temporary:
        stream_parquet(blocks, temporary, names)


def stream_parquet(blocks: Blocks, target: Path, names: Sequence[str] = ()) -> None:
    """Write a Parquet file with the schema inside, as the format would write the table in memory."""
    import pyarrow.parquet

    names = tuple(names) or blocks.names
    schema = blocks.schema.select(names)
    with progress.task("Writing", 2 * len(blocks)) as work:
        telling = {name: _telling(blocks, name) for name in names}
        work.advance(len(blocks))
        kinds = [(name, _decoded(telling[name], name).type) for name in names]
        arrow_schema = pa.schema(kinds, metadata={KEY: schema.to_toml().encode()})
        with pyarrow.parquet.ParquetWriter(target, arrow_schema) as writer:
            for table in blocks.tables(names):
                arrays = [_as_in_whole(table, telling[name], name) for name in names]
                writer.write_table(pa.Table.from_arrays(arrays, schema=arrow_schema), table.n or None)
                work.advance()


def _telling(blocks: Blocks, name: str) -> Table:
    """A few records whose values in a column decide the type of all."""
    found = [block.take(_telling_rows(block, name)) for block in blocks.tables([name])]
    together = joined(found, blocks.schema.select([name]))
    return together.take(_telling_rows(together, name))


def _telling_rows(table: Table, name: str) -> np.ndarray:
    """One record of each category and of each missing code; of numbers, one that is not an exact integer."""
    values, reasons = table[name], table.reasons(name)
    rows = [] if reasons is None else [np.unique(reasons, return_index=True)[1]]
    if table.schema[name].is_numeric:
        exact = np.isnan(values) | ((values == np.floor(values)) & (np.abs(values) < LARGEST_EXACT_INTEGER))
        rows += [np.flatnonzero(~exact)[:1], np.flatnonzero(exact)[:1]]
    else:
        rows.append(np.unique(values, return_index=True)[1])
    return np.unique(np.concatenate(rows)).astype(np.int64)


def _as_in_whole(table: Table, telling: Table, name: str) -> pa.Array:
    """A column of a block, decoded as it would be among all the others."""
    both = joined([telling, table.select([name])], telling.schema)
    return _decoded(both, name).slice(telling.n)


def _decoded(table: Table, name: str) -> pa.Array:
    attribute = table.schema[name]
    return decode(table[name], table.reasons(name), attribute, text=attribute.is_numeric)
