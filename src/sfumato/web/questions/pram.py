"""PRAM matrices that were evolved: what each category becomes, and what whoever knows that guesses."""

from typing import Any

from sfumato.web.questions._runs import course, study_and_record
from sfumato.web.questions.process.project_data import ProjectData

DIGITS = 4
SCORES = ("loss", "risk", "score", "guessed")


def pram(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    study, record = study_and_record(held, arguments, "evolve-pram", "evolve-equation")
    told = _equation(record) if study.command == "evolve-equation" else _matrices(record)
    return {
        "command": study.command,
        **told,
        "history": course(told["history"]),
        "seconds": record["seconds"],
    }


def _matrices(record: dict[str, Any]) -> dict[str, Any]:
    sets = {"at the start": record["before"], "evolved": record["after"], "direct search": record["direct"]}
    after = record["after"]
    return {
        "formula": "",
        "generations": record["run"]["history"][-1]["generation"],
        "ended": record["run"]["ended"],
        "scores": [{"name": name, **_scores(found)} for name, found in sets.items() if found],
        "guessed": after["guessed"],
        "attributes": [
            {
                "name": name,
                "warning": _renaming(name) if name in record["renamed"] else "",
                "guess": after["guesses"][name],
                "before": _rounded(record["before"]["matrices"][name]),
                **_matrix(record["categories"][name], after["matrices"][name]),
            }
            for name in record["attributes"]
        ],
        "history": record["run"]["history"],
    }


def _equation(record: dict[str, Any]) -> dict[str, Any]:
    usual = [
        {"name": f"{one['matrix']} matrix, {one.get('parameter', 'p')} = {one['p']:g}", **_scores(one)}
        for one in record["baselines"]
    ]
    return {
        "formula": record["equation"],
        "generations": record["generations"],
        "ended": record["ended"],
        "scores": [{"name": "this equation", **_scores(record)}, *usual],
        "guessed": record["guessed"],
        "attributes": [
            {
                "name": name,
                "warning": _warning(name, record["warnings"]),
                "guess": record["guesses"][name],
                "before": None,
                **_matrix(held["categories"], held["rows"]),
            }
            for name, held in record["matrices"].items()
        ],
        "history": record["history"],
    }


def _scores(found: dict[str, Any]) -> dict[str, float]:
    return {name: found[name] for name in SCORES}


def _matrix(categories: list[str], rows: list[list[float]]) -> dict[str, Any]:
    matrix = _rounded(rows)
    return {"categories": categories, "matrix": matrix, "diagonal": [row[k] for k, row in enumerate(matrix)]}


def _rounded(rows: list[list[float]]) -> list[list[float]]:
    return [[round(value, DIGITS) for value in row] for row in rows]


def _renaming(name: str) -> str:
    return (
        f"The matrix of {name} mostly renames categories, which the measures take for protection: "
        "hold the diagonal to bounds if the release must stand against somebody who knows that."
    )


def _warning(name: str, warnings: list[str]) -> str:
    found = next((warning for warning in warnings if f" of {name} right" in warning), "")
    return found[:1].upper() + found[1:]
