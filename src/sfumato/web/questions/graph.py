"""A social graph as it is: a picture of it, how many neighbours people have, and the columns of its nodes."""

from typing import Any

from sfumato.web.questions._graph_picture import GraphPicture, graph_picture
from sfumato.web.questions._graphs import held_graph, picture_key
from sfumato.web.questions.process.project_data import ProjectData


def graph(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """The picture, the degree distribution, and what can be protected."""
    found, how = held_graph(held, arguments), picture_key(arguments)
    picture: GraphPicture = held.keep(f"picture {how}", lambda: graph_picture(found))
    columns = [
        {
            "name": attribute.name,
            "scale": attribute.scale,
            "role": attribute.role,
            "hierarchy": attribute.hierarchy is not None,
        }
        for attribute in found.nodes.schema
    ]
    return {**picture.to_dict(), "columns": columns}
