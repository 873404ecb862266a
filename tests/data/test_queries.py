"""Databases are read by a query, and never written to."""

import datetime
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from sfumato.core import DataError, FileError
from sfumato.data import read_arrow, read_table

PEOPLE = "CREATE TABLE people (code text, age integer, wage double precision, born date)"
ROWS = "INSERT INTO people VALUES ('007', 31, 10.5, '1961-03-04'), ('010', NULL, 2, '1980-12-31')"
ASKED = "SELECT code, age, wage FROM people ORDER BY code"
FOUND = {"code": ["007", "010"], "age": [31, None], "wage": [10.5, 2.0]}
WRITES = (
    "DELETE FROM people",
    "SELECT 1; DELETE FROM people",
    "WITH gone AS (DELETE FROM people RETURNING age) SELECT age FROM gone",
)


def query(folder, place, text=ASKED):
    path = folder / "people.sql"
    path.write_text(f"-- from: {place}\n{text};\n")
    return path


def never_written(folder, place):
    for text in WRITES:
        with pytest.raises((DataError, FileError)):
            read_arrow(query(folder, place, text))
    assert read_arrow(query(folder, place, "SELECT count(*) AS n FROM people")).to_pydict() == {"n": [2]}


@pytest.fixture
def sqlite(tmp_path):
    with closing(sqlite3.connect(tmp_path / "survey.db")) as connection:
        connection.execute(PEOPLE)
        connection.execute(ROWS)
        connection.commit()
    return "survey.db"


@pytest.fixture
def duck(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="the extra databases is not installed")
    with closing(duckdb.connect(str(tmp_path / "survey.duckdb"))) as connection:
        connection.execute(PEOPLE)
        connection.execute(ROWS)
    return "survey.duckdb"


@pytest.fixture(scope="module")
def postgres():
    """The address of a server of our own on loopback, with an empty password for whoever reaches it."""
    pytest.importorskip("adbc_driver_postgresql", reason="the extra databases is not installed")
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not homes:
        pytest.skip("PostgreSQL is not installed")
    as_root = os.geteuid() == 0  # as whom the server does not start
    if as_root and shutil.which("runuser") is None:
        pytest.skip("PostgreSQL does not run as root")
    who = ["runuser", "-u", "postgres", "--"] if as_root else []
    folder = Path(tempfile.mkdtemp())  # that another user can reach
    if as_root:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program, *words):
        subprocess.run([*who, str(homes[-1] / program), *words], check=True, capture_output=True, cwd="/")

    data = str(folder / "data")
    run("initdb", "-D", data, "-U", "survey", "-A", "trust")
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    run("pg_ctl", "-D", data, "-o", settings, "-w", "-l", str(folder / "log"), "start")
    address = f"postgresql://survey@127.0.0.1:{port}/postgres"
    try:
        run("psql", address, "-c", PEOPLE, "-c", ROWS)
        yield address
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


@pytest.mark.parametrize("database", ["sqlite", "duck", "postgres"])
def test_a_query_is_read_and_the_database_never_written(tmp_path, request, database):
    place = request.getfixturevalue(database)
    assert read_arrow(query(tmp_path, place)).to_pydict() == FOUND
    assert read_table(query(tmp_path, place)).n == 2
    never_written(tmp_path, place)


@pytest.mark.parametrize("database", ["duck", "postgres"])
def test_days_stay_days(tmp_path, request, database):
    found = read_arrow(query(tmp_path, request.getfixturevalue(database), "SELECT born FROM people"))
    assert found["born"].to_pylist()[0] == datetime.date(1961, 3, 4)


def test_duckdb_reaches_no_other_file(tmp_path, duck):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match="DuckDB refuses the query"):
        read_arrow(query(tmp_path, duck, f"SELECT * FROM '{tmp_path}/secret.csv'"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("SELECT 1", "the first line must say where the database is: -- from: survey.duckdb"),
        (
            "-- from: survey.db\nDROP TABLE people",
            "a query must be one SELECT; a database is never written to.",
        ),
        ("-- from: no.db\nSELECT 1", "no.db does not exist."),
        ("-- from: survey.db\nSELECT nothing FROM people", "SQLite refuses the query"),
        ("-- from: survey.db\nSELECT age, code AS age FROM people", "two columns have the same name"),
    ],
)
def test_refusals_are_one_sentence(tmp_path, sqlite, text, sentence):
    (tmp_path / "people.sql").write_text(text)
    with pytest.raises((DataError, FileError)) as refused:
        read_arrow(tmp_path / "people.sql")
    assert sentence in str(refused.value)
