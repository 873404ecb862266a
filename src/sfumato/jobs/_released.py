"""What a release comes to: what goes out, what stays with the owner, and whether it may be published."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.data import Schema, Table
from sfumato.jobs._contents import Content, Repetition
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._order import Order
from sfumato.jobs._releasing import Releasing

GOES_OUT = {
    "output": "what is released",
    "schema": "its codebook: what is in it, and nothing else",
    "about": "the page for its users",
}
STAYS = {
    "report": "the report: open it next",
    "record": "all that is needed to audit the release",
    "study": "does it again, exactly: sfumato run",
    "secret": "the key of all random choices: whoever has it can undo the release",
    "order": "which original record each released one is; evaluate and attack find it here",
    "full_schema": "the columns of the release, with all that is known of them",
    "map": "the candidates by loss and risk",
    "swaps": "the swaps: whoever has them can undo the release",
}


class Envelopes(Outcome):
    """An outcome of which some files go out, while the others stay with the owner."""

    order: Order | None = field(default=None, repr=False)

    @property
    def ready(self) -> bool:
        """Whether it may be published: not if anybody can draw the same random numbers."""
        return not self.unready_because

    @property
    def unready_because(self) -> str:
        job = self.job
        if not isinstance(job, Releasing) or job.seed is None:
            return ""
        return (
            f"It was made with --seed {job.seed}, for a study: whoever knows the program can draw the same random "
            "numbers and undo it. Leave the seed out for what is published."
        )

    def kept(self, schema: Schema) -> dict[str, Content]:
        """What every release leaves with its owner, whatever it is of; `schema` is that of its columns, in full."""
        job = self.job
        found = {
            "order": self.order,
            "full_schema": schema.to_toml(),
            "secret": job.secret if isinstance(job, Releasing) else None,
            "study": Repetition(self) if _comes_from_files(job) else None,
        }
        return {name: content for name, content in found.items() if content is not None}

    def files_told(self, heading: str) -> Iterator[str | Listing]:
        """Which files go out and which stay, what each is, and whether the release may be published."""
        if isinstance(self.job, Releasing) and self.job.output is not None:
            yield heading
            yield from _lines("Goes out:", GOES_OUT, self._written())
            yield from _lines(f"Stays with you, in {self.job.private_folder}:", STAYS, self._written())
        if self.unready_because:
            yield f"NOT READY FOR PUBLICATION. {self.unready_because}"

    def readiness(self) -> dict[str, Any]:
        """The same for a record."""
        return {"ready": self.ready, **({"because": self.unready_because} if not self.ready else {})}

    def _written(self) -> Mapping[str, Path]:
        contents = self.contents()
        assert self.job is not None
        return {name: path for name, path in self.job.targets().items() if name in contents}


class Released(Envelopes):
    """A protected file. `aligned` is it beside the original, record by record; `release` is what goes out."""

    original: Table = field(repr=False)
    aligned: Table = field(repr=False)

    @cached_property
    def release(self) -> Table:
        """The records in the order they are released in, under the codebook of what is among them."""
        return self.aligned if self.order is None else self.aligned.take(self.order.rows)

    def file_contents(self) -> dict[str, Content]:
        """The released file, its codebook, and what the owner keeps of it."""
        return {
            "output": self.release,
            "schema": self.release.schema.to_toml(),
            **self.kept(self.aligned.schema),
        }


def _lines(heading: str, about: Mapping[str, str], paths: Mapping[str, Path]) -> Iterator[str]:
    known = {name: paths[name] for name in about if name in paths}
    width = max((len(path.name) for path in known.values()), default=0)
    if known:
        yield f"  {heading}"
    for name, path in known.items():
        yield f"    {path.name:<{width}}  {about[name]}"


def _comes_from_files(job: Any) -> bool:
    """Whether a study can say what a job was done on."""
    return job is not None and all(getattr(job, name) is not None for name in job.data)
