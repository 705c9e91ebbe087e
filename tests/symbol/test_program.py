"""Programs: graphs as straight-line code over the buffers of a kernel table."""

import gc
import linecache
import threading
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_ndarray import KernelError, OutOfMemoryError, ShapeError, cpu, device_of
from hy_symbol import Entry, Program, Symbol, TypedGraph, sym
from hy_symbol.compile import codegen
from tests.symbol.graph_runs import arrays, buffers

RUNS = pytest.mark.parametrize("compiled", [False, True], ids=["first run", "later run"])
"""A first run is made step by step, a later one by code."""


def program(net: Symbol, *, is_train: bool = False, compiled: bool = False) -> Program:
    inputs = [(node, 0) for node in net.graph.variables]
    made = Program(inputs, net.graph.outputs, device_of(cpu()), is_train=is_train)
    assert not compiled or made.source
    return made


def outcome(run: Program, *given: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    return arrays(run(*buffers(*given)))


@RUNS
def test_a_program_computes_its_outputs(compiled: bool) -> None:
    a, b = sym.var("a"), sym.var("b")
    run = program(sym.Group([a * b + 1, sym.exp(a)]), compiled=compiled)
    first, second = outcome(run, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.testing.assert_array_equal(first, [4.0, 9.0])
    np.testing.assert_allclose(second, np.exp([1.0, 2.0]))


def test_only_what_the_outputs_need_is_computed() -> None:
    a = sym.var("a")
    hidden = sym.relu(a, name="hidden")
    sym.exp(hidden)
    assert [node.name for node in program(sym.square(hidden, name="y")).steps] == ["hidden", "y"]


def test_any_entries_may_be_given() -> None:
    hidden = sym.relu(sym.var("a"), name="hidden")
    net = sym.square(hidden, name="y")
    given: list[Entry] = list(hidden.graph.outputs)
    run = Program(given, net.graph.outputs, device_of(cpu()), is_train=False)
    assert [node.name for node in run.steps] == ["y"]
    (y,) = outcome(run, np.array([3.0]))
    np.testing.assert_array_equal(y, [9.0])


def test_an_input_may_be_an_output_and_an_output_may_be_given_twice() -> None:
    a = sym.var("a")
    y = sym.square(a)
    x, first, second = outcome(program(sym.Group([a, y, y])), np.array([3.0]))
    assert (x[0], first[0], second[0]) == (3.0, 9.0, 9.0)


@RUNS
def test_training_mode_is_the_programs(compiled: bool) -> None:
    net = sym.Dropout(sym.var("x"), p=0.5)
    x = np.ones((100,))
    (same,) = outcome(program(net), x)
    (dropped,) = outcome(program(net, is_train=True, compiled=compiled), x)
    np.testing.assert_array_equal(same, x)
    assert set(np.unique(dropped)) == {0.0, 2.0}


def test_random_numbers_differ_between_runs() -> None:
    run = program(sym.random.uniform(shape=(8,)))
    assert not np.array_equal(outcome(run)[0], outcome(run)[0])


@RUNS
def test_states_are_updated_in_training(compiled: bool) -> None:
    net = sym.BatchNorm(sym.var("x"), fix_gamma=False, momentum=0.0, name="bn")
    zeros, ones = np.zeros(2, np.float32), np.ones(2, np.float32)
    given = buffers(np.array([[1, 2], [3, 4]], np.float32), ones, zeros, zeros, ones)
    program(net)(*given)
    np.testing.assert_array_equal(arrays(given)[3], [0.0, 0.0])
    program(net, is_train=True, compiled=compiled)(*given)
    np.testing.assert_array_equal(arrays(given)[3], [2.0, 3.0])


class _Counted(np.ndarray[Any, Any]):
    """An array that can be referred to weakly."""


@RUNS
def test_intermediate_buffers_are_freed_after_their_last_use(compiled: bool) -> None:
    alive: list[weakref.ref[Any]] = []
    seen: list[int] = []
    net = sym.var("x")
    for _ in range(6):
        net = sym.relu(net)
    run = program(net, compiled=compiled)

    def kernel(x: Any) -> Any:
        seen.append(sum(ref() is not None for ref in alive))
        y = np.array(x).view(_Counted)
        alive.append(weakref.ref(y))
        return y

    for name in [name for name in run.scope if name.startswith("k")]:
        run.scope[name] = kernel
    run(np.ones(2))
    assert max(seen) <= 1


def test_code_is_made_by_the_first_run() -> None:
    codegen._compiled.cache_clear()  # code is shared by text, which another test may have made
    run = program(sym.one_hot(sym.var("x"), depth=53))
    files = set(linecache.cache)
    assert set(linecache.cache) == files
    first = outcome(run, np.ones(2))
    (made,) = set(linecache.cache) - files
    second = outcome(run, np.ones(2))
    assert set(linecache.cache) - files == {made}
    np.testing.assert_array_equal(first, second)


def test_a_late_first_run_leaves_the_code_in_place() -> None:
    run = program(sym.exp(sym.var("x")))
    way = run._free
    assert way is not None
    late = way.run  # as another thread may have read it
    code = way.code()
    np.testing.assert_allclose(arrays(late(buffers(np.ones(2))))[0], np.exp([1.0, 1.0]))
    assert way.run is code.run


def test_functions_of_one_program_are_compiled_beside_each_other() -> None:
    run = program(sym.exp(sym.var("x")))
    run.scope["run"] = other = object()  # as another thread's, compiled for the same scope
    assert run.source
    assert run.scope["run"] is other
    np.testing.assert_allclose(outcome(run, np.ones(2))[0], np.exp([1.0, 1.0]))


def test_the_code_is_readable_and_deletes_what_it_no_longer_needs() -> None:
    run = program(sym.exp(sym.relu(sym.var("x"))))
    assert run.source.splitlines()[:2] == ["def run(inputs):", "    x0, = inputs"]
    assert "    del t0_0" in run.source


@pytest.mark.slow
def test_long_code_is_forgotten_with_the_program() -> None:
    net = sym.var("x")
    for _ in range(2000):
        net = sym.exp(net)
    run = program(net)
    source = run.source
    (name,) = [n for n in [*linecache.cache] if "".join(linecache.getlines(n)) == source]
    del run
    gc.collect()
    assert name not in linecache.cache


@RUNS
def test_an_error_of_a_kernel_names_the_node_and_the_rule(compiled: bool) -> None:
    net = sym.elemwise_add(sym.var("a"), sym.dot(sym.var("b"), sym.var("c"), name="product"))
    with pytest.raises(ShapeError, match="dot 'product'") as caught:
        outcome(program(net, compiled=compiled), *map(np.ones, [(2, 2), (2, 3), (4, 2)]))
    assert any("node made at" in note for note in caught.value.__notes__)


@RUNS
def test_a_failing_kernel_is_reported_with_its_operands(
    monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    run = program(sym.relu(sym.var("x"), name="act"), compiled=compiled)

    def kernel(x: Any) -> Any:
        raise RuntimeError("out of order")

    monkeypatch.setitem(run.scope, "k0", kernel)
    with pytest.raises(KernelError, match=r"relu 'act': the kernel failed on .*out of order"):
        outcome(run, np.ones(2))


@RUNS
def test_a_node_that_memory_does_not_suffice_for_is_named(
    monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    run = program(sym.relu(sym.var("x"), name="act"), compiled=compiled)

    def kernel(x: Any) -> Any:
        raise MemoryError("Unable to allocate 1 TiB")

    monkeypatch.setitem(run.scope, "k0", kernel)
    with pytest.raises(OutOfMemoryError, match=r"^relu 'act': out of memory on .*1 TiB"):
        outcome(run, np.ones(2))


def test_many_threads_may_run_one_program() -> None:
    x = sym.var("x")
    net = sym.FullyConnected(sym.tanh(x * 2), num_hidden=3, no_bias=True, flatten=False)
    run = program(net)
    weight = np.arange(12.0).reshape(3, 4)
    inputs = [np.full((2, 4), float(i)) for i in range(8)]
    expected = [np.tanh(value * 2) @ weight.T for value in inputs]
    right: list[bool] = []

    def work(i: int) -> None:
        results = [outcome(run, inputs[i], weight)[0] for _ in range(50)]
        right.append(all(np.allclose(result, expected[i]) for result in results))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 8


def test_a_long_program_runs() -> None:
    net = sym.var("x")
    for _ in range(3000):
        net = net + 1
    np.testing.assert_array_equal(outcome(program(net), np.zeros(1))[0], [3000.0])


def test_a_kernel_that_fails_on_constants_names_the_node() -> None:
    indefinite = sym.zeros((2, 2))
    net = sym.var("x") + sym.sum(sym.linalg.potrf(indefinite, name="s"))
    typed = TypedGraph.of(net.graph, [((1,), "float32")])
    with pytest.raises(KernelError, match=r"potrf 's': the kernel failed on constants: "):
        Program.of(typed, device_of(cpu()), is_train=False)
