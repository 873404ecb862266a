"""What a release comes to: what goes out, what stays with the owner, and whether it may be published."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sfumato.core import Key, Promise, Seed, marked
from sfumato.data import Schema, Table
from sfumato.data.block_order import reordered
from sfumato.data.blocks import Blocks
from sfumato.data.codebook import Codebook, Originals
from sfumato.data.pseudonyms import renumbered, renumbered_blocks
from sfumato.data.workplace import Workplace
from sfumato.jobs._contents import About, Columns, Content, Repetition
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._judging import Judging
from sfumato.jobs._order import Order
from sfumato.jobs._public_facts import Applied, PublicFacts, pair
from sfumato.jobs._randomness import Keyed
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._shown import in_library
from sfumato.jobs._treatment import Treatments
from sfumato.masking import Masking

GOES_OUT = {
    "output": "what is released",
    "schema": "its codebook: what is in it, and nothing else",
    "about": "the page for its users",
}
STAYS = {
    "report": "the report: open it next",
    "board": "one page for those who decide, with lines to sign",
    "record": "all that is needed to audit the release",
    "study": "does it again, exactly: sfumato run",
    "secret": "the key of all random choices: whoever has it can undo the release",
    "order": "which original record each released one is; evaluate and attack find it here",
    "full_schema": "the columns of the release, with all that is known of them",
    "map": "the candidates by loss and risk",
    "swaps": "the swaps: whoever has them can undo the release",
}
OUTSIDE_THE_PROMISE = (
    "The verdict, the report and the record compare the file with the original: they are outside the promise, and stay "
    "with you.",
    "To do it again under another key spends as much once more: publish one file, and keep its key.",
)
NO_PROMISE = (
    "Nothing is promised: the file was made with a seed, and whoever knows the program can draw the same noise. A formal "
    "promise needs a secret key; leave the seed out."
)


class Envelopes(Outcome):
    """An outcome of which some files go out, while the others stay with the owner."""

    order: Order | None = field(default=None, repr=False)

    @property
    def randomness(self) -> Seed:
        assert isinstance(self.job, Keyed)  # whoever releases does it under a key, or a seed
        return self.job.randomness

    @property
    def ready(self) -> bool:
        """Whether it may be published: not if anybody can draw the same random numbers, or nobody judged it."""
        return not self.unready_because

    @property
    def unready_because(self) -> str:
        job = self.job
        if not isinstance(job, Releasing) or job.seed is None:
            return job.unjudged_because if isinstance(job, Judging) else ""
        return (
            f"It was made with --seed {job.seed}, for a study: whoever knows the program can draw the same random "
            "numbers and undo it. Leave the seed out for what is published."
        )

    @property
    def promise(self) -> Promise | None:
        """What is formally promised of what goes out, if anything."""
        return None

    @property
    def promise_holds(self) -> bool:
        """Whether it is kept: not if anybody can draw the same noise."""
        return self.promise is not None and isinstance(self.randomness, Key)

    def promise_told(self) -> tuple[str, ...]:
        """The promise as its owner is told of it, who also has what it is not about; nothing where there is none."""
        if self.promise is None:
            return ()
        if not self.promise_holds:
            return (NO_PROMISE,)
        return (*self.promise.sentences(), *OUTSIDE_THE_PROMISE)

    def promise_record(self) -> dict[str, Any]:
        """The same for a record, which has no such entry where nothing was to be promised."""
        if self.promise is None:
            return {}
        parts = self.promise._asdict() if self.promise_holds else {}
        return {"promise": {"holds": self.promise_holds, **parts, "sentences": list(self.promise_told())}}

    @property
    def maskings(self) -> tuple[Masking, ...]:
        """The methods that made the file, one by one."""
        return ()

    def prices_told(self) -> tuple[str, ...]:
        """What was given away for what was asked for; nothing where nothing was."""
        return tuple(dict.fromkeys(one.price for one in self.maskings if one.price))

    def prices_record(self) -> dict[str, Any]:
        """The same for a record, which has no such entry where there is no price."""
        return {"prices": list(self.prices_told())} if self.prices_told() else {}

    def public_facts(self) -> PublicFacts:
        """What the users of the release may be told."""
        raise NotImplementedError(f"{type(self).__name__} has no page for users")

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


class Published(NamedTuple):
    """A table as it goes out, and the schema by which its owner reads it."""

    table: Table
    full: Schema


def published(
    original: Table | None, aligned: Table, rows: np.ndarray, treated: Treatments, seed: Seed
) -> Published:
    """A protected table as it goes out, in this order: links are new numbers, and nothing is told that is not in it.

    Without the original the codebook is made of the release and its declared columns alone, as a formal promise wants it.
    """
    linked = renumbered(aligned, treated.renumbered, seed)
    book = Codebook.of(linked, Originals.unread() if original is None else Originals.of(original, aligned))
    return Published(book.applied(linked.take(rows)), book.full)


def published_blocks(
    original: Blocks, masked: Blocks, rows: np.ndarray, treated: Treatments, seed: Seed, place: Workplace
) -> tuple[Columns, Schema]:
    """The same for a table that stays on disk: what goes out, and the schema by which its owner reads it."""
    linked, names = masked, treated.released
    if treated.renumbered:
        folder = place.folder / f"{masked.folder.name}-linked-{marked(seed)}"
        linked = renumbered_blocks(masked, folder, treated.renumbered, seed)
    book = Codebook.of(linked, Originals.of(original, masked)).select(names)
    found = reordered(linked, rows, place.folder, place.crew, shown=book.applied)
    if linked is not masked:
        linked.remove()  # no longer needed, and as large as the file
    return Columns(found, names), book.full


class Released(Envelopes):
    """A protected file. `aligned` is it beside the original, record by record; `release` is what goes out."""

    original: Table = field(repr=False)
    aligned: Table = field(repr=False)
    treated: Treatments = field(repr=False)

    @cached_property
    def published(self) -> Published:
        return published(self.comparable, self.aligned, self.rows, self.treated, self.randomness)

    @property
    def comparable(self) -> Table | None:
        """The original, where what goes out may hang on it by more than the records; not under a formal promise."""
        return self.original if self.promise is None else None

    @property
    def rows(self) -> np.ndarray:
        """The rows of `aligned` as they are released."""
        return np.arange(self.aligned.n) if self.order is None else self.order.rows

    @property
    def release(self) -> Table:
        """What goes out: the records in a random order, under the codebook of what is among them."""
        return self.published.table

    def applied(self) -> tuple[Applied, ...]:
        """What was done to which columns, as users are told of it."""
        raise NotImplementedError(f"{type(self).__name__} does not say what was done")

    def public_facts(self) -> PublicFacts:
        release = self.release
        return PublicFacts(
            schema=release.schema,
            records=release.n,
            applied=self.applied(),
            treated=self.treated,
            shuffled=self.order is not None,
            pair=None if self.comparable is None else pair(self.comparable, self.aligned),
            promise=self.promise if self.promise_holds else None,
        )

    @property
    def frame(self) -> Any:
        """The released records as a frame of the library that the data came in; else a pyarrow table."""
        return in_library(self.release.to_arrow(), self.library)

    def file_contents(self) -> dict[str, Content]:
        """The released file, its codebook, the page for its users, and what the owner keeps of it."""
        release, full = self.published
        return {
            "output": release,
            "schema": release.schema.to_toml(),
            "about": About(self),
            **self.kept(full),
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
