"""Workers, servers and schedulers of MXNet's launcher find each other, and end together."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from hy_gluon import kvstore
from hy_gluon.kvstore import KVStoreError, WorkerError, kvstore_server, rendezvous
from hy_gluon.kvstore.launch import Launch, launch, timeout_of
from hy_gluon.kvstore.rendezvous import Member, Rendezvous, attend, await_message, listen

TORCHRUN = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "here", "MASTER_PORT": "99"}
DMLC = {"DMLC_PS_ROOT_URI": "here", "DMLC_PS_ROOT_PORT": "99", "DMLC_NUM_WORKER": "2"}


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (TORCHRUN, Launch(2, "here", 99, rank=1, torchrun=True)),
        ({**TORCHRUN, **DMLC}, Launch(2, "here", 99, rank=1, torchrun=True)),
        (DMLC, Launch(2, "here", 99)),
        ({**DMLC, "DMLC_ROLE": "worker", "DMLC_WORKER_ID": "1"}, Launch(2, "here", 99, rank=1)),
        (
            {**DMLC, "DMLC_ROLE": "server", "DMLC_NUM_SERVER": "3"},
            Launch(2, "here", 99, "server", servers=3),
        ),
        ({**DMLC, "DMLC_ROLE": "scheduler"}, Launch(2, "here", 99, "scheduler")),
    ],
)
def test_the_environment_says_which_process_this_is(env: dict[str, str], expected: Launch) -> None:
    assert launch(env) == expected


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({}, r"torchrun --nproc-per-node=N.*\(DMLC_PS_ROOT_URI is not set\)"),
        ({"DMLC_PS_ROOT_URI": "x"}, "DMLC_PS_ROOT_PORT is not set"),
        ({**TORCHRUN, "RANK": "2"}, "RANK is '2'; it must be a number, at least 0 and at most 1"),
        ({**TORCHRUN, "WORLD_SIZE": "0"}, "WORLD_SIZE is '0'; it must be a number, at least 1"),
        ({**DMLC, "DMLC_NUM_WORKER": "many"}, "DMLC_NUM_WORKER is 'many'"),
        ({**DMLC, "DMLC_PS_ROOT_PORT": "70000"}, "DMLC_PS_ROOT_PORT is '70000'"),
        ({**DMLC, "DMLC_WORKER_ID": "-1"}, "DMLC_WORKER_ID is '-1'"),
        ({**DMLC, "DMLC_ROLE": "boss"}, "DMLC_ROLE='boss' must be one of worker, server"),
    ],
)
def test_an_environment_that_cannot_be_is_named(env: dict[str, str], message: str) -> None:
    with pytest.raises(KVStoreError, match=message):
        launch(env)


def test_the_time_out_is_an_argument_or_a_variable() -> None:
    assert timeout_of(None, {}) == 1800
    assert timeout_of(None, {"HY_KVSTORE_TIMEOUT": "2.5"}) == 2.5
    assert timeout_of(3, {"HY_KVSTORE_TIMEOUT": "2.5"}) == 3
    for wrong in ("x", "-1", "inf", "0"):
        with pytest.raises(KVStoreError, match=f"a positive number of seconds, not '{wrong}'"):
            timeout_of(None, {"HY_KVSTORE_TIMEOUT": wrong})


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def meeting(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A meeting of two workers, or as many as asked, in a thread; where it is, what came of it."""
    server = socket.create_server(("127.0.0.1", 0))
    count = getattr(request, "param", 2)
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(Rendezvous(server, count).run()))
    where = Launch(count, "127.0.0.1", server.getsockname()[1])
    thread.start()
    yield where, found, thread
    thread.join(10)
    assert not thread.is_alive()


def attending(where: Launch, rank: int | None = None) -> Member:
    """A connection that has said that it is a worker."""
    connection = socket.create_connection((where.host, where.port), timeout=10)
    member = Member(connection, "worker", rank)
    member.send(role="worker", rank=rank, workers=where.workers)
    return member


def test_workers_get_the_ranks_that_are_left(meeting: Any) -> None:
    where, found, thread = meeting
    members = [attending(where), attending(where, rank=0)]
    ranks = [await_message(member, "rank", where, time.monotonic() + 10) for member in members]
    assert ranks == [1, 0]
    members[0].send(store=["host", 7])
    for member in members:
        assert await_message(member, "store", where, time.monotonic() + 10) == ["host", 7]
    members[0].connection.close()
    assert thread.is_alive()
    members[1].connection.close()
    thread.join(10)
    assert found == [True]


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ({"workers": 3}, "it expects 3 workers, the others 2"),
        ({"workers": 2, "rank": 2}, "it has rank 2 of 2"),
        ({"workers": 2, "rank": "x"}, "it has rank 'x' of 2"),
        ({"workers": 2, "rank": 0}, "there is a worker 0 already"),
    ],
)
def test_a_worker_that_does_not_belong_is_told_why(
    meeting: Any, hello: dict[str, Any], message: str
) -> None:
    where, _, _ = meeting
    first = attending(where, rank=0)
    stranger = Member(socket.create_connection((where.host, where.port), timeout=10))
    stranger.send(role="worker", **hello)
    with pytest.raises(WorkerError, match=message):
        await_message(stranger, "rank", where, time.monotonic() + 10)
    stranger.connection.close()
    first.connection.close()


