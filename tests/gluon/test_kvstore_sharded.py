"""Workers that share parameters and states: one worker's numbers, less memory, safe files."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import pytest

from hy_gluon import Trainer, nn
from hy_gluon.kvstore import KVStoreError
from hy_gluon.kvstore.sharded_parameters import read_parameters
from hy_gluon.kvstore.sharded_states import read_states
from hy_gluon.kvstore.sharding import Assignment, Shards, acts_by_element
from hy_gluon.optimizer import Updater, create
from hy_gluon.parameter import Parameter
from tests.gluon.sharded_worker import OPTIMIZERS, RESUMED, Training
from tests.gluon.test_kvstore_distributed import free_port

ROOT = Path(__file__).parents[2]
SECONDS_TO_HEAR = 30
SECONDS_TO_WAIT = 120
with_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


class Group:
    """So many workers, each of which runs programs one after the other."""

    def __init__(self, count: int) -> None:
        port = str(free_port())
        common = {**os.environ, "OMP_NUM_THREADS": "1", "DMLC_NUM_WORKER": str(count)}
        common["HY_KVSTORE_TIMEOUT"] = str(SECONDS_TO_WAIT)
        if count > 1:
            common |= {"DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": port}
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.gluon.sharded_worker"],
                env={**common, "DMLC_WORKER_ID": str(rank)},
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank in range(count)
        ]

    def start(self, name: str, folder: Path) -> None:
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write(f"{json.dumps([name, str(folder)])}\n")
            process.stdin.flush()

    def read(self, rank: int) -> str:
        process = self.processes[rank]
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return line

    def result(self, rank: int) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.read(rank))
        return result

    def run(self, name: str, folder: Path) -> list[dict[str, Any]]:
        self.start(name, folder)
        return [self.result(rank) for rank in range(len(self.processes))]

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()


Groups: TypeAlias = Callable[[int], Group]


@pytest.fixture(scope="module")
def groups() -> Iterator[Groups]:
    """Workers of this module by their number: starting processes takes longer than most tests."""
    started: dict[int, Group] = {}

    def group(count: int) -> Group:
        before = started.get(count)
        if before is not None and any(each.poll() is not None for each in before.processes):
            before.end()  # a test has failed
            before = None
        started[count] = before or Group(count)
        return started[count]

    yield group
    for each in started.values():
        each.end()


@contextmanager
def new_group(count: int) -> Iterator[Group]:
    """Workers of a test that ends them."""
    group = Group(count)
    try:
        yield group
    finally:
        group.end()


@pytest.fixture(scope="module")
def alone(groups: Groups, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return groups(1).run("trains", tmp_path_factory.mktemp("alone"))[0]


# --- which rows are whose --------------------------------------------------------------------


def test_rows_are_cut_evenly_and_small_parameters_stay_whole() -> None:
    shards = Shards.of([(7, 2), (2,), (), (9,)], [0] * 3, by_rows=[True] * 4)
    assert shards.rows[0] == ((0, 3), (3, 5), (5, 7))
    assert shards.rows[3] == ((0, 3), (3, 6), (6, 9))
    for k, length in ((1, 2), (2, 1)):
        assert max(shards.rows[k])[1] == length
        assert sum(end - first for first, end in shards.rows[k]) == length


def test_whole_parameters_go_where_there_is_least() -> None:
    shards = Shards.of([(4, 4), (3, 4), (2, 4)], [0, 0], by_rows=[False] * 3)
    assert [shards.numbers_of_worker(rank) for rank in (0, 1)] == [[0], [1, 2]]
    loaded = Shards.of([(4, 4), (3, 4), (2, 4)], [20, 0], by_rows=[False] * 3)
    assert [loaded.numbers_of_worker(rank) for rank in (0, 1)] == [[2], [0, 1]]


def test_parameters_keep_their_rows_whichever_others_are_updated() -> None:
    assignment = Assignment(2)
    shapes = {0: (4, 4), 1: (3, 4), 2: (2, 4)}
    first = assignment.shards(create("lamb"), [*shapes], [*shapes.values()])
    for keys in ([1], [2, 1], [0, 2]):
        shards = assignment.shards(create("lamb"), keys, [shapes[key] for key in keys])
        assert shards.rows == tuple(first.rows[key] for key in keys)
    assert [key for key, _, _ in assignment] == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("adam", [True, True]),
        ("schedulefreeadamw", [True, True]),
        ("lamb", [False, False]),
        ("lbsgd", [False, False]),
        ("adafactor", [False, False]),
        ("muon", [False, True]),
    ],
)
def test_rows_are_apart_where_a_rule_looks_at_single_elements(name: str, apart: list[bool]) -> None:
    optimizer = create(name)
    assert acts_by_element(optimizer, [0, 1], [(6, 3), (6,)]) == apart
    assert optimizer.num_update == 0


def test_rows_of_an_embedding_are_apart_for_muon() -> None:
    parameters = [Parameter(f"net_{name}", shape=(6, 3)) for name in ("embedding", "hidden")]
    optimizer = create("muon", param_dict=dict(enumerate(parameters)))
    assert acts_by_element(optimizer, [0, 1], [(6, 3), (6, 3)]) == [True, False]


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
    count: int, groups: Groups, alone: dict[str, Any], tmp_path: Path
) -> None:
    workers = groups(count).run("trains", tmp_path)
    for name in OPTIMIZERS:
        expected, whole, losses = alone[name]
        for weights, _, _ in (each[name] for each in workers):
            np.testing.assert_allclose(weights, expected, rtol=1e-6, atol=1e-6, err_msg=name)
        parts = [each[name][1] for each in workers]
        assert sum(parts) == whole, name
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
@pytest.mark.parametrize("count", [2, 3])
def test_sums_begin_in_the_backward_pass(count: int, groups: Groups, tmp_path: Path) -> None:
    (alone,), workers = (groups(n).run("overlaps", tmp_path) for n in (1, count))
    for name in alone:
        for each in (found[name] for found in workers):
            assert each["same"], name
            assert each["events"] == workers[0][name]["events"]
            assert "sums of gradients begin in the backward pass" in each["explained"]
            tolerance = 2e-2 if name == "bfloat16" else 1e-6
            np.testing.assert_allclose(
                each["weights"], alone[name]["weights"], rtol=tolerance, atol=tolerance
            )
        events = workers[0][name]["events"]
        parameters, steps = 5, 2 if name == "accumulated" else 6
        assert events.count("gradient") == parameters * steps
        assert events.count("sum") == parameters * steps * count
        # The first sums of a step begin before its last gradient is computed.
        for k in range(steps):
            of_step = events[k * len(events) // steps : (k + 1) * len(events) // steps]
            assert of_step.index("sum") < len(of_step) - 1 - of_step[::-1].index("gradient")
        shared = np.sum([found[name]["losses"] for found in workers], axis=0)
        tolerance = 2e-2 if name == "bfloat16" else 1e-5
        np.testing.assert_allclose(shared, alone[name]["losses"], rtol=tolerance)
        assert sum(found[name]["bytes"] for found in workers) == alone[name]["bytes"]


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize("name", ["clips", "skips"])
def test_other_steps_are_those_of_one_process_too(
    name: str, groups: Groups, tmp_path: Path
) -> None:
    (alone,), workers = (groups(count).run(name, tmp_path) for count in (1, 3))
    for each in workers:
        np.testing.assert_allclose(each["weights"], alone["weights"], rtol=1e-6, atol=1e-6)
    assert sum(each["bytes"] for each in workers) == alone["bytes"]
    assert {each.get("explained") for each in workers} == {alone.get("explained")}


@with_torch
@pytest.mark.slow
def test_averaged_weights_are_those_of_one_process(groups: Groups, tmp_path: Path) -> None:
    (alone,), workers = (groups(count).run("averages", tmp_path) for count in (1, 2))
    for name, (mean, is_restored) in alone.items():
        assert is_restored
        for found, same in (each[name] for each in workers):
            np.testing.assert_allclose(found, mean, rtol=1e-6, atol=1e-6)
            assert same


@with_torch
@pytest.mark.slow
def test_between_steps_workers_keep_their_own_rows_alone(groups: Groups, tmp_path: Path) -> None:
    workers = groups(3).run("rests", tmp_path)
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
def test_all_workers_leave_a_step_out_where_one_overflows(groups: Groups, tmp_path: Path) -> None:
    (alone,), workers = (groups(count).run("overflows", tmp_path) for count in (1, 2))
    for name in alone:
        for each in (alone[name], *(found[name] for found in workers)):
            assert each["scales"] == [2.0**12, 2.0**11, 2.0**11]
            assert each["same"]
            np.testing.assert_allclose(each["weights"], alone["loop"]["weights"], atol=2e-3)


@with_torch
@pytest.mark.slow
def test_a_weight_that_one_worker_alone_uses_is_an_error(groups: Groups, tmp_path: Path) -> None:
    for each in groups(2).run("uses_alone", tmp_path):
        assert "worker 0 ('gather'" in each["error"]
        assert "worker 1 'barrier'" in each["error"]


# --- files -----------------------------------------------------------------------------------


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [(3, 2), (2, 3), (2, 2)])
def test_training_goes_on_with_another_number_of_workers(
    before: int, after: int, groups: Groups, tmp_path: Path
) -> None:
    saved = groups(before).run("saves", tmp_path)
    resumed = groups(after).run("resumes", tmp_path)
    for name, dtype in RESUMED:
        case = f"{name}.{dtype}"
        assert len([*tmp_path.glob(f"{case}.*")]) == 2 * before
        assert {each[case]["count"] for each in resumed} == {5}, case
        assert all(each[case]["again"] for each in saved), case
        totals = [
            np.sum([each[case]["losses"] for each in workers], axis=0)
            for workers in (saved, resumed)
        ]
        # A sum of 16-bit gradients depends on how many workers add to it.
        loss, weight = {"float32": (1e-5, 1e-6)}.get(dtype, (5e-2, 2e-2))
        if before == after:
            loss, weight = 1e-6, 0
        np.testing.assert_allclose(totals[0], totals[1], rtol=loss, err_msg=case)
        for each in (*saved, *resumed):
            expected = saved[0][case]["weights"]
            np.testing.assert_allclose(
                each[case]["weights"], expected, rtol=weight, atol=weight, err_msg=case
            )


@with_torch
@pytest.mark.slow
def test_parameters_and_states_may_be_saved_apart(groups: Groups, tmp_path: Path) -> None:
    for each in groups(2).run("saves_apart", tmp_path):
        assert each["same"]
        assert "net has no states" in each["error"]


@with_torch
@pytest.mark.slow
def test_an_estimator_keeps_and_finds_checkpoints_of_workers(
    groups: Groups, tmp_path: Path
) -> None:
    for each in groups(2).run("estimates", tmp_path):
        assert each["steps"] == 6
    names = sorted(path.name for path in tmp_path.iterdir())
    kept = [name for name in names if name.startswith("model-epoch")]
    assert kept[0] == "model-epoch2batch6.checkpoint"
    assert len(kept) == 5  # with a file of each worker for parameters and states
    assert all(name.startswith(kept[0]) for name in kept)
    assert "model-best.checkpoint" in names
    assert "model-best.json" in names


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "ended"),
    [
        pytest.param("kill", 1, marks=pytest.mark.nightly),
        ("interrupt", 1),
        ("part", 1),
        pytest.param("index", 0, marks=pytest.mark.nightly),
    ],
)
def test_others_end_soon_where_one_does(how: str, ended: int, tmp_path: Path) -> None:
    folder = tmp_path / how
    folder.mkdir()
    with new_group(3) as group:
        group.start("breaks", folder)
        process = group.processes[ended]
        process.wait(timeout=SECONDS_TO_HEAR)
        assert process.returncode != 0
        for rank in {0, 1, 2} - {ended}:
            assert "another worker ended" in group.result(rank)["error"]
    check_loads(folder / "net.checkpoint")


@with_torch
@pytest.mark.slow
@pytest.mark.parametrize("ranks", [(0, 2), (0, 1, 2)], ids=["some", "all"])
def test_workers_that_wait_for_others_can_be_interrupted(
    ranks: tuple[int, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "waits"
    folder.mkdir()
    with new_group(3) as group:
        group.start("breaks", folder)
        for rank in range(3):
            assert group.read(rank) == "waits\n"
        for rank in ranks:
            group.processes[rank].send_signal(signal.SIGINT)
        for rank in ranks:
            assert group.result(rank)["error"] == "interrupted"
        for process in group.processes:
            assert process.stdin is not None
            process.stdin.close()
        if 1 not in ranks:
            assert "another worker ended" in group.result(1)["error"]
        for process in group.processes:
            process.wait(timeout=SECONDS_TO_HEAR)
            assert process.returncode == 0
    check_loads(folder / "net.checkpoint")


@with_torch
@pytest.mark.slow
def test_a_backward_pass_can_be_interrupted_while_sums_travel(tmp_path: Path) -> None:
    folder = tmp_path / "differentiates"
    folder.mkdir()
    with new_group(3) as group:
        group.start("breaks", folder)
        for rank in (0, 2):
            assert group.result(rank)["error"] == "interrupted"
        for process in group.processes:
            assert process.stdin is not None
            process.stdin.close()
        assert "another worker ended" in group.result(1)["error"]
        for process in group.processes:
            process.wait(timeout=SECONDS_TO_HEAR)
            assert process.returncode == 0
    check_loads(folder / "net.checkpoint")


def check_loads(target: Path) -> None:
    """The checkpoint is there, and one worker could go on from it."""
    net = Training("adam").net
    before = {name: p.data().asnumpy() for name, p in net.collect_params().items()}
    read_parameters(net.collect_params(), str(target))
    assert all((p.data().asnumpy() != before[n]).any() for n, p in net.collect_params().items())
    updater = Updater(create("adam", param_dict=dict(enumerate(net.collect_params().values()))))
    workers: Any = SimpleNamespace(count=1, rank=0)
    read_states(workers, updater, str(target))
    assert updater.optimizer.num_update == 2
    assert [*updater.states] == [*range(len(before))]


@with_torch
@pytest.mark.slow
def test_a_worker_that_cannot_write_leaves_the_old_files(groups: Groups, tmp_path: Path) -> None:
    first, second = groups(2).run("fails_to_write", tmp_path)
    assert "another worker could not write" in first["error"]
    assert second["error"].startswith("StatesError")
    for each in (first, second):
        assert each["same"]
        assert each["files"] == 3
