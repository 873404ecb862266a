"""Small files that ask for much, or for what is none of their business."""

import gzip
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.core import DataError, FileError, Key, ParameterError
from sfumato.core.json_text import parsed_json
from sfumato.core.regular_files import MOST, small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.data import CsvOptions, Schema, read_table
from sfumato.data import open as opened
from sfumato.data.files.graph_files import read_graph
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.parquet_source import parquet_source
from sfumato.data.places import Places
from sfumato.data.study_file import Study

READERS = {
    "schema": Schema.read,
    "hierarchy": Hierarchy.read,
    "study": Study.read,
    "places": Places.read,
    "key": Key.read,
    "table": lambda path: read_table(path.rename(path.with_suffix(".csv"))),
    "graph": lambda path: read_graph(path.rename(path.with_suffix(".graphml"))),
    "parquet": lambda path: opened(path.rename(path.with_suffix(".parquet"))),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("what", READERS)
def test_a_pipe_is_no_file(tmp_path, what):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match=r"is no ordinary file: give the name of one on a disk\.$"):
        READERS[what](tmp_path / "pipe")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no endless file")  # noqa: PTH110
@pytest.mark.parametrize("what", READERS)
def test_a_device_is_no_file(tmp_path, what):
    (tmp_path / "endless").symlink_to("/dev/zero")
    with pytest.raises(FileError, match="is no ordinary file"):
        READERS[what](tmp_path / "endless")


def test_texts_that_people_write_are_small(tmp_path):
    with (tmp_path / "s.toml").open("wb") as file:
        file.truncate(MOST + 1)
    with pytest.raises(FileError, match=r"^Schema file .* is larger than 64 MB"):
        small_text(tmp_path / "s.toml", "Schema file")


@pytest.mark.parametrize("text", ["a = " + "[" * 10_000, "a = " + "{b=" * 10_000, "a." * 50_000 + "a = 1"])
def test_deep_toml(text):
    with pytest.raises(DataError, match=r"^s: not valid TOML: it is nested too deeply\.$"):
        parsed_toml(text, "s")


def test_long_numbers_in_toml():
    with pytest.raises(DataError, match=r"^s: not valid TOML: a number in it is too long\.$"):
        parsed_toml("a = " + "9" * 10_000, "s")


def test_deep_json():
    with pytest.raises(ValueError, match="too deeply"):
        parsed_json("[" * 100_000)


@pytest.mark.parametrize(
    "line", ['{"id": ' + "[" * 100_000, '{"id": 1, "x": ' + "[" * 9000 + "]" * 9000 + "}"]
)
def test_deep_profiles(tmp_path, line):
    (tmp_path / "g.jsonl").write_text(line + "\n")
    with pytest.raises(DataError, match=r"line 1: "):
        read_graph(tmp_path / "g.jsonl")


def test_profiles_that_have_nothing_in_common(tmp_path):
    (tmp_path / "g.jsonl").write_text("".join(f'{{"id": {i}, "k{i}": 1}}\n' for i in range(5000)))
    with pytest.raises(DataError, match="hardly any of 5000 nodes has a value for one of 5000 attributes"):
        read_graph(tmp_path / "g.jsonl")


def test_keys_that_no_node_has(tmp_path):
    keys = "".join(f'<key id="k{i}" for="node" attr.name="k{i}"/>' for i in range(5000))
    nodes = "".join(f'<node id="n{i}"/>' for i in range(5000))
    (tmp_path / "g.graphml").write_text(f"<graphml>{keys}<graph>{nodes}</graph></graphml>")
    with pytest.raises(DataError, match="hardly any of 5000 nodes"):
        read_graph(tmp_path / "g.graphml")


