"""Who may talk to a cluster: strangers are refused, ours and others' with certificates work, open ones need a word."""

import asyncio
import stat
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest

from kills.elsewhere import authority, elsewhere
from sfumato.core import ParameterError
from sfumato.jobs._work import Work
from sfumato.parallel import certificates, dask_client
from sfumato.parallel.certificates import check_address
from sfumato.parallel.cluster import Cluster

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    with Cluster(np.arange(10), workers=1) as started:
        yield started


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return authority(tmp_path_factory.mktemp("certificates"))


def configured(environment):
    """Let Dask have the settings of an environment inside a block."""
    from dask import config

    names = {name: name.removeprefix("DASK_").lower().replace("__", ".") for name in environment}
    return config.set({names[name]: value for name, value in environment.items()})


def total(shared, factor):
    return int(shared.sum()) * factor


def strangers(address, folder):
    """What somebody has who may run programs on this machine, but cannot read what is private."""
    other = authority(folder, "stranger")
    start = "DASK_DISTRIBUTED__COMM__TLS__"
    files = {
        "tls_ca_file": other[f"{start}CA_FILE"],
        "tls_client_cert": other[f"{start}CLIENT__CERT"],
        "tls_client_key": other[f"{start}CLIENT__KEY"],
    }
    yield address.replace("tls://", "tcp://"), distributed.Security()
    yield address, distributed.Security(require_encryption=True, **files)


def asked_who_it_is(address, security):
    """What a scheduler or a worker answers as any client begins to talk; aside, since a browser test may have a loop here."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, _asked_who_it_is(address, security)).result()


async def _asked_who_it_is(address, security):
    connection = await distributed.comm.connect(address, timeout=5, **security.get_connection_args("client"))
    try:
        await connection.write({"op": "identity", "reply": True})
        return await connection.read()
    finally:
        connection.abort()


def test_strangers_are_refused_by_scheduler_and_workers(cluster, tmp_path):
    local = cluster._client.cluster
    for listening in (local.scheduler_address, *(nanny.worker_address for nanny in local.workers.values())):
        for address, security in strangers(listening, tmp_path):
            with pytest.raises(OSError):
                asked_who_it_is(address, security)
        answer = asked_who_it_is(listening, cluster._client.security)
        assert answer["type"] in ("Scheduler", "Worker")
    assert dict(cluster.run(total, [1, 2, 3])) == {0: 45, 1: 90, 2: 135}


def test_its_certificates_are_private_and_gone_with_it():
    with Cluster(0, workers=1) as cluster:
        key = Path(cluster._client.security.tls_client_key)
        assert [stat.S_IMODE(path.stat().st_mode) for path in (key, key.parent)] == [0o600, 0o700]
    assert not key.parent.exists()


def test_no_page_tells_of_its_state(cluster):
    """Whatever of it listens answers no request of a browser with anything but an error."""
    processes = [psutil.Process(), *(psutil.Process(n.pid) for n in cluster._client.cluster.workers.values())]
    ports = {
        socket.laddr.port
        for process in processes
        for socket in process.net_connections("inet")
        if socket.status == psutil.CONN_LISTEN
    }
    answers = set()
    for port in ports:
        for page in ("", "status", "health", "metrics", "json/counts.json", "info/main/workers.html"):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5) as answer:
                    answers.add(answer.status)
            except urllib.error.HTTPError as error:
                answers.add(error.code)
            except OSError:  # it does not speak so
                continue
    assert answers == {404}


@pytest.mark.parametrize("address", ["tcp://host:8786", "host:8786", "ws://host:1", "tcp://[::1]:8786"])
def test_open_clusters_need_a_word(address):
    with pytest.raises(
        ParameterError, match=r"is not encrypted: .* --open-cluster if all who can are trusted\.$"
    ):
        Work(cluster=address)
    assert Work(cluster=address, open_cluster=True).cluster == address


@pytest.mark.parametrize("address", ["", "local", "tls://host:8786"])
def test_others_do_not(address):
    check_address(address, open_cluster=False)
    assert Work(cluster=address).cluster == address


def test_a_cluster_of_others_is_reached_with_the_certificates_of_the_configuration(
    ours, monkeypatch, tmp_path
):
    monkeypatch.setattr(dask_client, "SECONDS", 2)
    theirs = authority(tmp_path, "theirs")
    with elsewhere(ours) as (_, address):
        assert address.startswith("tls://")
        with configured(ours), Cluster(np.arange(4), address) as cluster:
            assert dict(cluster.run(total, [1, 10])) == {0: 6, 1: 60}
        with (
            configured(theirs),
            pytest.raises(ParameterError, match=r"where none answers that knows our certificates\.$"),
            Cluster(0, address),
        ):
            pass


def test_without_certificates_it_says_where_they_belong():
    with (
        pytest.raises(
            ParameterError, match=r"^cluster tls://host:1 needs certificates: .* distributed\.comm\.tls"
        ),
        Cluster(0, "tls://host:1"),
    ):
        pass


def test_without_the_package_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ImportError, match=r"pip install 'sfumato\[cluster\]'"):
        certificates.fresh_certificates(tmp_path)
