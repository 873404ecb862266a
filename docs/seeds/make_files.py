"""Makes the files that the commands of these pages read, all of them generated: `python docs/seeds/make_files.py FOLDER`."""

import json
import sys
from pathlib import Path

import sfumato
from sfumato import datasets
from sfumato.core import stream
from sfumato.datasets.census_pair import HARMONISATION, WORDS
from sfumato.graphs.attribute_protection import AttributeProtection

MASKINGS = {"firms": {"method": "mdav", "k": 3}, "people": {"method": "pram", "p": 0.7}}
POSTS = ("our team won the football league", "a new phone and a camera", "a song, a concert, good music")
PLACES = ("Barcelona", "Lyon", "Paris", "Girona, Spain")


def make_files(folder: Path) -> None:
    """Tables of firms and people with masked versions, a survey beside a census, and profiles with a graph of them."""
    folder.mkdir(parents=True, exist_ok=True)
    _make_tables(folder)
    _make_pair(folder)
    _make_graphs(folder)


def _make_tables(folder: Path) -> None:
    tables = {"firms": datasets.business_survey(60, seed=1), "people": datasets.household_survey(120, seed=1)}
    for name, table in tables.items():
        sfumato.write_table(table, folder / f"{name}.csv")
        sfumato.write_table(sfumato.mask(table, MASKINGS[name], seed=1), folder / f"{name}-masked.csv")
        (folder / f"{name}.toml").write_text(table.schema.to_toml(), encoding="utf-8")


def _make_pair(folder: Path) -> None:
    pair = datasets.census_pair(3000, areas=12, planted=2, seed=1)
    sfumato.write_table(pair.survey, folder / "survey.parquet")
    sfumato.write_table(pair.auxiliary, folder / "census.parquet")
    (folder / "words.toml").write_text(WORDS, encoding="utf-8")
    (folder / "harmonise.toml").write_text(HARMONISATION, encoding="utf-8")


def _make_graphs(folder: Path) -> None:
    graph = datasets.profile_graph(60, seed=1)
    sfumato.write_graph(graph, folder / "people.graphml")
    masked = AttributeProtection(k=3).apply(graph, stream(1, "protected"))
    sfumato.write_graph(masked, folder / "people-protected.graphml")
    (folder / "profiles").mkdir(exist_ok=True)
    (folder / "profiles" / "all.jsonl").write_text("\n".join(map(_profile, range(1, 13))), encoding="utf-8")


def _profile(number: int) -> str:
    follows = [f"u{number * step % 12 + 1}" for step in (1, 3, 5)]
    posts = [POSTS[(number + one) % len(POSTS)] for one in range(4)]
    profile = {"id": f"u{number}", "location": PLACES[number % len(PLACES)], "posts": posts}
    return json.dumps({**profile, "follows": follows})


if __name__ == "__main__":
    make_files(Path(sys.argv[1]))
