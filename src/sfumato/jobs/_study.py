"""Study files: a job as TOML, so that it can be repeated anywhere. Paths are relative to the folder of the file."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.core import FileError, Method, SfumatoError, registry
from sfumato.core.errors import suggestion
from sfumato.core.parameters import Parameter
from sfumato.core.streams import KEY_FILE
from sfumato.data.study_file import Study
from sfumato.jobs._job import Job

WORDED = {"groups": "group_{}", "graph": "{}_graph"}  # how the functions of jobs in a folder are called


def study_of(job: Job, *, folder: Path) -> Study:
    """The study that repeats a job, with paths relative to a folder; where it ran is no part of it."""
    known = type(job).options(job.settings())
    settings = {}
    for key, value in job.settings().items():
        parameter = known.get(key)
        if parameter is None or not parameter.where:
            settings[key] = _relative(parameter, value, folder)
    return Study(command=command_name(job.name), settings=settings)


def repetition_of(job: Job, *, folder: Path) -> Study:
    """The study that gives the same again, beside the key of the job if it has one."""
    if getattr(job, "secret", None) is None:
        return study_of(job, folder=folder)
    study = study_of(job.with_(secret=None), folder=folder)
    return replace(study, settings={**study.settings, "secret": KEY_FILE})


def job_of(
    study: Study,
    *,
    source: str,
    folder: Path,
    replaced: Mapping[str, Any] | None = None,
    complete: bool = True,
) -> Job:
    """The job that a study describes; its paths start in the folder, and errors name the source.

    What is replaced was said elsewhere, so that its paths are left as they are. A job that is not done yet need not be
    `complete`.
    """
    job = job_class(study.command, source)
    settings = {
        key: list(value) if isinstance(value, tuple) else value for key, value in study.settings.items()
    }
    try:
        known = job.options({**settings, **(replaced or {})})
        if complete:
            _check_needed(known, [*settings, *(replaced or {})])
        placed = {key: _placed(_known(known, key), value, folder) for key, value in settings.items()}
        told = {key: known[key].read(job.name, value) for key, value in (replaced or {}).items()}
        made = job.from_settings({**placed, **told})
    except SfumatoError as error:
        raise FileError(f"{source}: {error}") from None
    return made


def command_name(job_name: str) -> str:
    """The words of the command that does a job.

    >>> command_name("group_attributes"), command_name("groups protect")
    ('group-attributes', 'groups protect')
    """
    return job_name.replace("_", "-")


def function_name(job_name: str) -> str:
    """What the function of Python is called that does a job.

    >>> function_name("protect"), function_name("groups attack"), function_name("graph protect")
    ('protect', 'group_attack', 'protect_graph')
    """
    folder, _, verb = job_name.rpartition(" ")
    return WORDED.get(folder, f"{folder}_{{}}" if folder else "{}").format(verb)


def job_class(command: str, source: str) -> type[Job]:
    """The job that a command does; where there is none, the source is named."""
    name = command.replace("-", "_")
    known = registry.names("jobs")
    if name not in known:
        hint = suggestion(command, map(command_name, known))
        raise FileError(f"{source}: unknown command {command!r}.{hint}")
    made: type[Job] = registry.load("jobs", name)
    return made


def _check_needed(known: Mapping[str, Parameter], given: Iterable[str]) -> None:
    spelled = {key.replace("-", "_") for key in given}
    for parameter in known.values():
        if parameter.needed and not spelled & {parameter.name, parameter.key.replace("-", "_")}:
            raise FileError(f"{parameter.key} is missing.")


def _known(options: Mapping[str, Parameter], key: str) -> Parameter | None:
    return options.get(key) or options.get(key.replace("_", "-"))


def _placed(parameter: Parameter | None, value: Any, folder: Path) -> Any:
    """A value as it holds here: a path starts in the folder."""
    if parameter is not None and parameter.is_path and isinstance(value, list):
        return [_placed(parameter, one, folder) for one in value]
    if parameter is None or not isinstance(value, str):
        return value
    if parameter.is_path or (_may_be_file(parameter) and (folder / value).is_file()):
        return str(folder / value)
    return value


def _relative(parameter: Parameter | None, value: Any, folder: Path) -> Any:
    if parameter is not None and parameter.is_path and isinstance(value, list):
        return [_relative(parameter, one, folder) for one in value]
    if parameter is None or not isinstance(value, str) or Path(value).is_absolute():
        return tuple(value) if isinstance(value, list) else value
    if parameter.is_path or (_may_be_file(parameter) and Path(value).is_file()):
        return Path(os.path.relpath(value, folder)).as_posix()
    return value


def _may_be_file(parameter: Parameter) -> bool:
    return parameter.file and not (isinstance(parameter.type, type) and issubclass(parameter.type, Method))
