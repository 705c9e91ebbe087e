"""What observers, such as the profiler, see of graphs: every step, with its node."""

import gc
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import KernelFunction, NDArray, ServedContext, cpu, custom, device_of, nd, profiler
from hy_ndarray.devices import instrumentation
from hy_symbol import Program, sym
from tests.profiles import assert_nested, configure, contains, events, names, recorded

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers, and how it plans graphs


class Counting:
    """An observer that counts the calls of steps by node."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.kernels: list[KernelFunction] = []

    def eager(self, kernel: KernelFunction, name: str, device: ServedContext) -> KernelFunction:  # noqa: ARG002
        return kernel

    def step(
        self,
        kernel: KernelFunction,
        name: str,  # noqa: ARG002
        device: ServedContext,  # noqa: ARG002
        details: Mapping[str, Any],
    ) -> KernelFunction:
        self.kernels.append(kernel)

        def counted(*args: Any, **kwargs: Any) -> Any:
            node = details["node"]
            self.calls[node] = self.calls.get(node, 0) + 1
            return kernel(*args, **kwargs)

        return counted

    def spanned(
        self,
        function: Callable[..., Any],
        name: str,  # noqa: ARG002
        category: str,  # noqa: ARG002
        details: Any,  # noqa: ARG002
    ) -> Callable[..., Any]:
        return function

    def span(self, *_: Any) -> AbstractContextManager[None]:
        return nullcontext()

    def custom(self, name: str) -> AbstractContextManager[None]:  # noqa: ARG002
        return nullcontext()


@pytest.fixture
def counting() -> Iterator[Counting]:
    """An observer to be used; there is none behind the test."""
    yield Counting()
    instrumentation.observe(None)


def program_of(symbol: Any) -> Program:
    graph = symbol.graph
    inputs = [(node, 0) for node in graph.variables]
    return Program(inputs, graph.outputs, device_of(cpu()), is_train=False)


def net() -> Any:
    hidden = sym.FullyConnected(sym.var("data"), num_hidden=4, name="fc")
    return sym.softmax(sym.Activation(hidden, act_type="relu", name="act"), name="out")


def bound(symbol: Any, rng: np.random.Generator) -> Any:
    executor = symbol.simple_bind(cpu(), data=(2, 3))
    for array in executor.arg_arrays:
        array[:] = nd.array(rng.standard_normal(array.shape))
    return executor


# --- the seam ------------------------------------------------------------------------------------


def test_a_program_shows_its_steps_only_while_observed(counting: Counting) -> None:
    a = sym.var("a")
    program = program_of(sym.exp(sym.sqrt(a, name="root"), name="power"))
    x = np.ones(2, "float32")
    program(x)
    assert counting.calls == {}
    instrumentation.observe(counting)
    program(x)
    program(x)
    assert counting.calls == {"root": 2, "power": 2}
    instrumentation.observe(None)
    program(x)
    assert counting.calls == {"root": 2, "power": 2}


def test_a_program_made_while_observed_runs_bare_afterwards(counting: Counting) -> None:
    instrumentation.observe(counting)
    program = program_of(sym.exp(sym.var("a"), name="power"))
    x = np.ones(2, "float32")
    program(x)
    assert counting.calls == {"power": 1}
    instrumentation.observe(None)
    program(x)
    assert counting.calls == {"power": 1}


def test_a_program_made_while_profiled_runs_bare_kernels_afterwards(trace_file: Path) -> None:
    """Though the device hands out the profiler's kernels at that time."""
    profiler.set_state("run")
    nd.exp(nd.ones((2,)))  # now the device has its variant of the kernel
    program = program_of(sym.exp(sym.var("a"), name="power"))
    program(np.ones(2, "float32"))
    assert names(trace_file) == ["_ones", "exp", "exp"]  # not twice for the program
    observer = Counting()
    instrumentation.observe(observer)
    instrumentation.observe(None)
    assert device_of(cpu()).kernels["exp"] in observer.kernels
    assert all(instrumentation.unwrap(kernel) is kernel for kernel in observer.kernels)


@pytest.mark.slow
def test_a_program_lives_no_longer_for_being_observed(counting: Counting) -> None:
    program = program_of(sym.exp(sym.var("a")))
    gone = weakref.ref(program)
    instrumentation.observe(counting)
    del program
    gc.collect()
    assert gone() is None


# --- what the profiler records -------------------------------------------------------------------


def test_each_step_of_an_executor_is_an_event_with_its_node(
    trace_file: Path, rng: np.random.Generator
) -> None:
    executor = bound(net(), rng)
    executor.forward()
    profiler.set_state("run")
    executor.forward()
    executor.forward()
    found = recorded(trace_file)
    steps = [(e["name"], e["args"]["node"]) for e in found if e["cat"] == "operator"]
    assert steps == 2 * [("FullyConnected+Activation", "act"), ("softmax", "out")]
    programs = [e for e in found if e["cat"] == "program"]
    assert [(e["name"], e["args"]) for e in programs] == 2 * [("graph", {"steps": 2})]
    assert_nested(found)
    assert all(any(contains(p, e) for p in programs) for e in found)


