"""Arenas: the same numbers out of memory that is laid out once, which nobody else ever sees."""

import threading
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from hy_ndarray import Device, KernelError, KernelTable, cpu, device_of, nd, use_kernels
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_symbol import Differentiable, Program, Symbol, TypedGraph, explained, memory_of, sym
from hy_symbol.compile import arena as arena_module
from hy_symbol.compile.arena import Arena, Pool, laid_out
from hy_symbol.compile.lifetimes import Lifetime, lifetimes_of
from hy_symbol.compile.plan import Storage
from tests.symbol.allocations import peak
from tests.symbol.graph_runs import typed
from tests.symbol.random_graphs import SHAPE, Step, built, recipes
from tests.symbol.small_plans import plan_small_arrays

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers, and how it plans graphs

Array = npt.NDArray[Any]


def here() -> Device:
    """The CPU, as it is served now."""
    return device_of(cpu())


def static(net: Symbol, *arrays: Array) -> Program:
    return Program.of(typed(net, arrays), here(), is_train=False, pool=Pool())


def static_pair(net: Symbol, *arrays: Array, pool: Pool | None = None) -> Differentiable:
    return Differentiable.of(
        typed(net, arrays),
        range(len(arrays)),
        here(),
        is_train=True,
        pool=Pool() if pool is None else pool,
    )


def layers(count: int, size: int, bend: Callable[[Symbol], Symbol] = sym.tanh) -> Symbol:
    net = sym.var("x")
    for i in range(count):
        net = sym.FullyConnected(net, num_hidden=size, no_bias=True, name=f"fc{i}")
        net = bend(net)
    return net


def square(size: int, count: int, seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(size, size), scale=size**-0.5) for _ in range(count)]


# --- the layout -----------------------------------------------------------------------------------

spans = st.tuples(st.integers(1, 400), st.integers(0, 30), st.integers(0, 8))


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(spans, max_size=40))
def test_what_lives_at_the_same_time_has_places_of_its_own(
    parts: list[tuple[int, int, int]],
) -> None:
    lives = [
        Lifetime(Storage(owned=True, first=first), size, first, first + length)
        for size, first, length in parts
    ]
    offsets, total = laid_out(lives, 64)
    for i, (a, start) in enumerate(zip(lives, offsets, strict=True)):
        assert start % 64 == 0
        assert start + a.size <= total
        for b, other in zip(lives[:i], offsets, strict=False):
            if a.first <= b.last and b.first <= a.last:
                assert start + a.size <= other or other + b.size <= start


def test_memory_is_used_again_when_a_value_is_dead() -> None:
    lives = [Lifetime(Storage(owned=True, first=k), 128, k, k + 1) for k in range(10)]
    assert laid_out(lives, 64) == ([0, 128] * 5, 256)


def test_what_is_returned_is_not_in_the_arena() -> None:
    arrays = square(64, 3)
    net = layers(2, 64)
    program = static(net, *arrays)
    lives = lifetimes_of(program.plan)
    assert all(life.last < inf for life in lives)
    arena = Arena(Pool(), here(), [program.plan], [lives])
    assert arena.size == 64 * 64 * 8  # of the layer in front; the last one is returned
    (first,) = program(*arrays)
    kept = first.copy()
    program(*[-array for array in arrays])
    np.testing.assert_array_equal(first, kept)


class FreshLayers:
    """A table whose layers return arrays of their own, whatever out buffers they are given."""

    device_types = ("cpu",)

    def __init__(self, fallback: KernelTable) -> None:
        self.name, self.fallback = "fresh layers", fallback.name
        self.buffer_type, self.memory = fallback.buffer_type, fallback.memory
        for name in ("count", "device", "generator", "limits", "synchronize"):
            setattr(self, name, getattr(fallback, name))
        layer: Any = fallback.find("fully_connected")

        def fresh(*operands: Array, out: Any = None, **params: Any) -> Any:
            return layer.function(*operands, **params)

        self._layer = replace(layer, function=fresh, out="apart", specialize=None)

    def find(self, kernel: str) -> Any:
        return self._layer if kernel == "fully_connected" else None


@pytest.mark.parametrize("bend", [sym.identity, sym.tanh], ids=["alone", "in place"])
def test_views_are_of_what_a_kernel_returns(bend: Callable[[Symbol], Symbol]) -> None:
    net = sym.transpose(sym.reshape(layers(1, 64, bend), shape=(32, 128)))
    arrays = square(64, 2)
    (expected,) = static(net, *arrays)(*arrays)
    fresh: Any = FreshLayers(here().table)
    with use_kernels(fresh):
        program = static(net, *arrays)
        for sign in (1, -1):
            (value,) = program(sign * arrays[0], arrays[1])
            np.testing.assert_array_equal(value, sign * expected)


# --- the same numbers -----------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=120, deadline=None, derandomize=True)
@given(recipes(), st.integers(0, 2**31))
def test_a_random_graph_gives_the_same_in_an_arena(steps: list[Step], seed: int) -> None:
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        plan_small_arrays(patch)
        _check_random(built(sym, steps, sym.var("x"), sym.var("y")), rng)


