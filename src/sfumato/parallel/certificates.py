"""Certificates: who may talk to a Dask cluster, and whom we talk to; all that passes is encrypted."""

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.core import MissingExtraError, ParameterError
from sfumato.core.private import private_file

if TYPE_CHECKING:
    from distributed import Security

LOCAL, ENCRYPTED = "local", "tls://"


def check_address(address: str, *, open_cluster: bool) -> None:
    """Refuse a cluster whose connections anybody could listen to, and use, unless its network is said to be trusted.

    >>> check_address("tls://host:8786", open_cluster=False)
    >>> check_address("tcp://host:8786", open_cluster=False)
    Traceback (most recent call last):
    sfumato.core.errors.ParameterError: cluster tcp://host:8786 is not encrypted: whoever reaches it can read the \
data and run programs on its machines and this one; give tls://host:8786, or say --open-cluster if all who can are \
trusted.
    """
    if open_cluster or address in ("", LOCAL) or address.startswith(ENCRYPTED):
        return
    raise ParameterError(
        f"cluster {address} is not encrypted: whoever reaches it can read the data and run programs on its machines "
        f"and this one; give {ENCRYPTED}{address.rpartition('://')[2]}, or say --open-cluster if all who can are trusted."
    )


def fresh_certificates(folder: Path) -> "Security":
    """Certificates for one cluster, in a private folder: whoever cannot read it is refused."""
    from distributed import Security

    try:
        made = Security.temporary()
    except ImportError:
        raise MissingExtraError("A cluster", "cluster") from None
    certificate, key = private_file(folder / "certificate.pem"), private_file(folder / "key.pem")
    certificate.write_text(made.tls_ca_file, encoding="ascii")
    key.write_text(made.tls_client_key, encoding="ascii")
    of_roles = {
        f"tls_{role}_{part}": str(path)
        for role in ("client", "scheduler", "worker")
        for part, path in (("cert", certificate), ("key", key))
    }
    # as files, since Dask would write those it holds in memory to a folder that a kill leaves behind
    return Security(require_encryption=True, tls_ca_file=str(certificate), **of_roles)


def configured_certificates(address: str) -> "Security | None":
    """The certificates that Dask's own configuration names for a cluster of others; none where it is not encrypted."""
    if not address.startswith(ENCRYPTED):
        return None
    from distributed import Security

    found = Security(require_encryption=True)
    if not (found.tls_ca_file and found.tls_client_cert):
        raise ParameterError(
            f"cluster {address} needs certificates: name their files in Dask's configuration, under "
            "distributed.comm.tls, as ca-file, client.cert and client.key."
        )
    return found
