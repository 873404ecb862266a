"""`sfumato graph extract`: the social graph of a folder of exported profiles."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sfumato.cli.graphs import ONE_FILE, directed_option
from sfumato.cli.options import file_path, json_option, quiet_option, seed_option
from sfumato.cli.outputs import check_output
from sfumato.cli.printing import print_json
from sfumato.cli.stopping import stop_if_asked
from sfumato.cli.watching import watching
from sfumato.core.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.graphs.profile_folder import ProfileFolder
    from sfumato.graphs.profiles import Profile


@click.command(short_help="Make a social graph from a folder of exported profiles.")
@click.argument("profiles", type=file_path)
@click.option(
    "-o",
    "--output",
    type=file_path,
    required=True,
    metavar="GRAPH",
    help=f"Where to write the graph: {', '.join(ONE_FILE)}.",
)
@click.option("--start", metavar="ID", help="Crawl from this user.  [default: take all profiles]")
@click.option(
    "--users", type=click.IntRange(min=1), metavar="INTEGER", help="At most so many users of a crawl."
)
@click.option(
    "--posts", type=click.IntRange(min=0), metavar="INTEGER", help="At most so many posts of each user."
)
@click.option(
    "--topics", "topics_path", type=file_path, metavar="FILE.toml", help="Words of topics of your own."
)
@click.option("--places", "places_path", type=file_path, metavar="FILE.csv", help="A gazetteer of your own.")
@directed_option
@seed_option
@json_option
@quiet_option
def command(
    profiles: Path,
    output: Path,
    start: str | None,
    users: int | None,
    posts: int | None,
    topics_path: Path | None,
    places_path: Path | None,
    directed: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a social graph from PROFILES, a folder of exported profiles, and write GRAPH.

    A profile is a JSON object with id, location, posts and follows: one per .json file, or one per line of a .jsonl
    file. The nodes get a location, found in a gazetteer, and the three main topics of the posts and of the
    documents they link to; edges lead to the users who are followed.
    """
    check_output(output, [topics_path, places_path], ONE_FILE)
    if users is not None and start is None:
        raise ParameterError("--users limits a crawl: name the user to start from with --start ID.")
    from sfumato.data.files.graph_files import write_graph
    from sfumato.data.places import Places
    from sfumato.graphs.extraction import extract
    from sfumato.graphs.gazetteer import Gazetteer
    from sfumato.graphs.profile_folder import ProfileFolder
    from sfumato.graphs.topics import TopicModel

    with watching(quiet=quiet):
        model = TopicModel.shipped() if topics_path is None else TopicModel.read(topics_path)
        places = Places.shipped() if places_path is None else Places.read(places_path)
        found = _chosen(ProfileFolder(profiles), start, users, posts, seed)
        graph = extract(found, topics=model, gazetteer=Gazetteer(places), directed=directed)
        stop_if_asked()
        write_graph(graph, output)
    if as_json:
        missing = {name: int(graph.nodes.missing(name).sum()) for name in graph.nodes.names}
        print_json({"nodes": graph.n, "edges": graph.m, "directed": directed, "missing": missing})
        return
    click.echo(f"{output}: {graph.n:,} users and {graph.m:,} edges.")


def _chosen(
    folder: "ProfileFolder", start: str | None, users: int | None, posts: int | None, seed: int
) -> "list[Profile]":
    from sfumato.graphs.profiles import crawl, shortened

    if start is None:
        return [shortened(profile, posts) for profile in folder.profiles.values()]
    return crawl(folder, start, users=users or len(folder.profiles), posts=posts, seed=seed)