@pytest.mark.parametrize("noise", [b"\n", b"GET / HTTP/1.1\r\n\r\n", b"[1]\n", b"x" * 9000])
def test_noise_at_the_meeting_is_shut_out(meeting: Any, noise: bytes) -> None:
    where, found, thread = meeting
    stranger = socket.create_connection((where.host, where.port), timeout=10)
    stranger.sendall(noise)
    with stranger, suppress(ConnectionError):
        assert stranger.recv(1) == b""
    members = [attending(where) for _ in range(2)]
    for member in members:
        await_message(member, "rank", where, time.monotonic() + 10)
        member.connection.close()
    thread.join(10)
    assert found == [True]


def test_who_comes_too_late_is_told(meeting: Any) -> None:
    where, _, _ = meeting
    members = [attending(where) for _ in range(2)]
    for member in members:
        await_message(member, "rank", where, time.monotonic() + 10)
    late = attending(where)
    with pytest.raises(WorkerError, match="all 2 workers are here already"):
        await_message(late, "rank", where, time.monotonic() + 10)
    for member in (*members, late):
        member.connection.close()


@pytest.mark.parametrize("meeting", [3], indirect=True)
def test_workers_hear_of_one_that_ends_before_all_have_come(meeting: Any) -> None:
    where, found, thread = meeting
    first, second = attending(where, rank=0), attending(where, rank=1)
    probe = attending(where, rank=1)  # once it is refused, both are there
    with pytest.raises(WorkerError, match="there is a worker 1 already"):
        await_message(probe, "rank", where, time.monotonic() + 10)
    first.connection.close()
    with pytest.raises(WorkerError, match="a worker ended before all had come"):
        await_message(second, "rank", where, time.monotonic() + 10)
    second.connection.close()
    thread.join(10)
    assert found == [False]
    probe.connection.close()


def test_who_waits_for_nobody_says_where(port: int) -> None:
    where = Launch(2, "127.0.0.1", port, rank=1)
    with pytest.raises(WorkerError, match=f"nobody listens at 127.0.0.1:{port}"):
        attend(where, 0.05)
    with pytest.raises(WorkerError, match=f"not all 2 workers came to 127.0.0.1:{port} in time"):
        attend(Launch(2, "127.0.0.1", port, rank=0), 0.2)


def test_only_one_process_of_a_machine_listens(port: int) -> None:
    scheduler = Launch(1, "127.0.0.1", port, "scheduler")
    first = listen(scheduler)
    assert first is not None
    with first:
        assert listen(scheduler) is None
        assert listen(Launch(1, "127.0.0.1", port, rank=0)) is None
    assert listen(Launch(1, "127.0.0.1", port, rank=1)) is None
    assert listen(Launch(1, "192.0.2.1", port, rank=0)) is None  # another machine's address


def test_a_worker_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DMLC_ROLE", raising=False)
    kvstore_server.serve()
    monkeypatch.setenv("DMLC_ROLE", "worker")
    kvstore_server.serve()


@pytest.mark.parametrize("role", ["server", "scheduler"])
def test_a_server_that_makes_a_store_waits_and_ends(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[Launch] = []

    def wait(where: Launch) -> bool:
        waited.append(where)
        return True

    monkeypatch.setattr(kvstore_server, "_wait", wait)
    for name, value in {**DMLC, "DMLC_ROLE": role}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as caught:
        kvstore.create("dist_sync")
    assert caught.value.code == 0
    kvstore_server.KVStoreServer().run()
    assert [where.role for where in waited] == [role, role]
    assert kvstore.create("local").type == "local"


def test_a_scheduler_does_not_outlive_who_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = [7, 7]  # and then another process has taken it over
    monkeypatch.setattr(os, "getppid", lambda: parents.pop() if parents else 1)
    monkeypatch.setattr(rendezvous, "_POLL_SECONDS", 0.01)
    assert Rendezvous(socket.create_server(("127.0.0.1", 0)), 2).run() is False
    assert parents == []


@pytest.mark.slow
@pytest.mark.parametrize("ended", ["well", "killed"])
def test_servers_and_schedulers_end_with_the_workers(ended: str, port: int) -> None:
    env = {**os.environ, "DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": str(port)}
    env |= {"DMLC_NUM_WORKER": "2", "DMLC_NUM_SERVER": "2", "HY_KVSTORE_TIMEOUT": "60"}
    waits = [sys.executable, "-c", "import mxnet; print('a server went on')"]
    others = [
        subprocess.Popen(waits, env={**env, "DMLC_ROLE": role}, stdout=subprocess.PIPE)  # noqa: S603
        for role in ("server", "scheduler", "server")
    ]
    code = (
        "import sys; from hy_gluon.kvstore.launch import launch; "
        "from hy_gluon.kvstore.rendezvous import attend; "
        "member = attend(launch(), 60); print(member.rank, flush=True); sys.stdin.read()"
    )
    workers = [
        subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", code],
            env={**env, "DMLC_ROLE": "worker"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    try:
        ranks = sorted(int(worker.stdout.readline()) for worker in workers if worker.stdout)
        assert ranks == [0, 1]
        assert [other.poll() for other in others] == [None] * 3
        for worker in workers:
            if ended == "killed":
                worker.kill()
            worker.communicate(timeout=60)
        found = [(other.communicate(timeout=60)[0], other.returncode) for other in others]
        assert found == [(b"", 0)] * 3
    finally:
        for process in (*workers, *others):
            process.kill()
            process.wait()


def test_what_connects_processes_is_loaded_with_the_first_store_of_several() -> None:
    code = (
        "import sys; from hy_gluon import Trainer, kvstore; kvstore.create('device'); "
        "names = {'distributed', 'kvstore_server', 'workers', 'rendezvous', 'launch'}; "
        "loaded = lambda: {n for n in names if f'hy_gluon.kvstore.{n}' in sys.modules}; "
        "assert not loaded(), loaded(); kvstore.DistributedKVStore; assert loaded() == names"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  # our own
