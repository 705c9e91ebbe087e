"""The loader: the same batches without workers, from threads and from processes."""

import gc
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hy_ndarray
from hy_gluon.data import (
    DataError,
    DataLoader,
    Dataset,
    ExhaustedError,
    SequentialSampler,
    SimpleDataset,
    WorkerError,
    WorkerTimeoutError,
    workers as workers_module,
)
from hy_ndarray import cpu, nd

WORKERS = [
    {},
    {"num_workers": 1},
    {"num_workers": 3},
    {"num_workers": 2, "prefetch": 0},
    {"num_workers": 2, "prefetch": 9},
    {"num_workers": 2, "thread_pool": True},
]
EACH = pytest.mark.parametrize(
    "workers", WORKERS, ids=lambda w: ",".join(f"{k}={v}" for k, v in w.items()) or "none"
)


class Pairs(Dataset):
    """An array of ``size`` elements and a number; ``bad`` raises."""

    def __init__(self, count: int = 7, size: int = 3, bad: int | None = None) -> None:
        self.count, self.size, self.bad = count, size, bad

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, idx: Any) -> Any:
        if idx == self.bad:
            raise KeyError(f"item {idx}")
        return np.full((self.size,), idx, np.float32), idx


def numbers(loader: Any) -> list[Any]:
    return [label.asnumpy().tolist() for _, label in loader]


@EACH
def test_every_kind_of_worker_gives_the_same_batches(workers: Any) -> None:
    loader = DataLoader(Pairs(7, 20000), 3, **workers)
    assert len(loader) == 3
    for _ in range(2):
        batches = list(loader)
        assert [label.asnumpy().tolist() for _, label in batches] == [[0, 1, 2], [3, 4, 5], [6]]
        for image, label in batches:
            assert image.shape == (len(label), 20000)
            assert (image.asnumpy()[:, -1] == label.asnumpy()).all()
            assert (image.dtype, image.context) == (np.float32, cpu(0))


@EACH
def test_batches_can_be_changed_in_place(workers: Any) -> None:
    loader = DataLoader(Pairs(4, 20000), 2, **workers)
    first, _ = next(iter(loader))
    first[:] = first + 1
    assert first.asnumpy()[:, 0].tolist() == [1, 2]


@EACH
def test_shuffled_orders_are_numpys_whoever_works(workers: Any) -> None:
    np.random.seed(5)  # noqa: NPY002  # the generator that users seed
    loader = DataLoader(Pairs(), 3, shuffle=True, **workers)
    first = numbers(loader)
    np.random.seed(5)  # noqa: NPY002
    order = np.random.permutation(7).tolist()  # noqa: NPY002
    assert first == [order[:3], order[3:6], order[6:]]
    assert numbers(loader) != first


@EACH
def test_rests_and_samplers_are_respected(workers: Any) -> None:
    discarding = DataLoader(Pairs(5), 2, last_batch="discard", **workers)
    assert [numbers(discarding), len(discarding)] == [[[0, 1], [2, 3]], 2]
    rolling = DataLoader(Pairs(5), 2, last_batch="rollover", **workers)
    assert [numbers(rolling), numbers(rolling)] == [[[0, 1], [2, 3]], [[4, 0], [1, 2], [3, 4]]]
    sampled = DataLoader(Pairs(5), 2, sampler=SequentialSampler(3, 2), **workers)
    assert numbers(sampled) == [[2, 3], [4]]
    batched = DataLoader(Pairs(5), batch_sampler=[[4], [3, 0]], **workers)
    assert (numbers(batched), len(batched)) == ([[4], [3, 0]], 2)


@EACH
def test_any_function_can_make_the_batch(workers: Any) -> None:
    loader = DataLoader([1, 2, 3], 2, batchify_fn=lambda batch: sum(batch) + 1, **workers)
    assert list(loader) == [4, 4]