@pytest.mark.parametrize("encoding", ["rot13", "hex", "base64", "zlib", "idna", "utf-7", "none"])
def test_odd_encodings_of_graphml(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph/></graphml>'
    (tmp_path / "g.graphml").write_text(text)
    with pytest.raises(DataError, match=r"g\.graphml"):
        read_graph(tmp_path / "g.graphml")


@pytest.mark.parametrize(
    "encoding",
    ["rot13", "base64", "hex", "zlib", "bz2", "uu", "idna", "punycode", "unicode_escape", "a\0b", ""],
)
def test_what_is_no_encoding_of_texts(encoding):
    with pytest.raises(ParameterError, match="encoding must be one of texts that Python knows"):
        CsvOptions(encoding=encoding)


ENTITIES = '<!DOCTYPE c [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


def test_entities_of_a_codebook(tmp_path):
    (tmp_path / "x.dat").write_text("1\n")
    (tmp_path / "x.xml").write_text(f"{ENTITIES}<codeBook>&b;</codeBook>")
    with pytest.raises(DataError, match=r"x\.xml, line 1: declared entities are not read"):
        read_table(tmp_path / "x.dat")


@pytest.mark.parametrize("decimals", ["400", "-1"])
def test_decimals_that_no_number_has(tmp_path, decimals):
    (tmp_path / "x.dat").write_text("1\n")
    var = f'<var name="A" dcml="{decimals}"><location StartPos="1" EndPos="1"/></var>'
    (tmp_path / "x.xml").write_text(f"<codeBook>{var}</codeBook>")
    with pytest.raises(DataError, match="variable A has impossible decimals"):
        read_table(tmp_path / "x.dat")


def test_a_packed_extract_that_swells(tmp_path):
    (tmp_path / "x.dat.gz").write_bytes(gzip.compress(b"1\n" * 10**7))
    (tmp_path / "x.xml").write_text(
        '<codeBook><var name="A"><location StartPos="1" EndPos="1"/></var></codeBook>'
    )
    with pytest.raises(FileError, match="of memory, more than 10 MB"):
        opened(tmp_path / "x.dat.gz", memory=10**7)


def parquet(path, schema):
    table = pa.table({"town": ["SECRET", "b"], "age": [1, 2]})
    pq.write_table(table.replace_schema_metadata({"sfumato.schema": schema}), path)


@pytest.mark.parametrize(
    "schema",
    [
        b"\xff\xfe",
        b"a = [",
        b"",
        b'[attributes.town]\nscale = "nominal"\ncategories = ["SECRET", "SECRET"]\n[attributes.age]\nscale = "numeric"',
        b'[attributes.town]\nscale = "nominal"\nhierarchy = "/etc/passwd"\n[attributes.age]\nscale = "numeric"',
    ],
)
def test_a_damaged_schema_in_a_file(tmp_path, schema):
    parquet(tmp_path / "t.parquet", schema)
    for read in (read_table, opened):
        with pytest.raises(DataError, match=r"the schema stored in the file is damaged; say what") as error:
            read(tmp_path / "t.parquet")
        assert "SECRET" not in str(error.value)
    declared = Schema.from_toml(
        '[attributes.town]\nscale = "nominal"\ncategories = ["SECRET", "b"]\n[attributes.age]\nscale = "numeric"'
    )
    assert opened(tmp_path / "t.parquet", schema=declared).table.n == 2


def test_texts_that_are_no_texts_in_parquet(tmp_path):
    table = pa.table({"town": pa.array([b"caf\xe9", b"b"], pa.binary())})
    text = pa.Table.from_arrays(
        [pa.Array.from_buffers(pa.string(), 2, table["town"].chunk(0).buffers())], ["town"]
    )
    pq.write_table(text, tmp_path / "t.parquet")
    for read in (read_table, opened):
        with pytest.raises(FileError, match="cannot be read as Parquet: it is damaged"):
            read(tmp_path / "t.parquet")


def test_a_piece_of_a_column_that_is_described_wrongly_in_parquet(tmp_path):
    """Found by the fuzzer: asked for such a description, pyarrow ends the process."""
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"town": ["a", "b", "a", None]}), path)
    optional = b"\x25\x02\x18\x04town"
    assert path.read_bytes().count(optional) == 1
    path.write_bytes(path.read_bytes().replace(optional, b"\x25\x12\x18\x04town"))
    with pytest.raises(FileError, match=r"cannot be read as Parquet: it is damaged"):
        parquet_source(path)


def test_few_bytes_with_many_records_are_refused_before_they_are_read(tmp_path):
    column = pa.array(np.zeros(10**6, np.int64))
    with pq.ParquetWriter(tmp_path / "t.parquet", pa.schema([("a", pa.int64())])) as writer:
        for _ in range(5):
            writer.write_table(pa.table({"a": column}))
    assert (tmp_path / "t.parquet").stat().st_size < 10**5
    source = parquet_source(tmp_path / "t.parquet")
    assert source.bytes_in_memory > 10**8
    with pytest.raises(FileError, match="would need about 120 MB of memory, more than 50 MB: let a command"):
        read_limited(tmp_path / "t.parquet", 5 * 10**7)


def test_one_long_text_for_many_records_is_counted_as_often_as_it_stands(tmp_path):
    codes = pa.array(np.zeros(10**6, np.int32))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 10**6]))
    pq.write_table(pa.table({"t": column}), tmp_path / "t.parquet", compression="zstd", store_schema=False)
    assert (tmp_path / "t.parquet").stat().st_size < 10**5
    assert parquet_source(tmp_path / "t.parquet").bytes_in_memory > 10**12
    with pytest.raises(FileError, match="holds texts so long that"):
        opened(tmp_path / "t.parquet", memory=10**9)


def read_limited(path, memory):
    from sfumato.data.files.table_files import read_declared

    return read_declared(path, memory=memory)


def test_numbers_too_large_to_calculate_with(tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n1e308\n")
    with pytest.raises(
        DataError, match=r"column x, row 2: the number is too large to calculate with, beyond 1e\+100"
    ):
        read_table(tmp_path / "t.csv")


def test_a_line_of_commas(tmp_path):
    (tmp_path / "t.csv").write_text("," * 20_000 + "\n" + "," * 20_000 + "\n")
    with pytest.raises(DataError, match="20001 columns are more than 5000"):
        read_table(tmp_path / "t.csv", options=CsvOptions(header=False))