def _check_random(net: Symbol, rng: np.random.Generator) -> None:
    sets = [[rng.uniform(-1, 1, SHAPE) for _ in net.list_arguments()] for _ in range(3)]
    head = rng.uniform(-1, 1, SHAPE)
    plain = Program([(v, 0) for v in net.graph.variables], net.graph.outputs, here(), is_train=True)
    program, both = static(net, *sets[0]), static_pair(net, *sets[0])
    alone = Differentiable.of(net.graph, range(len(sets[0])), here(), is_train=True)
    found = []
    for arrays in sets:
        (y,), saved = both.run(arrays)
        found.append((*program(*arrays), y, both.gradients([head], arrays, saved, last=True)))
    for arrays, (value, y, gradients) in zip(sets, found, strict=True):  # after all of them ran
        (expected,) = plain(*arrays)
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)
        _, saved = alone.run(arrays)
        others = dict(
            zip(alone.targets, alone.gradients([head], arrays, saved, last=True), strict=True)
        )
        for position, gradient in zip(both.targets, gradients, strict=True):
            np.testing.assert_allclose(gradient, others[position], rtol=1e-10, atol=1e-13)


def test_passes_may_be_under_way_at_once() -> None:
    net = layers(3, 40)
    sets = [square(40, 4, seed) for seed in range(3)]
    head = np.ones((40, 40))
    pool = Pool()
    both = static_pair(net, *sets[0], pool=pool)
    expected = []
    for arrays in sets:
        _, saved = both.run(arrays)
        expected.append(both.gradients([head], arrays, saved, last=True))
    open_passes = [both.run(arrays)[1] for arrays in sets]
    found = [
        both.gradients([head], arrays, saved, last=True)
        for arrays, saved in zip(sets[::-1], open_passes[::-1], strict=True)
    ]
    for one, other in zip(found[::-1], expected, strict=True):
        for gradient, wanted in zip(one, other, strict=True):
            np.testing.assert_array_equal(gradient, wanted)
    assert pool.pieces == 3


@pytest.mark.parametrize("retained", [False, True])
def test_what_is_retained_can_be_gone_through_again(retained: bool) -> None:
    arrays, head = square(40, 4), np.ones((40, 40))
    both = Differentiable.of(
        typed(layers(3, 40), arrays),
        range(4),
        here(),
        is_train=True,
        pool=Pool(),
        retained=retained,
    )
    _, saved = both.run(arrays)
    first = both.gradients([head], arrays, saved)
    second = both.gradients([head * 2], arrays, saved)
    last = both.gradients([head], arrays, saved, last=True)
    for one, two, three in zip(first, second, last, strict=True):
        np.testing.assert_allclose(two, one * 2, rtol=1e-12)
        np.testing.assert_array_equal(three, one)


def test_a_pass_that_is_forgotten_gives_its_memory_back() -> None:
    arrays = square(40, 4)
    pool = Pool()
    both = static_pair(layers(3, 40), *arrays, pool=pool)
    for _ in range(5):
        both.run(arrays)
    assert pool.pieces == 1


def test_programs_for_several_shapes_have_one_memory_in_turn() -> None:
    pool, net = Pool(), layers(3, 40)
    sets = [[square(40, 1)[0][:rows], *square(40, 3, rows)] for rows in (20, 40, 30, 20)]
    largest = 0
    for arrays in (*sets, *sets):
        known = [(x.shape, x.dtype.name) for x in arrays]
        program = Program.of(TypedGraph.of(net.graph, known), here(), is_train=False, pool=pool)
        (expected,) = Program.of(TypedGraph.of(net.graph, known), here(), is_train=False)(*arrays)
        first = program(*arrays)[0]
        np.testing.assert_array_equal(program(*arrays)[0], expected)
        np.testing.assert_array_equal(first, expected)
        assert program.arena is not None
        largest = max(largest, program.arena.size)
        assert (pool.pieces, pool.size) == (1, largest)


def test_a_pool_gives_up_what_later_runs_have_no_use_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_module, "_WINDOW", 4)
    pool, net = Pool(), layers(3, 40)
    data, *weights = square(40, 4)
    large, small = (
        Program.of(typed(net, [x, *weights]), here(), is_train=False, pool=pool)
        for x in (np.tile(data, (4, 1)), data)
    )
    assert large.arena is not None
    assert small.arena is not None
    leases = [large.arena.lease() for _ in range(3)]
    assert (pool.pieces, pool.size) == (3, 3 * large.arena.size)
    del leases
    for _ in range(4):
        large.arena.lease().release()
    assert (pool.pieces, pool.size) == (3, 3 * large.arena.size)  # there was a use for three
    for _ in range(4):
        small.arena.lease().release()
    assert (pool.pieces, pool.size) == (1, large.arena.size)
    for _ in range(4):
        small.arena.lease().release()
    assert (pool.pieces, pool.size) == (1, small.arena.size)