@EACH
def test_an_error_comes_at_its_batch_and_the_loader_goes_on(workers: Any) -> None:
    loader = DataLoader(Pairs(7, bad=4), 2, **workers)
    for _ in range(2):
        batches = iter(loader)
        assert next(batches)[1].asnumpy().tolist() == [0, 1]
        next(batches)
        with pytest.raises(KeyError, match="item 4") as caught:
            next(batches)
        with pytest.raises(StopIteration):
            next(batches)
        notes = caught.value.__notes__
        assert notes[0] == "in item 4 of Pairs"
        if "thread_pool" in workers:
            assert notes[1].startswith("in the worker thread hy-data_")
        elif workers.get("num_workers"):
            assert re.match(r"in the worker process \S+ \(pid \d+\):\nTraceback", notes[1])
            assert 'raise KeyError(f"item {idx}")' in notes[1]


class Chained(Pairs):
    """Items raise errors that come from others."""

    def __getitem__(self, idx: Any) -> Any:
        try:
            _middle(hides=idx == 1)
        except OSError as error:
            raise Unpicklable(f"item {idx}", None) if idx > 1 else KeyError("mine") from error


def _middle(*, hides: bool) -> None:
    try:
        [*range(0)].pop()
    except IndexError as error:
        raise OSError(5, "middle") from None if hides else error


class Unpicklable(Exception):  # noqa: N818
    """Takes more arguments than it hands on."""

    def __init__(self, text: str, more: object) -> None:
        super().__init__(text)
        self.more = more


def chain_of(error: BaseException | None) -> list[str]:
    names = []
    while error is not None:
        names.append(type(error).__name__)
        hidden = error.__cause__ is None and error.__suppress_context__
        error = None if hidden else error.__cause__ or error.__context__
    return names


@EACH
def test_what_an_error_came_from_comes_with_it(workers: Any) -> None:
    for item, chain in ((0, ["KeyError", "OSError", "IndexError"]), (1, ["KeyError", "OSError"])):
        with pytest.raises(KeyError) as caught:
            next(iter(DataLoader(Chained(3), batch_sampler=[[item]], **workers)))
        assert chain_of(caught.value) == chain


def test_an_error_that_cannot_be_pickled_is_told_with_its_item_and_worker() -> None:
    message = r"^Unpicklable: item 2; in item 2 of Chained; in the worker process \S+ \(pid \d+\)\n"
    with pytest.raises(WorkerError, match=message) as caught:
        next(iter(DataLoader(Chained(3), batch_sampler=[[2]], num_workers=1)))
    assert chain_of(caught.value)[:2] == ["WorkerError", "OSError"]


@EACH
def test_an_error_of_a_transform_or_batchify_fn_names_the_items(workers: Any) -> None:
    def broken(*_: Any) -> Any:
        raise ValueError("of the program")

    def first(loader: DataLoader) -> list[str]:
        with pytest.raises(ValueError, match="of the program") as caught:
            next(iter(loader))
        return caught.value.__notes__

    data = SimpleDataset([*range(20)])
    transformed = DataLoader(data.transform(broken), batch_sampler=[[7, 8]], **workers)
    assert first(transformed)[0] == "in item 7 of _LazyTransformDataset"
    batched = DataLoader(data, batch_sampler=[[7, 8]], batchify_fn=broken, **workers)
    assert first(batched)[0] == "in batchify_fn, of the items [7, 8]"


class Exhausted(Pairs):
    """An iterator ends too early."""

    def __getitem__(self, idx: Any) -> Any:
        return super().__getitem__(idx) if idx < 4 else next(iter([]))


