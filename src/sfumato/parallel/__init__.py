"""Where jobs run: here, on the cores of this machine, or on a cluster. Knows no statistics."""

from typing import TYPE_CHECKING, TypeVar

from sfumato.parallel.workers import Workers, available_cores

if TYPE_CHECKING:
    from sfumato.parallel.cluster import Cluster

__all__ = ["Workers", "available_cores", "crew"]

Shared = TypeVar("Shared")


def crew(shared: Shared, *, workers: int = 1, cluster: str = "") -> "Workers[Shared] | Cluster[Shared]":
    """Whoever runs the jobs: so many processes of this machine, or those of a Dask cluster where one is named.

    A cluster is "local", which starts one of so many workers, or the address of a scheduler.

    >>> with crew(2, workers=1) as workers:
    ...     list(workers.run(pow, [1, 2, 3]))
    [(0, 2), (1, 4), (2, 8)]
    """
    if not cluster:
        return Workers(shared, workers)
    from sfumato.parallel.cluster import Cluster

    return Cluster(shared, cluster, workers)
