"""A social graph as it is: a picture of it, how many neighbours people have, and the columns of its nodes."""

from typing import Any

from sfumato.web.questions._graph_picture import held_graph, held_picture
from sfumato.web.questions.process.project_data import ProjectData


def graph(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    columns = [
        {
            "name": attribute.name,
            "scale": attribute.scale,
            "role": attribute.role,
            "hierarchy": attribute.hierarchy is not None,
        }
        for attribute in held_graph(held, arguments).nodes.schema
    ]
    return {**held_picture(held, arguments).to_dict(), "columns": columns}
