"""Stores of several processes: sums, training as with one, and what happens when one is gone."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, kvstore
from hy_gluon.kvstore import KVStoreError, waiting, workers
from hy_ndarray import DTypeError, cpu, nd, random
from tests.gluon.kvstore_worker import train

PROGRAM = Path(__file__).with_name("kvstore_worker.py")
ROOT = Path(__file__).parents[2]
with_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextmanager
def started(name: str, processes: list[dict[str, str]]) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes of a program, with these variables; none is left at the end."""
    common = {**os.environ, "DMLC_PS_ROOT_URI": "127.0.0.1", "OMP_NUM_THREADS": "1"}
    common |= {"DMLC_PS_ROOT_PORT": str(free_port()), "DMLC_NUM_WORKER": "2"}
    running = [
        subprocess.Popen(  # noqa: S603
            [sys.executable, str(PROGRAM), name],
            env={**common, **own},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for own in processes
    ]
    try:
        yield running
    finally:
        for process in running:
            process.kill()
            process.communicate()


WORKERS = [{"DMLC_WORKER_ID": "0"}, {"DMLC_WORKER_ID": "1"}]


def result(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return json.loads(out)


@pytest.fixture(scope="module")
def found() -> list[dict[str, Any]]:
    """What both workers found."""
    with started("works", WORKERS) as processes:
        return [result(process) for process in processes]


@with_torch
@pytest.mark.slow
def test_workers_know_their_places(found: Any) -> None:
    assert [each["place"] for each in found] == [["dist_sync", 0, 2], ["dist_sync", 1, 2]]


@with_torch
@pytest.mark.slow
def test_all_workers_have_the_first_ones_values_and_everyones_sums(found: Any) -> None:
    dtypes = [
        ["float16", [1.0] * 3],
        ["float64", [3.0] * 3],
        ["bfloat16", [5.0] * 3],
        ["int8", [7.0] * 3],
        ["int64", [9.0] * 3],
    ]
    expected = {
        "init": [5, 5],
        "push": [[23, 23], [23, 23]],
        "dtypes": dtypes,
        "broadcast": [1, 1],
        "any": [True, False, True],
    }
    assert [each["sums"] for each in found] == [expected, expected]


@with_torch
@pytest.mark.slow
def test_rows_of_sparse_arrays_are_summed_over_workers(found: Any) -> None:
    first, second = (each["rows"] for each in found)
    assert first == second
    assert first["sum"] == [[1, 2, 3], [2, 2, 2, 2, 2, 2]]
    np.testing.assert_allclose(first["updated"], [1, 0.75, 0.75, 0.75, 1], rtol=1e-6)


@with_torch
@pytest.mark.slow
def test_weights_on_the_store_are_updated_alike_by_all(found: Any) -> None:
    first, second = (each["optimizes"] for each in found)
    assert first == second
    np.testing.assert_allclose([x for x, _ in first], [0.7, 0.13, -0.683], rtol=1e-5)


@with_torch
@pytest.mark.slow
def test_compressed_gradients_of_workers_are_summed(found: Any) -> None:
    assert found[0]["compresses"] == found[1]["compresses"]
    expected = [
        [0.5, -0.5, 1, -1, 1, 0, 0],  # 0 and 0.3 of worker 0, 0.6 of worker 1 …
        [1, -1, 1, -1, 1, 0, 0.5],
        [0.5, -0.5, 1, -1, 1, 0, 1],
    ]
    assert found[0]["compresses"] == expected


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize("on_store", [True, False])
@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_two_workers_train_as_one_with_the_doubled_batch(
    found: Any, name: str, on_store: bool
) -> None:
    first, second = (each[f"{name} {on_store}"] for each in found)
    assert first == second
    random.seed(0)
    alone, _ = train([slice(0, 8)], optimizer=name)
    np.testing.assert_allclose(first, alone, rtol=1e-4, atol=1e-6)
    random.seed(0)
    contexts, _ = train([slice(0, 4), slice(4, 8)], optimizer=name)
    assert first == contexts  # the same sums, digit by digit


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize("on_store", [True, False])
def test_whole_steps_of_two_workers_are_those_of_the_loop(found: Any, on_store: bool) -> None:
    first, second = (each[f"whole {on_store}"] for each in found)
    assert first == second
    np.testing.assert_allclose(first, found[0][f"sgd {on_store}"], rtol=1e-5, atol=1e-7)


@with_torch
@pytest.mark.slow
def test_workers_with_other_first_weights_become_equal(found: Any) -> None:
    assert found[0]["seeds"] == found[1]["seeds"] != found[0]["sgd True"]


@with_torch
@pytest.mark.slow
def test_what_any_worker_uses_is_updated_on_all(found: Any) -> None:
    for each in found:
        for rows in each["leaves out"].values():
            np.testing.assert_allclose(rows, [[0.55], [0.85], [1.0]], rtol=1e-6)


@with_torch
@pytest.mark.slow
def test_workers_that_call_otherwise_are_told() -> None:
    with started("differs", WORKERS) as processes:
        messages = [result(process) for process in processes]
    assert messages[0] == messages[1]
    for message in messages[0]:
        assert "the workers call the store differently: worker 0 ('push', [(3, (2,)," in message
        assert "worker 1 ('push', [(4, (2,)," in message


@with_torch
@pytest.mark.slow
def test_a_worker_that_dies_makes_the_others_raise() -> None:
    with started("dies", WORKERS) as processes:
        first, second = result(processes[0])
        assert processes[1].wait(60) == 3
    assert "worker 0 of 2: another worker ended, or did not take part within 60 s" in first
    assert second == first  # at once


@with_torch
@pytest.mark.slow
def test_a_worker_that_hangs_makes_the_others_raise_in_time() -> None:
    with started("hangs", WORKERS) as processes:
        first, second = result(processes[0])
        assert processes[1].poll() is None
    assert "did not take part within 2 s" in first
    assert second == first


@with_torch
@pytest.mark.slow
def test_a_worker_that_is_interrupted_neither_waits_nor_goes_on() -> None:
    with started("interrupted", WORKERS) as processes:
        first, second = result(processes[0])  # it ends while the other one is busy
        assert processes[1].poll() is None
        assert first == "KeyboardInterrupt"
        assert "worker 0 of 2: an earlier call was interrupted (KeyboardInterrupt)" in second
        messages = result(processes[1])
    assert "worker 1 of 2: another worker ended" in messages[0]


@pytest.fixture
def _heeds_interrupts() -> Iterator[None]:
    """Programs that shells run in the background ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Endless:
    """A collective that no other worker takes part in; after some looks there is Ctrl-C."""

    def __init__(self) -> None:
        self.looks = 0

    def is_completed(self) -> bool:
        self.looks += 1
        if self.looks == 3:
            signal.raise_signal(signal.SIGINT)
        return False


@pytest.mark.usefixtures("_heeds_interrupts")
def test_an_interrupt_ends_the_wait_for_a_collective() -> None:
    endless = Endless()
    with pytest.raises(KeyboardInterrupt):
        waiting.wait_for(endless)
    assert endless.looks == 3


@pytest.mark.usefixtures("_heeds_interrupts")
def test_an_interrupt_ends_the_wait_for_a_group_to_form() -> None:
    begun, ended, here = Event(), Event(), threading.get_ident()

    def form() -> None:
        begun.set()
        ended.wait(60)

    def interrupt() -> None:
        begun.wait(60)
        signal.pthread_kill(here, signal.SIGINT)

    Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        waiting.without_blocking(form)
    ended.set()


def test_errors_of_what_does_not_block_are_raised() -> None:
    assert waiting.without_blocking(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        waiting.without_blocking(lambda: 1 // 0)


@with_torch
@pytest.mark.slow
def test_mxnets_launcher_runs_programs_of_mxnet() -> None:
    roles = ["scheduler", "server", "worker", "worker"]
    with started("launched", [{"DMLC_ROLE": r, "DMLC_NUM_SERVER": "1"} for r in roles]) as found:
        out = [process.communicate(timeout=240) for process in found]
        assert [process.returncode for process in found] == [0] * 4, out
    assert [text for text, _ in out[:2]] == ["", ""]
    assert sorted(json.loads(text) for text, _ in out[2:]) == [[0, 3, 3], [1, 3, 3]]


@with_torch
@pytest.mark.slow
def test_arrays_of_the_torch_table_travel_as_they_are() -> None:
    with started("launched", [{**own, "HY_KERNELS": "cpu=torch"} for own in WORKERS]) as processes:
        assert [result(process) for process in processes] == [[0, 3, 3], [1, 3, 3]]


@with_torch
@pytest.mark.slow
def test_torchrun_starts_workers() -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    command += ["--master-port", str(free_port()), str(PROGRAM), "launched"]
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("3.0, 3.0]") == 2


@with_torch
@pytest.mark.slow
def test_a_process_that_was_started_alone_is_told_how_to_start_several() -> None:
    names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "DMLC_PS_ROOT_URI")
    env = {name: value for name, value in os.environ.items() if name not in names}
    code = "from hy_gluon import kvstore; kvstore.create('dist_sync')"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert "KVStoreError: a store of several workers needs processes" in done.stderr


def test_without_pytorch_the_error_has_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "find_spec", lambda name: None)
    with pytest.raises(KVStoreError, match=r"pip install hy-gluon\[distributed\]"):
        kvstore.create("dist_sync")


@pytest.mark.parametrize("name", ["dist_async", "dist_device_async", "Dist_Async_Device"])
def test_workers_that_do_not_wait_are_refused(name: str) -> None:
    instead = name.lower().replace("async", "sync")
    for make in (kvstore.create, lambda store: Trainer([], "sgd", kvstore=store)):
        with pytest.raises(KVStoreError, match=f"not supported; use '{instead}'"):
            make(name)


def test_arrays_travel_together_by_dtype_and_context(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [nd.zeros((3,)), nd.zeros((2,), dtype="int8"), nd.zeros((4,)), nd.zeros((1,))]
    arrays.append(nd.zeros((1,), ctx=cpu(1)))
    assert list(workers._buckets(arrays)) == [[0, 2, 3], [1], [4]]
    monkeypatch.setattr(workers, "_BUCKET_BYTES", 20)
    assert list(workers._buckets(arrays)) == [[0, 2], [1], [3], [4]]
    with pytest.raises(DTypeError, match="dtype bool are not summed over workers"):
        list(workers._buckets([nd.zeros((1,)).astype("bool")]))


@pytest.mark.slow
def test_pytorch_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys; from hy_gluon import kvstore; kvstore.create('device'); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
