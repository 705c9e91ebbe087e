"""Workers that share parameters and states: one worker's numbers, less memory, safe files."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, nn
from hy_gluon.kvstore import KVStoreError
from hy_gluon.kvstore.sharding import Shards, acts_by_element
from hy_gluon.optimizer import create
from tests.gluon.sharded_worker import OPTIMIZERS
from tests.gluon.test_kvstore_distributed import free_port

ROOT = Path(__file__).parents[2]
SECONDS_TO_HEAR = 30
with_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


@contextmanager
def started(name: str, count: int, folder: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """So many workers of a program; none is left at the end."""
    port = str(free_port())
    common = {**os.environ, "OMP_NUM_THREADS": "1", "DMLC_NUM_WORKER": str(count)}
    if count > 1:
        common |= {"DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": port}
    command = [sys.executable, "-m", "tests.gluon.sharded_worker", name, str(folder)]
    running = [
        subprocess.Popen(  # noqa: S603
            command,
            env={**common, "DMLC_WORKER_ID": str(rank)},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    try:
        yield running
    finally:
        for process in running:
            process.kill()
            process.communicate()


def results(name: str, count: int, folder: Path) -> list[dict[str, Any]]:
    with started(name, count, folder) as processes:
        values = []
        for process in processes:
            out, err = process.communicate(timeout=240)
            assert process.returncode == 0, err
            values.append(json.loads(out))
        return values


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return results("trains", 1, tmp_path_factory.mktemp("alone"))[0]


# --- which rows are whose --------------------------------------------------------------------


def test_rows_are_cut_evenly_and_small_parameters_stay_whole() -> None:
    shards = Shards.of([(7, 2), (2,), (), (9,)], 3, by_rows=True)
    assert shards.rows[0] == ((0, 3), (3, 5), (5, 7))
    assert shards.rows[3] == ((0, 3), (3, 6), (6, 9))
    for k, length in ((1, 2), (2, 1)):
        assert max(shards.rows[k])[1] == length
        assert sum(end - first for first, end in shards.rows[k]) == length


def test_whole_parameters_go_where_there_is_least() -> None:
    shards = Shards.of([(4, 4), (3, 4), (2, 4)], 2, by_rows=False)
    assert [shards.numbers_of_worker(rank) for rank in (0, 1)] == [[0], [1, 2]]


@pytest.mark.parametrize(
    ("name", "apart"), [("adam", True), ("sgd", True), ("lamb", False), ("lbsgd", False)]
)
def test_rows_are_apart_where_a_rule_looks_at_single_elements(name: str, apart: bool) -> None:
    optimizer = create(name)
    assert acts_by_element(optimizer) == apart
    assert optimizer.num_update == 0


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
def test_a_sharded_store_needs_pytorch() -> None:
    net = nn.Dense(2, in_units=2)
    net.initialize()
    trainer = Trainer(net.collect_params(), "sgd", kvstore="sharded")
    with pytest.raises(KVStoreError, match="need PyTorch"):
        trainer._init_kvstore()


# --- training --------------------------------------------------------------------------------


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
def test_weights_are_those_of_one_process(
    count: int, alone: dict[str, Any], tmp_path: Path
) -> None:
    workers = results("trains", count, tmp_path)
    for name in OPTIMIZERS:
        expected, whole, losses = alone[name]
        for weights, _, _ in (each[name] for each in workers):
            np.testing.assert_allclose(weights, expected, rtol=1e-6, atol=1e-6)
        parts = [each[name][1] for each in workers]
        assert sum(parts) == whole
        if name in ("adam", "sgd"):
            assert max(parts) <= whole / count * 1.3
        shared = np.sum([each[name][2] for each in workers], axis=0)
        np.testing.assert_allclose(shared, losses, rtol=1e-5)
    expected, whole = alone["half"]
    for each in workers:
        np.testing.assert_allclose(each["half"][0], expected, atol=2e-3)
    assert sum(each["half"][1] for each in workers) == whole


@with_torch
@pytest.mark.slow
def test_between_steps_workers_keep_their_own_rows_alone(tmp_path: Path) -> None:
    workers = results("rests", 3, tmp_path)
    weights = workers[0]["eager"][1]
    for name in workers[0]:
        for shown, found in (each[name] for each in workers):
            gathered, without_values, whole_buffers, own, total, same = shown
            assert not gathered
            assert without_values
            assert whole_buffers == 0
            assert own <= total / 3 * 1.3
            assert same
            np.testing.assert_allclose(found, weights, rtol=1e-6, atol=1e-6)
        assert sum(each[name][0][3] for each in workers) == workers[0][name][0][4]


@with_torch
@pytest.mark.slow
def test_all_workers_leave_a_step_out_where_one_overflows(tmp_path: Path) -> None:
    (alone,) = results("overflows", 1, tmp_path)
    for each in (alone, *results("overflows", 2, tmp_path)):
        assert each["scales"] == [2.0**12, 2.0**11, 2.0**11]
        assert each["same"]
        np.testing.assert_allclose(each["weights"], alone["weights"], atol=2e-3)


@with_torch
@pytest.mark.slow
def test_a_weight_that_one_worker_alone_uses_is_an_error(tmp_path: Path) -> None:
    for each in results("uses_alone", 2, tmp_path):
        assert "worker 0 ('gather'" in each["error"]
        assert "worker 1 'barrier'" in each["error"]


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [(3, 2), (2, 3), (2, 2)])
def test_training_goes_on_with_another_number_of_workers(
    before: int, after: int, tmp_path: Path
) -> None:
    saved = results("saves", before, tmp_path)
    for name in ("net.states.*", "net.params.*"):
        assert len([*tmp_path.glob(name)]) == before
    resumed = results("resumes", after, tmp_path)
    assert {each["count"] for each in resumed} == {5}
    totals = [np.sum([each["losses"] for each in workers], axis=0) for workers in (saved, resumed)]
    np.testing.assert_allclose(totals[0], totals[1], rtol=1e-5)
    for each in (*saved, *resumed):
        np.testing.assert_allclose(each["weights"], saved[0]["weights"], rtol=1e-6, atol=1e-6)


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize("how", ["kill", "interrupt"])
def test_others_end_soon_where_one_does(how: str, tmp_path: Path) -> None:
    with started("breaks", 3, tmp_path) as processes:
        assert processes[1].stdout is not None
        assert processes[1].stdin is not None
        assert processes[1].stdout.readline() == "ready\n"
        before = (tmp_path / "net.states").read_bytes()
        processes[1].stdin.write(f"{how}\n")
        processes[1].stdin.flush()
        for rank in (0, 2):
            out, err = processes[rank].communicate(timeout=SECONDS_TO_HEAR)
            assert processes[rank].returncode == 0, err
            assert "another worker ended" in json.loads(out)["error"]
        processes[1].wait(timeout=SECONDS_TO_HEAR)
    assert processes[1].returncode != 0
    assert (tmp_path / "net.states").read_bytes() == before
    names = json.loads(before)["files"]
    assert all((tmp_path / name).exists() for name in names)


@with_torch
@pytest.mark.slow
def test_a_worker_that_cannot_write_leaves_the_old_files(tmp_path: Path) -> None:
    first, second = results("fails_to_write", 2, tmp_path)
    assert "another worker could not write" in first["error"]
    assert second["error"].startswith("StatesError")
    for each in (first, second):
        assert each["same"]
        assert each["files"] == 3
