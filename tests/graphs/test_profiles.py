"""Crawling profiles, folders of them, and graphs made from them."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from generated_profiles import made_profiles, write_profiles
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError, ParameterError
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.extraction import extract
from sfumato.graphs.profile_folder import ProfileFolder
from sfumato.graphs.profiles import Post, Profile, crawl


class Listed:
    """A source that counts what it was asked for."""

    def __init__(self, follows: dict[str, tuple[str, ...]]) -> None:
        self.follows = follows
        self.asked: Counter[str] = Counter()

    def profile(self, id: str) -> Profile | None:
        self.asked[id] += 1
        if id not in self.follows:
            return None
        return Profile(id, posts=("one", "two", "three"), follows=self.follows[id])


IDS = st.sampled_from("abcdefgh")


@given(st.dictionaries(IDS, st.lists(IDS, max_size=5).map(tuple)), st.integers(1, 9), st.integers(0, 3))
def test_a_crawl_finds_reachable_users_once_each_and_as_many_as_it_may(
    follows: dict[str, tuple[str, ...]], users: int, seed: int
) -> None:
    follows = {**follows, "a": follows.get("a", ())}
    source = Listed(follows)
    found = [profile.id for profile in crawl(source, "a", users=users, seed=seed)]
    reachable, front = {"a"}, ["a"]
    while front:
        fresh = {id for id in follows[front.pop()] if id in follows} - reachable
        reachable |= fresh
        front.extend(fresh)
    assert found[0] == "a"
    assert len(found) == len(set(found)) == min(users, len(reachable))
    assert set(found) <= reachable
    assert max(source.asked.values()) == 1
    for position, id in enumerate(found[1:], start=1):  # somebody before follows them
        assert any(id in follows[earlier] for earlier in found[:position])


def test_the_next_user_is_drawn_at_random_from_all_who_wait() -> None:
    """After a and its only friend b, each of b's three friends comes next in a third of the crawls."""
    follows = {"a": ("b",), "b": ("c", "d", "e"), "c": (), "d": (), "e": ()}
    third = Counter(crawl(Listed(follows), "a", users=3, seed=seed)[2].id for seed in range(600))
    assert set(third) == {"c", "d", "e"}
    assert min(third.values()) > 150  # 200 expected; 150 is 4 standard deviations away


def test_a_seed_fixes_a_crawl_and_posts_are_cut() -> None:
    follows = {"a": tuple("bcdefgh"), **dict.fromkeys("bcdefgh", ())}
    one, two = (crawl(Listed(follows), "a", users=5, posts=2, seed=3) for _ in range(2))
    assert one == two
    assert {profile.posts for profile in one} == {("one", "two")}


def test_what_cannot_be_crawled_is_refused() -> None:
    with pytest.raises(DataError, match="no profile of the user to start from"):
        crawl(Listed({}), "a", users=3)
    with pytest.raises(ParameterError, match="users must be at least 1"):
        crawl(Listed({"a": ()}), "a", users=0)


def test_extraction_recovers_planted_topics_places_and_edges(tmp_path: Path) -> None:
    graph = profile_graph(300, seed=5, missing=0.1)
    write_profiles(made_profiles(graph, seed=1), tmp_path / "exported")
    found = extract(list(ProfileFolder(tmp_path / "exported").profiles.values()))
    assert found.edges.tolist() == graph.edges.tolist()
    for name in ("topic1", "topic2", "topic3"):
        planted, recovered = (
            [g.nodes.schema[name].categories[code] if code >= 0 else None for code in g.nodes[name]]
            for g in (graph, found)
        )
        assert np.mean([a == b for a, b in zip(planted, recovered, strict=True)]) > 0.98
    assert np.mean(found.nodes["location"] == graph.nodes["location"]) > 0.98


def test_extraction_of_directed_graphs_keeps_who_follows() -> None:
    graph = extract(
        [Profile("a", follows=("b",)), Profile("b"), Profile("c", follows=("a", "x"))], directed=True
    )
    assert graph.edges.tolist() == [[0, 1], [2, 0]]
    assert graph.nodes.schema["user"].categories == ("a", "b", "c")
    assert graph.nodes.missing("location").all()
    with pytest.raises(DataError, match="the same id"):
        extract([Profile("a"), Profile("a")])


def test_a_folder_takes_single_profiles_and_lines(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(
        '{"id": 1, "posts": ["x", {"text": "y", "documents": ["z"]}], "lang": "en"}'
    )
    (tmp_path / "2.jsonl").write_text('{"id": "2", "location": null, "follows": [1]}\n\n{"id": "3"}\n')
    (tmp_path / "notes.txt").write_text("nothing")
    found = ProfileFolder(tmp_path).profiles
    assert list(found) == ["1", "2", "3"]
    assert found["1"].posts == ("x", Post("y", ("z",)))
    assert found["2"] == Profile("2", follows=("1",))


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({}, "holds no profile"),
        ({"a.json": "{"}, "a.json: a profile is a JSON object with an id"),
        ({"a.json": '{"location": "x"}'}, "a profile is a JSON object with an id"),
        ({"a.jsonl": '{"id": "a"}\n{"id": "b", "posts": 3}'}, "line 2: a profile is a JSON object"),
        ({"a.json": '{"id": "a"}', "b.json": '{"id": "a"}'}, "b.json: a profile of the same id"),
    ],
)
def test_faults_of_a_folder_are_named(tmp_path: Path, files: dict[str, str], rule: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=rule):
        ProfileFolder(tmp_path).profiles  # noqa: B018
    with pytest.raises(FileError, match="is not a folder"):
        ProfileFolder(tmp_path / "none").profiles  # noqa: B018