def test_steps_know_the_line_they_were_written_in(
    trace_file: Path, rng: np.random.Generator
) -> None:
    executor = bound(net(), rng)
    profiler.set_state("run")
    executor.forward()
    lines = [e["args"]["line"] for e in recorded(trace_file) if e["cat"] == "operator"]
    assert len(lines) == 2
    assert all(line.rpartition(":")[0] == __file__ for line in lines)


def test_steps_of_backward_name_the_node_they_differentiate(
    trace_file: Path, rng: np.random.Generator
) -> None:
    executor = bound(net(), rng)
    executor.forward(is_train=True)
    profiler.set_state("run")
    executor.backward(nd.ones((2, 4)))
    found = recorded(trace_file)
    steps = [e["args"] for e in found if e["cat"] == "operator" and "node" in e.get("args", {})]
    assert [step["gradient_of"] for step in steps][:2] == ["out", "act"]
    assert {step["gradient_of"] for step in steps} == {"out", "act", "fc"}
    (program,) = [e for e in found if e["cat"] == "program"]
    assert program["name"] == "graph backward"


def test_options_choose_steps_or_calls(trace_file: Path, rng: np.random.Generator) -> None:
    executor = bound(net(), rng)
    configure(trace_file, profile_symbolic=False, profile_api=False)
    profiler.set_state("run")
    executor.forward()
    nd.exp(nd.ones((2,)))
    assert names(trace_file) == ["_ones", "exp"]
    configure(trace_file, profile_imperative=False, profile_api=False)
    profiler.set_state("run")
    executor.forward()
    nd.exp(nd.ones((2,)))
    assert names(trace_file) == ["FullyConnected+Activation", "softmax"]


def test_buffers_inside_a_program_are_counted_until_their_last_use(trace_file: Path) -> None:
    configure(trace_file, profile_symbolic=False, profile_api=False)
    program = program_of(sym.exp(sym.sqrt(sym.exp(sym.var("a")))))
    x = np.ones(256, "float32")
    profiler.set_state("run")
    result = program(x)
    profiler.dump()
    counts = [e["args"]["Memory: cpu/0"] for e in events(trace_file) if e["ph"] == "C"]
    assert counts == [1024, 2048, 3072, 2048, 3072, 2048]
    assert result[0].nbytes == 1024


def test_loops_show_each_step_they_run(trace_file: Path) -> None:
    def body(x: Any, state: Any) -> Any:
        total = sym.broadcast_add(x, state, name="add")
        return total, total

    outputs, _ = sym.contrib.foreach(body, sym.var("data"), sym.var("state"))
    executor = outputs.bind(cpu(), {"data": nd.ones((5, 2)), "state": nd.zeros((2,))})
    executor.forward()
    profiler.set_state("run")
    executor.forward()
    assert names(trace_file).count("broadcast_add") == 5


class Square(custom.CustomOp):
    def forward(self, _is_train: bool, req: Any, in_data: Any, out_data: Any, _aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])


@custom.register("profiled_square_of_graphs")
class SquareProp(custom.CustomOpProp):
    def create_operator(self, *_: Any) -> custom.CustomOp:
        return Square()


def test_custom_operators_are_shown_as_in_calls_on_arrays(trace_file: Path) -> None:
    symbol = sym.Custom(sym.var("data"), op_type="profiled_square_of_graphs", name="square")
    executor = symbol.bind(cpu(), {"data": nd.ones((2,))})
    profiler.set_state("run")
    executor.forward()
    found = recorded(trace_file)
    assert [(e["cat"], e["name"]) for e in found] == [
        ("program", "graph"),
        ("Custom Operator", "profiled_square_of_graphs::pure_python"),
        ("Custom Operator", "profiled_square_of_graphs::broadcast_mul"),
    ]
    assert_nested(found)


def test_values_and_gradients_are_the_same_to_the_bit(
    trace_file: Path, rng: np.random.Generator
) -> None:
    executor = bound(net(), rng)
    head = nd.array(rng.standard_normal((2, 4)))

    def step() -> list[np.ndarray[Any, Any]]:
        outputs: list[NDArray] = executor.forward(is_train=True)
        executor.backward(head)
        return [array.asnumpy() for array in (*outputs, *executor.grad_arrays)]

    off = step()
    profiler.set_state("run")
    on = step()
    profiler.dump()
    after = step()
    assert trace_file.exists()
    for a, b, c in zip(off, on, after, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_errors_name_the_node_as_without_profiler(trace_file: Path) -> None:
    program = program_of(sym.dot(sym.var("a"), sym.var("b"), name="product"))
    profiler.set_state("run")
    with pytest.raises(Exception, match="dot 'product'") as raised:
        program(np.ones((2, 3)), np.ones((2, 3)))
    assert any("node made at" in note for note in raised.value.__notes__)
    assert names(trace_file) == []
