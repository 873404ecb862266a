"""What a search may cost and where it runs: the same for every search."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sfumato.core import Seed
from sfumato.parallel import Workers
from sfumato.parallel import crew as crew_of
from sfumato.search.stop import Stop

if TYPE_CHECKING:
    from sfumato.parallel.cluster import Cluster

Shared = TypeVar("Shared")


@dataclass(frozen=True, kw_only=True)
class Effort:
    """When a search stops, the seed of all that it draws, who judges, and the folder in which it is kept.

    The outcome depends on the seed and, but for rules about time, on when it stops; never on who judges: so
    many `workers` of this machine, or those of a `cluster`, "local" or the address of a Dask scheduler. A
    search that was cut off goes on if its `folder` is there.
    """

    stop: Stop
    seed: Seed = 0
    workers: int = 1
    cluster: str = ""
    folder: Path | None = None

    def crew(self, shared: Shared, *, most: int | None = None) -> "Workers[Shared] | Cluster[Shared]":
        """Whoever judges, to be used in a `with` block; no more workers than `most`."""
        workers = self.workers if most is None else min(self.workers, most)
        return crew_of(shared, workers=workers, cluster=self.cluster)

    def alone(self) -> "Effort":
        """For a search that is one of many jobs of a crew, and has none of its own."""
        return dataclasses.replace(self, workers=1, cluster="")

    def part(self, name: str, *, stop: Stop | None = None) -> "Effort":
        """For a search that is part of a larger one: kept in a folder within its own."""
        folder = None if self.folder is None else self.folder / name
        return dataclasses.replace(self, folder=folder, stop=stop or self.stop)
