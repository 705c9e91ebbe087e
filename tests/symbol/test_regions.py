"""Regions: what a backend compiles holds constants, follows them, and serves other sizes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from hy_ndarray import Buffer, Device, NDArray, cpu, nd
from hy_symbol import (
    Node,
    Program,
    RegionRefused,
    Symbol,
    TypedGraph,
    is_op,
    register_backend,
    sym,
    unregister_backend,
)
from hy_symbol.backends import Run
from hy_symbol.regions.running import RunningRegion
from tests.dlpack import writable_view


class Packing:
    """Compiles with copies of its constants, as an engine does; options say what it refuses."""

    def __init__(self) -> None:
        self.compiled: list[list[Any]] = []
        self.calls = 0

    def prepare(self, options: Mapping[str, Any]) -> None:
        pass

    def takes(self, node: Node) -> bool:
        return not is_op(node, "sin")

    def why_not(self, node: Node) -> str:
        return f"has no {node.op.name}" if node.op else ""

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],
    ) -> Run:
        self.compiled.append([typed.types.shape(entry) for entry in typed.inputs])
        refused = [n.name for n in typed.graph.nodes if is_op(n, options.get("refuses", "-"))]
        if refused:
            raise RegionRefused("it cannot", dict.fromkeys(refused, "it is slow"))
        is_open = any(None in (typed.types.shape(entry) or ()) for entry in typed.inputs)
        if is_open and options.get("sizes") == "fixed":
            raise RegionRefused("a size is open")
        packed = {node: array.copy().buffer for node, array in constants.items()}
        program = Program(typed.inputs, typed.graph.outputs, device, is_train=False)

        def run(*buffers: Buffer) -> tuple[Buffer, ...]:
            self.calls += 1
            if options.get("breaks") == self.calls:
                raise RegionRefused("the engine broke")
            given = iter(buffers)
            variables = typed.graph.variables
            return program(*[packed[n] if n in packed else next(given) for n in variables])

        return run


@pytest.fixture
def packing() -> Iterator[Packing]:
    backend = Packing()
    register_backend("packing", backend)
    yield backend
    unregister_backend("packing")


def dense(x: Symbol) -> Symbol:
    return sym.FullyConnected(x, num_hidden=2, no_bias=True, name="fc")


def bound(net: Symbol, **options: Any) -> tuple[Callable[..., Any], NDArray]:
    """A function that predicts by a backend, and the weight that is constant to it."""
    weight = nd.array([[1, 2, 3], [4, 5, 6]])
    made = net.optimize_for("packing", {"fc_weight": weight}, **options)

    def predict(**data: Any) -> Any:
        arrays = {name: nd.array(x) for name, x in data.items()}
        return made.bind(cpu(), {**arrays, "fc_weight": weight}).forward()[0].asnumpy()

    return predict, weight


def test_what_is_compiled_is_used_until_a_constant_is_overwritten(packing: Packing) -> None:
    predict, weight = bound(dense(sym.var("x")))
    x = np.ones((1, 3), "float32")
    for _ in range(3):
        np.testing.assert_array_equal(predict(x=x), [[6, 15]])
    assert (len(packing.compiled), packing.calls) == (1, 3)
    weight[0] = 0
    np.testing.assert_array_equal(predict(x=x), [[0, 15]])
    assert (len(packing.compiled), packing.calls) == (2, 4)


def test_constants_that_change_before_each_use_are_not_compiled(packing: Packing) -> None:
    predict, weight = bound(dense(sym.var("x")))
    x = np.ones((1, 3), "float32")
    for value in range(5):
        weight[:] = value
        np.testing.assert_array_equal(predict(x=x), [[3 * value] * 2])
    assert len(packing.compiled) <= 2
    made = len(packing.compiled)
    for _ in range(3):
        np.testing.assert_array_equal(predict(x=x), [[12, 12]])
    assert len(packing.compiled) == made + 1


def test_constants_that_another_library_may_write_to_are_read_in_each_call(
    packing: Packing,
) -> None:
    predict, weight = bound(dense(sym.var("x")))
    x = np.ones((1, 3), "float32")
    other = writable_view(weight)
    for value in (1, 2):
        other[:] = value
        np.testing.assert_array_equal(predict(x=x), [[3 * value] * 2])
    assert packing.calls == 0


def test_the_second_size_is_compiled_for_all(packing: Packing) -> None:
    predict, _ = bound(dense(sym.var("x")))
    for rows in (1, 4, 7, 1):
        np.testing.assert_array_equal(predict(x=np.ones((rows, 3))), [[6, 15]] * rows)
    assert packing.compiled == [[(1, 3), (2, 3)], [(None, 3), (2, 3)]]


def test_sizes_of_one_axis_that_differ_are_compiled_apart(packing: Packing) -> None:
    predict, _ = bound(sym.broadcast_add(dense(sym.var("x")), sym.var("y")))
    for rows, others in ((2, 2), (4, 4), (4, 1), (6, 6)):
        found = predict(x=np.ones((rows, 3)), y=np.zeros((others, 2)))
        np.testing.assert_array_equal(found, [[6, 15]] * rows)
    assert [shapes[0] for shapes in packing.compiled] == [(2, 3), (None, 3), (4, 3)]


def test_a_backend_of_fixed_sizes_is_asked_for_each(packing: Packing) -> None:
    predict, _ = bound(dense(sym.var("x")), sizes="fixed")
    for rows in (1, 4, 7, 4):
        np.testing.assert_array_equal(predict(x=np.ones((rows, 3))), [[6, 15]] * rows)
    shapes = [shapes[0] for shapes in packing.compiled]
    assert shapes == [(1, 3), (None, 3), (4, 3), (7, 3)]


def test_nodes_that_are_refused_for_their_types_are_left_out(packing: Packing) -> None:
    net = sym.exp(sym.tanh(dense(sym.var("x")), name="t"))
    predict, weight = bound(net, refuses="tanh")
    x = np.full((1, 3), 0.1, "float32")
    for _ in range(2):
        want = np.exp(np.tanh(x @ weight.asnumpy().T))
        np.testing.assert_allclose(predict(x=x), want, rtol=1e-5)
        weight[0] = 1
        weight[1] = 2
    region = next(n for n in net.optimize_for("packing", refuses="tanh").graph.nodes if n.is_region)
    running = RunningRegion.of(region, weight.device)
    running(nd.array(x).buffer, weight.buffer)
    assert running.left() == {"tanh 't'": "it is slow"}


def test_what_breaks_while_it_runs_is_left_to_the_table(packing: Packing) -> None:
    predict, _ = bound(dense(sym.var("x")), breaks=2)
    x = np.ones((1, 3), "float32")
    for _ in range(4):
        np.testing.assert_array_equal(predict(x=x), [[6, 15]])
    assert packing.calls == 2


def test_constants_are_kept_in_files_and_checked(packing: Packing) -> None:
    from hy_symbol import GraphFormatError, load_json  # noqa: PLC0415

    made = dense(sym.var("x")).optimize_for("packing", {"fc_weight": nd.ones((2, 3))})
    again = load_json(made.tojson())
    assert again.graph.outputs[0][0].params["constants"] == (1,)
    for wrong in ("[2]", "[-1]", "1", "[true]", "["):
        with pytest.raises(GraphFormatError, match="constants that are no JSON list of numbers"):
            load_json(made.tojson().replace('"[1]"', f'"{wrong}"'))


def test_writes_to_parameters_of_another_net_change_nothing(packing: Packing) -> None:
    predict, weight = bound(dense(sym.var("x")))
    other, moved = bound(dense(sym.var("x")))
    x = np.ones((1, 3), "float32")
    for value in range(4):
        np.testing.assert_array_equal(predict(x=x), [[6, 15]])
        moved[:] = value
        np.testing.assert_array_equal(other(x=x), [[3 * value] * 2])
    assert sum(shapes == [(1, 3), (2, 3)] for shapes in packing.compiled) <= 1 + 2
    made = len(packing.compiled)
    weight[:] = 1
    np.testing.assert_array_equal(predict(x=x), [[3, 3]])
    assert len(packing.compiled) == made + 1
