"""Make a social graph from a folder of exported profiles."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import ParameterError, param
from sfumato.data.graph import Graph
from sfumato.data.places import Places
from sfumato.graphs.extraction import extract
from sfumato.graphs.gazetteer import Gazetteer
from sfumato.graphs.profile_folder import ProfileFolder
from sfumato.graphs.profiles import Profile, crawl, shortened
from sfumato.graphs.topics import TopicModel
from sfumato.jobs._contents import Content
from sfumato.jobs._job import Outcome
from sfumato.jobs._paths import output_file
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._work import Work
from sfumato.jobs.graph._graph_file import ONE_FILE, Directed


class GraphExtract(Directed, Seeded):
    """Make a social graph from PROFILES, a folder of exported profiles, and write GRAPH.

    A profile is a JSON object with id, location, posts and follows: one per .json file, or one per line of a .jsonl
    file. The nodes get a location, found in a gazetteer, and the three main topics of the posts and of the
    documents they link to; edges lead to the users who are followed.

    >>> GraphExtract(profiles="exported", output="people.graphml", start="ann", users=100).spec()
    {'job': 'graph extract', 'profiles': 'exported', 'output': 'people.graphml', 'start': 'ann', 'users': 100}

    >>> import tempfile
    >>> import pandas as pd
    >>> import sfumato
    >>> users = {"id": ["ann", "bea"], "location": ["Soria", "Soria"], "posts": [["rain"], []], "follows": [["bea"], []]}
    >>> folder = Path(tempfile.mkdtemp())
    >>> pd.DataFrame(users).to_json(folder / "users.jsonl", orient="records", lines=True)
    >>> sfumato.extract_graph(folder).graph.m
    1
    """

    data: ClassVar[tuple[str, ...]] = ("profiles",)
    profiles: Path | None = param(default=None, help="the folder of profiles", argument=True, needed=True)
    output: Path | None = output_file(
        f"where to write the graph: {', '.join(ONE_FILE)}", ONE_FILE, word="GRAPH"
    )
    start: str | None = param(default=None, word="ID", help="crawl from this user", usual="take all profiles")
    users: int | None = param(default=None, low=1, help="at most so many users of a crawl")
    posts: int | None = param(default=None, low=0, help="at most so many posts of each user")
    topics: Path | None = param(default=None, word="FILE.toml", help="words of topics of your own")
    places: Path | None = param(default=None, word="FILE.csv", help="a gazetteer of your own")

    def check(self) -> None:
        if self.users is not None and self.start is None:
            raise ParameterError("--users limits a crawl: name the user to start from with --start ID.")

    def read(self, work: Work, **given: Any) -> tuple[ProfileFolder]:
        return (ProfileFolder(given.get("profiles") or self.profiles or ""),)

    def run(self, folder: ProfileFolder, *, work: Work) -> "ExtractedGraph":
        topics = TopicModel.shipped() if self.topics is None else TopicModel.read(self.topics)
        places = Places.shipped() if self.places is None else Places.read(self.places)
        graph = extract(
            self._chosen(folder), topics=topics, gazetteer=Gazetteer(places), directed=self.directed
        )
        missing = {name: int(graph.nodes.missing(name).sum()) for name in graph.nodes.names}
        return ExtractedGraph(
            job=self, nodes=graph.n, edges=graph.m, directed=self.directed, missing=missing, graph=graph
        )

    def _chosen(self, folder: ProfileFolder) -> list[Profile]:
        if self.start is None:
            return [shortened(profile, self.posts) for profile in folder.profiles.values()]
        users = self.users or len(folder.profiles)
        return crawl(folder, self.start, users=users, posts=self.posts, seed=self.seed)


class ExtractedGraph(Outcome):
    """A graph made from profiles, and how many values its nodes lack, by column."""

    nodes: int
    edges: int
    directed: bool
    missing: dict[str, int]
    graph: Graph = field(repr=False)

    def contents(self) -> Mapping[str, Content]:
        return {"output": self.graph}

    def told(self) -> Iterator[str]:
        where = self.job.output if isinstance(self.job, GraphExtract) else "The graph"
        yield f"{where}: {self.nodes:,} users and {self.edges:,} edges."
