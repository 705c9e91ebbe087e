"""Kernel tables of threads and tasks: side by side, on the same arrays, without surprises."""

import asyncio
import sys
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any, TypeVar

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_gluon.data import DataLoader, SimpleDataset
from hy_kernels.numpy import NumpyTable
from hy_kernels.record import Kernel
from hy_ndarray import NDArray, autograd, cpu, device_of, nd, use_kernels
from hy_ndarray.testing import fresh_tables
from hy_symbol import sym
from tests.kernels.tiny_table import KERNELS, Block, TinyTable

T = TypeVar("T")


@pytest.fixture(autouse=True)
def _tables_are_fresh() -> Iterator[None]:
    with fresh_tables():
        yield


@pytest.fixture
def _hasty() -> Iterator[None]:
    """Threads give way to each other at almost every call."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def tiny(name: str = "tiny") -> TinyTable:
    return TinyTable(name, KERNELS)


def table_name() -> str:
    return device_of(cpu()).table.name


def in_thread(function: Callable[[], T]) -> T:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def at_once(*functions: Callable[[], T]) -> list[T]:
    with ThreadPoolExecutor(len(functions)) as pool:
        return [future.result() for future in [pool.submit(each) for each in functions]]


# --- scopes -----------------------------------------------------------------------------------


def test_a_scope_is_of_the_thread_that_enters_it() -> None:
    usual = table_name()
    with use_kernels(tiny()):
        assert table_name() == "tiny"
        assert in_thread(table_name) == usual
    assert table_name() == usual


def test_a_plain_call_is_of_the_process() -> None:
    entered, switched = Event(), Event()

    def other() -> tuple[str, str]:
        before = table_name()
        entered.set()
        assert switched.wait(60)
        return before, table_name()

    with ThreadPoolExecutor(1) as pool:
        names = pool.submit(other)
        assert entered.wait(60)
        before = table_name()
        use_kernels(tiny())
        switched.set()
        assert names.result() == (before, "tiny")
    assert in_thread(table_name) == table_name() == "tiny"


def test_a_plain_call_changes_no_scope() -> None:
    with use_kernels(tiny("mine")):
        in_thread(lambda: use_kernels(tiny("everybody's")))
        assert table_name() == "mine"
    assert table_name() == "everybody's"


def test_scopes_that_overlap_in_time_leave_the_process_as_it_was() -> None:
    usual, both, left = table_name(), Barrier(2, timeout=60), Barrier(2, timeout=60)

    def scoped(name: str, waits_for_the_other: bool) -> str:
        with use_kernels(tiny(name)):
            both.wait()
            if waits_for_the_other:
                left.wait()
            found = table_name()
        if not waits_for_the_other:
            left.wait()
        assert table_name() == usual
        return found

    assert at_once(lambda: scoped("a", False), lambda: scoped("b", True)) == ["a", "b"]
    assert table_name() == usual


def test_a_choice_may_be_entered_later_and_again() -> None:
    usual = table_name()
    choice = use_kernels(tiny())
    assert in_thread(table_name) == "tiny"
    for _ in range(2):
        with choice, choice:
            assert (table_name(), in_thread(table_name)) == ("tiny", usual)
        assert table_name() == usual


def test_threads_that_load_data_are_in_the_scopes_of_the_one_that_asks() -> None:
    table = NumpyTable()
    tables = SimpleDataset(range(4)).transform(lambda _: nd.ones((1,)).device.table)
    loader = DataLoader(tables, 2, num_workers=2, thread_pool=True, batchify_fn=list)
    with use_kernels(table):
        assert list(loader) == [[table, table]] * 2


def test_tasks_have_scopes_of_their_own() -> None:
    async def task(name: str) -> list[str]:
        names = []
        with use_kernels(tiny(name)):
            for _ in range(3):
                names.append(table_name())
                await asyncio.sleep(0)  # lets the other task run
        return names

    async def both() -> tuple[list[str], list[str]]:
        first, second = await asyncio.gather(task("a"), task("b"))
        return first, second

    assert asyncio.run(both()) == (["a"] * 3, ["b"] * 3)


def test_a_task_begun_inside_of_a_scope_is_in_it_until_it_ends() -> None:
    usual = table_name()

    async def run() -> tuple[str, str]:
        ended = asyncio.Event()

        async def inner() -> tuple[str, str]:
            before = table_name()
            await ended.wait()
            return before, table_name()

        with use_kernels(tiny()):
            task = asyncio.create_task(inner())
            await asyncio.sleep(0)
        ended.set()
        return await task

    assert asyncio.run(run()) == ("tiny", usual)


def test_a_generator_that_is_dropped_inside_of_its_scope_ends_it() -> None:
    usual = table_name()

    def numbers() -> Generator[int]:
        with use_kernels(tiny()):
            yield 1

    numbered = numbers()
    next(numbered)
    in_thread(numbered.close)
    assert table_name() == usual


# --- arrays -----------------------------------------------------------------------------------


def test_arrays_go_from_thread_to_thread() -> None:
    x = nd.array([1, 2, 3])

    def on_tiny() -> tuple[type, NDArray]:
        with use_kernels(tiny()):
            y = x + x
            return type(y.buffer), y

    kind, y = in_thread(on_tiny)
    assert kind is Block
    assert (x * y).asnumpy().tolist() == [2, 8, 18]
    assert type(x.buffer) is type(nd.ones(1).buffer)


def test_a_call_goes_on_where_another_thread_takes_its_operands_meanwhile() -> None:
    x, y = nd.array([1, 2, 3]), nd.array([10, 20, 30])
    expected = (x + y).asnumpy()

    class Interrupted(TinyTable):
        def find(self, kernel: str) -> Kernel | None:
            found = super().find(kernel)
            if found is None or kernel != "broadcast_add":
                return found

            def run(*blocks: Any) -> Any:
                in_thread(lambda: (use_kernels("numpy"), x * y))
                return found.function(*blocks)

            return Kernel(kernel, run)

    use_kernels(Interrupted("interrupted", KERNELS))
    z = x + y
    np.testing.assert_array_equal(z.asnumpy(), expected)
    assert table_name() == "numpy"
    np.testing.assert_array_equal((z + x).asnumpy(), expected + x.asnumpy())


def test_what_is_written_on_one_table_is_known_on_the_other() -> None:
    net = nn.Dense(3, in_units=4, use_bias=False)
    net.initialize()
    net.hybridize(static_alloc=True)
    x, weight = nd.ones((2, 4)), net.weight.data()
    alias = weight[0:2]
    for _ in range(3):
        net(x)
    with use_kernels(NumpyTable()):
        alias[:] = 5
    assert net(x).asnumpy()[:, :2].tolist() == [[20, 20], [20, 20]]


# --- at once ----------------------------------------------------------------------------------


def conv_net() -> HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(3))
    net.initialize()
    return net


def eager(rng: np.random.Generator) -> Callable[[], Any]:
    x, y = (nd.array(rng.standard_normal((3, 4))) for _ in range(2))

    def compute() -> Any:
        return (nd.dot(x, y.T) + nd.concat(x, y, dim=0).sum()).asnumpy()

    return compute


def hybridized(rng: np.random.Generator, **flags: Any) -> Callable[[], Any]:
    net, x = conv_net(), nd.array(rng.standard_normal((2, 2, 6, 6)))
    net.hybridize(**flags)
    return lambda: net(x).asnumpy()


def static(rng: np.random.Generator) -> Callable[[], Any]:
    return hybridized(rng, static_alloc=True)


def gradients(rng: np.random.Generator) -> Callable[[], Any]:
    net, x = conv_net(), nd.array(rng.standard_normal((2, 2, 6, 6)))
    net.hybridize()

    def compute() -> Any:
        mine = x.copy()
        mine.attach_grad()
        with autograd.record(train_mode=False):
            y = (net(mine) ** 2).sum()
        return autograd.grad(y, [mine])[0].asnumpy()

    return compute


def executors(rng: np.random.Generator) -> Callable[[], Any]:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc") ** 2
    args = {name: nd.array(rng.standard_normal(shape)) for name, shape in SHAPES.items()}

    def compute() -> Any:
        grads = {"x": nd.zeros((2, 4))}
        executor = net.bind(cpu(), args, grads, {"x": "write"})
        executor.forward(is_train=True)
        executor.backward([nd.ones((2, 3))])
        return grads["x"].asnumpy()

    return compute


SHAPES = {"x": (2, 4), "fc_weight": (3, 4), "fc_bias": (3,)}
WORK = pytest.mark.parametrize("work", [eager, hybridized, static, gradients, executors])


@WORK
@pytest.mark.usefixtures("_hasty")
def test_threads_on_two_tables_share_arrays(
    work: Callable[[np.random.Generator], Callable[[], Any]], rng: np.random.Generator
) -> None:
    compute, tables, start = work(rng), [NumpyTable(), NumpyTable()], Barrier(4, timeout=60)
    expected = compute()

    def loop(number: int) -> None:
        start.wait()
        for _ in range(25):
            if number == 2:
                np.testing.assert_allclose(compute(), expected, rtol=1e-4, atol=1e-5)
            else:
                with use_kernels(tables[number % 2]):
                    np.testing.assert_allclose(compute(), expected, rtol=1e-4, atol=1e-5)

    at_once(*[lambda n=n: loop(n) for n in range(4)])


@WORK
@pytest.mark.usefixtures("_hasty")
def test_threads_go_on_while_one_switches_the_table_of_the_process(
    work: Callable[[np.random.Generator], Callable[[], Any]], rng: np.random.Generator
) -> None:
    compute, tables, start = work(rng), [NumpyTable(), NumpyTable()], Barrier(4, timeout=60)
    expected, done = compute(), Event()

    def loop() -> None:
        start.wait()
        for _ in range(25):
            np.testing.assert_allclose(compute(), expected, rtol=1e-4, atol=1e-5)
        done.set()

    def switch() -> None:
        start.wait()
        while not done.is_set():
            for table in tables:
                use_kernels(table)
                nd.ones((1,)) + 1

    at_once(loop, loop, loop, switch)
