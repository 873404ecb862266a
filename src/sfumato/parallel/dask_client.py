"""Clients of a Dask cluster: one of this machine, started for the purpose, or one that others started."""

import asyncio
import gc
import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from sfumato.core import MissingExtraError, ParameterError, SfumatoError
from sfumato.core.temporaries import temporary_folder
from sfumato.parallel.certificates import ENCRYPTED, LOCAL, configured_certificates, fresh_certificates
from sfumato.parallel.semaphores import semaphores_of
from sfumato.parallel.threads import VARIABLE
from sfumato.parallel.worker_data import version
from sfumato.parallel.workers import ATTEMPTS, deaf_to_interrupts
from sfumato.version import __version__

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

SEND_EVERY = 0.001  # seconds
SECONDS = 5  # to wait for an answer
SETTINGS = {  # of the workers of a cluster of our own
    "distributed.worker.profile.enabled": False,  # which looks at what they do a hundred times a second
    # pages about its state, which anybody on this machine could read
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # the default gives memory back after every small array, and takes a fifth of the time
    "distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 2**27, "OMP_NUM_THREADS": 1},
}
# Dask gives up a worker that was lost so long ago and is not there now, even where it is just being replaced again
PATIENCE = {"distributed.deploy.lost-worker-timeout": "365 days"}
DEATHS = "Workers of the cluster died again and again; try fewer workers, or machines with more memory."


def dask() -> Any:
    """The optional package behind clusters, or a sentence that says how to install it."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("A cluster", "cluster") from None
    return distributed


def started(workers: int, cleanup: ExitStack) -> "Client":
    """A client of a new cluster, which ends with the cleanup.

    It listens to this machine only, and of those on it only to whom can read its certificates.
    """
    distributed = dask()  # before its settings are changed: it brings their defaults
    from dask import config

    folder = cleanup.enter_context(temporary_folder())
    cleanup.enter_context(semaphores_of(folder))
    security = fresh_certificates(folder)
    cleanup.enter_context(config.set(PATIENCE))  # which is looked at when a worker is lost

    settings = {**SETTINGS, "temporary-directory": str(folder)}
    with deaf_to_interrupts(), config.set(settings):  # also for workers that replace others later
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            security=security,
            memory_limit=0,  # Dask would pause and kill workers, and write what they hold to the disk
            local_directory=str(folder),
            silence_logs=logging.CRITICAL,
            env={VARIABLE: "1"},
            scheduler_kwargs={
                "allowed_failures": ATTEMPTS - 1,
                "dashboard": False,
                "dashboard_address": "127.0.0.1:0",  # where there is nothing to see; else it would take port 8787
            },
        )
    cleanup.callback(_close, cluster)
    cleanup.callback(cluster.sync, _dismiss, cluster)
    return cleanup.enter_context(distributed.Client(cluster, set_as_default=False))


def _close(cluster: "LocalCluster") -> None:
    """Close a cluster, also one that lost a worker which Dask had not yet written down: its list then has no such name."""
    with suppress(KeyError):
        cluster.close()


async def _dismiss(cluster: "LocalCluster") -> None:
    """Stop the workers within a second, even those in the midst of a job."""
    await asyncio.gather(*(nanny.close(timeout=1) for nanny in cluster.workers.values()))


def connected(address: str, cleanup: ExitStack) -> "Client":
    """A client of the cluster of a scheduler, which goes on after the cleanup."""
    client = _client(address)
    if client is None:
        gc.collect()  # Dask hangs if it has to clear up a client that never was while it makes the next one
        known = " that knows our certificates" if address.startswith(ENCRYPTED) else ""
        raise ParameterError(
            f"cluster must be {LOCAL} or the address of a Dask scheduler, such as {ENCRYPTED}host:8786. "
            f"Got {address}, where none answers{known}."
        )
    cleanup.enter_context(_silence())
    cleanup.enter_context(client)
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except OSError:
        raise SfumatoError(f"The cluster at {address} has no workers; start some.") from None
    return client


def _client(address: str) -> "Client | None":
    client = dask().Client
    security = configured_certificates(address)
    try:
        return client(address, timeout=SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError):
        return None


@contextmanager
def _silence() -> Iterator[None]:
    """Keep to ourselves what Dask writes when a scheduler goes away: one sentence says it."""
    levels = {handler: handler.level for handler in logging.getLogger("distributed").handlers}
    for handler in levels:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in levels.items():
            handler.setLevel(level)


def quicken(client: "Client") -> None:
    """Send batches at once: Dask would hold each back until 10 ms after the one before."""
    with suppress(AttributeError):  # other versions may keep the interval elsewhere
        client.scheduler_comm.interval = SEND_EVERY


@contextmanager
def cluster_errors(address: str) -> Iterator[None]:
    """Say in one sentence what goes wrong between here and the workers."""
    try:
        yield
    except dask().KilledWorker:
        raise SfumatoError(DEATHS) from None
    except (OSError, dask().CancelledError):
        raise SfumatoError(f"The cluster at {address} went away; start it and try again.") from None


def threads_of(client: "Client") -> dict[str, int]:
    """How many threads each worker has, by the address of the worker."""
    if client.status != "running":  # it would wait for half a minute
        raise ConnectionError("the connection to the scheduler is lost")
    return dict(client.nthreads())


def check_version(client: "Client", worker: str) -> None:
    """Raise if a worker does not have this version of the package, with which alone results are the same."""
    try:
        other = client.run(version, workers=[worker])[worker]
    except (KeyError, OSError):
        raise
    except Exception:  # Dask has no type for what a worker cannot unpickle
        other = "none"
    if other != __version__:
        raise SfumatoError(
            f"The worker at {worker} must have sfumato {__version__}. Got {other}; install it there."
        )