def test_a_pool_gives_up_the_memory_of_a_table_that_was_swapped() -> None:
    arrays = square(40, 4)
    pool, net = Pool(), layers(3, 40)
    for _ in range(3):
        with use_kernels("numpy"):
            Program.of(typed(net, arrays), here(), is_train=False, pool=pool)(*arrays)
            assert pool.pieces == 1


def test_threads_have_blocks_of_their_own() -> None:
    program = static(layers(4, 40), *square(40, 5))
    sets = [square(40, 5, seed) for seed in range(6)]
    expected = [program(*arrays)[0] for arrays in sets]
    right: list[bool] = []

    def work(arrays: list[Array], wanted: Array) -> None:
        values = [program(*arrays)[0] for _ in range(30)]
        right.append(all(np.array_equal(value, wanted) for value in values))

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(sets, expected, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 6


def test_a_run_that_failed_leaves_the_program_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = square(40, 5)
    program = static(layers(4, 40), *arrays)
    (expected,) = program(*arrays)

    def kernel(*operands: Any, **params: Any) -> Any:
        raise RuntimeError("out of order")

    with monkeypatch.context() as patch:
        patch.setitem(program.scope, "k4", kernel)
        with pytest.raises(KernelError, match=r"'fc2': the kernel failed .*out of order"):
            program(*arrays)
    np.testing.assert_array_equal(program(*arrays)[0], expected)


# --- what must not be in an arena -----------------------------------------------------------------


class _Keeping(CustomOp):
    """Keeps what it is given, as user's code may."""

    kept: ClassVar[list[Any]] = []

    def forward(self, *given: Any) -> None:
        _, req, in_data, out_data, _ = given
        self.kept.append(in_data[0])
        self.assign(out_data[0], req[0], in_data[0] * 2)


@register("keeping_its_input")
class _KeepingProp(CustomOpProp):
    def create_operator(self, *types: Any) -> _Keeping:  # noqa: ARG002  # as it is called
        return _Keeping()


def test_the_users_own_operators_may_keep_what_they_are_given() -> None:
    x = sym.var("x")
    net = sym.tanh(sym.dot(sym.Custom(sym.dot(x, x), op_type="keeping_its_input"), x))
    (a,) = square(40, 1)
    _Keeping.kept.clear()
    program = static(net, a)
    program(a)
    program(-2 * a)
    np.testing.assert_allclose(_Keeping.kept[0].asnumpy(), a @ a, rtol=1e-12)


# --- memory ---------------------------------------------------------------------------------------


def test_a_prediction_allocates_what_it_returns_alone() -> None:
    arrays = [array.astype(np.float32) for array in square(256, 5)]
    program = static(layers(4, 256, sym.square), *arrays)
    one = 256 * 256 * 4
    assert memory_of(program).naive == 7 * one
    assert one <= peak(lambda: program(*arrays)) < 1.1 * one


def test_an_explanation_tells_what_is_allocated_in_each_call() -> None:
    arrays = [array.astype(np.float32) for array in square(64, 2)]
    net = sym.exp(layers(1, 64))
    net = sym.broadcast_add(net, sym.sum(net, axis=1, keepdims=True))
    net = sym.sum(sym.linalg.inverse(net))
    found = explained(static(net, *arrays))
    assert [(*row.operators, row.allocated) for row in found.rows] == [
        ("FullyConnected", False),
        ("tanh", False),
        ("exp", False),
        ("sum", True),  # too small to matter
        ("broadcast_add", False),
        ("_linalg_inverse", True),  # its kernel takes no memory
        ("sum", True),  # returned
    ]
    assert found.memory.arena == 64 * 64 * 4
    assert "an arena of 0.02 MB (+: allocated in each call)" in str(found)
    assert any(line.split()[-2].endswith("+") for line in str(found).splitlines()[2:-1])


def test_a_training_step_allocates_the_gradients_alone() -> None:
    arrays = [array.astype(np.float32) for array in square(256, 5)]
    both = Differentiable.of(
        typed(sym.sum(layers(4, 256, sym.square)), arrays),
        [1, 2, 3, 4],
        here(),
        is_train=True,
        pool=Pool(),
    )
    one = 256 * 256 * 4

    def step() -> Any:
        _, saved = both.run(arrays)
        return both.gradients([np.ones(1, np.float32)], arrays, saved, last=True)

    assert 4 * one <= peak(step) < 5.2 * one  # one more, while a kernel works


def test_passes_that_are_retained_allocate_their_outputs_alone() -> None:
    arrays = [nd.array(array, dtype="float32") for array in square(256, 5)]
    executor = layers(4, 256, sym.square).bind(
        cpu(), arrays, [nd.zeros_like(array) for array in arrays]
    )
    head = nd.ones((256, 256))
    one = 256 * 256 * 4
    executor.forward(is_train=True)
    assert peak(lambda: executor.backward(head)) < 0.2 * one  # gradients lie where they are kept
    executor.forward(is_train=True)  # without a backward pass behind it
    assert one <= peak(lambda: executor.forward(is_train=True)) < 1.2 * one
    assert one <= peak(lambda: executor.forward(is_train=False)) < 1.2 * one