@EACH
def test_a_dataset_that_raises_stop_iteration_does_not_end_the_pass(workers: Any) -> None:
    batches = iter(DataLoader(Exhausted(7), 2, **workers))
    assert [next(batches)[1].asnumpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(ExhaustedError, match=r"begins with item 4.*default") as caught:
        next(batches)
    assert isinstance(caught.value, RuntimeError)  # as generators do
    lines = traceback.format_exception(caught.value)
    assert "next(iter([]))" in "".join(lines)


@EACH
def test_two_passes_may_interleave(workers: Any) -> None:
    loader = DataLoader(Pairs(6), 2, **workers)
    pairs = [
        (a.asnumpy()[0], b.asnumpy()[0]) for (_, a), (_, b) in zip(loader, loader, strict=True)
    ]
    assert pairs == [(0, 0), (2, 2), (4, 4)]


@EACH
def test_a_pass_can_be_broken_off(workers: Any) -> None:
    loader = DataLoader(Pairs(100), 2, **workers)
    for i, (_, label) in enumerate(loader):
        if i == 3:
            assert label.asnumpy().tolist() == [6, 7]
            break
    assert next(iter(loader))[1].asnumpy().tolist() == [0, 1]


class UnpicklableError(ValueError):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def fail_unpicklably(item: Any) -> None:
    raise UnpicklableError(item, 2)


def test_errors_that_cannot_travel_are_told() -> None:
    loader = DataLoader(SimpleDataset([1]).transform(fail_unpicklably), 1, num_workers=1)
    with pytest.raises(WorkerError, match="UnpicklableError: 1 and 2"):
        list(loader)


def end_process(item: int) -> int:
    if item == 3:
        os._exit(7)
    return item


def kill_process(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


@pytest.mark.parametrize(
    ("end", "message"),
    [(end_process, "died with exit code 7"), (kill_process, r"exit code -9 \(SIGKILL\).*memory")],
)
def test_a_dead_process_is_told_and_replaced(end: Any, message: str) -> None:
    loader = DataLoader(SimpleDataset(list(range(6))).transform(end), 2, num_workers=2)
    for _ in range(2):
        with pytest.raises(WorkerError, match=message):
            list(loader)


def test_a_dead_process_is_told_while_its_children_hold_its_pipes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers_module, "_LOOK", 0.05)
    ours, theirs = os.pipe()

    def leave_a_child(item: int) -> int:
        if item == 3 and os.fork():
            os._exit(7)
        if item == 3:
            os.close(theirs)
            os.read(ours, 1)  # until the test ends
            os._exit(0)
        return item

    loader = DataLoader(SimpleDataset(list(range(6))).transform(leave_a_child), 2, num_workers=1)
    try:
        with pytest.raises(WorkerError, match="died with exit code 7"):
            list(loader)
    finally:
        os.close(theirs)
        os.close(ours)


def test_neither_side_waits_for_the_other_to_read() -> None:
    loader = DataLoader(SimpleDataset([0.0] * 180_000), 4000, num_workers=1, prefetch=45)
    assert sum(len(batch) for batch in loader) == 180_000


PROGRAM = """
import multiprocessing
import re
from hy_gluon.data import DataLoader

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    loader = DataLoader(list(range(5)), 2, num_workers=2)
    print([batch.asnumpy().tolist() for batch in loader])
    try:
        DataLoader([1], 1, num_workers=1, batchify_fn=lambda batch: batch)
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.slow
def test_a_program_chooses_how_processes_begin(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, program], capture_output=True, check=True, text=True
    )
    batches, error = done.stdout.splitlines()
    assert batches == "[[0, 1], [2, 3], [4]]"
    assert error.startswith("WorkerError worker processes cannot be started by 'spawn'")


@pytest.mark.slow
def test_workers_are_forked_in_a_program_that_has_used_processes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing\n"
        "from hy_gluon.data import DataLoader\n"
        "multiprocessing.get_context()  # Python's default counts as selected from here on\n"
        "data = DataLoader([1, 2], 2, num_workers=1, batchify_fn=lambda batch: sum(batch))\n"
        "print(list(data))\n"
    )
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, program], capture_output=True, check=True, text=True
    )
    assert done.stdout == "[3]\n"


@pytest.mark.parametrize("threads", [False, True])
def test_a_stuck_worker_is_told(threads: bool) -> None:
    slow = SimpleDataset([0.3]).transform(time.sleep)
    loader = DataLoader(slow, 1, num_workers=1, timeout=0.05, thread_pool=threads)
    with pytest.raises(WorkerTimeoutError, match=r"no batch within 0.05 seconds") as caught:
        list(loader)
    assert isinstance(caught.value, TimeoutError)
    assert isinstance(caught.value, multiprocessing.TimeoutError)  # what MXNet raises


@pytest.mark.slow
def test_no_process_is_left() -> None:
    gc.collect()
    before = set(multiprocessing.active_children())
    loaders = [DataLoader(Pairs(50), 2, num_workers=2) for _ in range(2)]
    passes = [iter(loader) for loader in loaders]
    assert [next(batches)[1].asnumpy().tolist() for batches in passes] == [[0, 1]] * 2
    assert len(set(multiprocessing.active_children()) - before) == 4
    loaders[0].close()
    assert len(set(multiprocessing.active_children()) - before) == 2
    del loaders[1], passes[1]
    assert set(multiprocessing.active_children()) == before
    with pytest.raises(WorkerError, match="have ended"):
        next(passes[0])
    assert len(numbers(loaders[0])) == 25  # it starts again when it is used again
    loaders[0].close()


@pytest.mark.slow
def test_workers_go_when_the_main_process_is_killed() -> None:
    program = (
        "import multiprocessing, os, signal\n"
        "from hy_gluon.data import DataLoader\n"
        "loaders = [DataLoader(list(range(99)), 2, num_workers=2) for _ in range(2)]\n"
        "passes = [next(iter(loader)) for loader in loaders]\n"
        "print(*[p.pid for p in multiprocessing.active_children()], flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)  # noqa: S603  # our own program
    numbers = list(map(int, done.stdout.split()))
    assert len(numbers) == 4
    end = time.monotonic() + 20
    while any(map(_running, numbers)):
        assert time.monotonic() < end, "worker processes outlive the main process"
        time.sleep(0.05)


def _running(number: int) -> bool:
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:  # noqa: PTH123  # a kernel file
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def draw(_: Any) -> Any:
    return np.random.rand(), random.random(), nd.random.uniform(shape=(1,)).asscalar()  # noqa: NPY002, S311


def seed(number: int) -> None:
    np.random.seed(number)  # noqa: NPY002  # what transforms draw from
    random.seed(number)
    hy_ndarray.random.seed(number)


def test_random_transforms_repeat_whoever_works() -> None:
    dataset = SimpleDataset(list(range(6))).transform(draw)
    runs = []
    for workers in (1, 3):
        seed(4)
        loader = DataLoader(dataset, 2, num_workers=workers)
        runs.append([[[p.asnumpy().tolist() for p in b] for b in loader] for _ in range(2)])
    assert runs[0] == runs[1]
    flat = np.array(runs[0]).reshape(4 * 3 // 2, 3, 2)  # batch, generator, item
    for generator in range(3):
        assert len(np.unique(flat[:, generator])) == flat[:, generator].size
    seed(5)
    loader = DataLoader(dataset, 2, num_workers=2)
    assert [[p.asnumpy().tolist() for p in b] for b in loader] != runs[0][0]


def test_a_pass_can_begin_ahead() -> None:
    seen: list[int] = []

    def note(item: int) -> int:
        seen.append(item)
        return item

    dataset = SimpleDataset(list(range(4))).transform(note)
    loader = DataLoader(dataset, 2, num_workers=1, thread_pool=True, auto_reload=True)
    end = time.monotonic() + 10
    while len(seen) < 4:
        assert time.monotonic() < end, "the pass did not begin"
        time.sleep(0.001)
    for _ in range(3):
        assert [batch.asnumpy().tolist() for batch in loader] == [[0, 1], [2, 3]]
    loader.clean()
    assert len(list(loader)) == 2
    loader.close()


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({}, "batch_size must be given"),
        ({"batch_size": 2, "shuffle": True, "sampler": [1]}, "cannot be combined with sampler"),
        ({"batch_size": 2, "batch_sampler": [[1]]}, "cannot be combined with batch_sampler"),
        ({"last_batch": "keep", "batch_sampler": [[1]]}, "cannot be combined with batch_sampler"),
        ({"batch_size": 2, "timeout": 0}, "timeout must be more than 0 seconds, not 0"),
        ({"batch_size": 2, "last_batch": "drop"}, "not 'drop'"),
    ],
)
def test_arguments_that_contradict_are_named(kwargs: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        DataLoader([1, 2, 3], **kwargs)


def test_settings_without_effect_are_accepted() -> None:
    loader = DataLoader([1, 2], 2, pin_memory=True, pin_device_id=1, num_workers=-1, prefetch=-1)
    assert [batch.asnumpy().tolist() for batch in loader] == [[1, 2]]
