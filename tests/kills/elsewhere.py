"""Clusters of others, in processes of their own, which ask for certificates."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

SCHEDULER = """
import sys
from distributed import LocalCluster, Security
with LocalCluster(
    n_workers=1, threads_per_worker=2, processes=False, protocol="tls://", host="127.0.0.1",
    security=Security(require_encryption=True), dashboard_address="127.0.0.1:0", silence_logs=50,
) as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


def authority(folder: Path, name: str = "ours") -> dict[str, str]:
    """Certificates of a new authority in a folder, as Dask's configuration names them in the environment."""
    from distributed import Security

    made = Security.temporary()
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    certificate.write_text(made.tls_ca_file)
    key.write_text(made.tls_client_key)
    start = "DASK_DISTRIBUTED__COMM__TLS__"
    roles = ("CLIENT", "SCHEDULER", "WORKER")
    return {
        f"{start}CA_FILE": str(certificate),
        **{f"{start}{role}__CERT": str(certificate) for role in roles},
        **{f"{start}{role}__KEY": str(key) for role in roles},
    }


@contextmanager
def elsewhere(certificates: dict[str, str]):
    """A scheduler with a worker, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **certificates},
    )
    with process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()
