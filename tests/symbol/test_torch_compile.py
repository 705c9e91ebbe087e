"""The backend ``torch_compile``; most of it needs PyTorch."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, NDArray, nd, ops
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import CASES
from hy_symbol import BackendError, Node, Symbol, sym
from hy_symbol.backends import find_runner
from tests.symbol.graph_runs import kinds, run, values
from tests.symbol.nets import inception_block

with_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_the_error_has_the_remedy() -> None:
    with pytest.raises(BackendError, match="PyTorch is not installed; `pip install torch`"):
        sym.exp(sym.var("x")).optimize_for("torch_compile")


def test_options_of_torch_compile_are_checked() -> None:
    with pytest.raises(ArgumentError, match="unknown option 'fast'; compiler, mode"):
        sym.exp(sym.var("x")).optimize_for("torch_compile", fast=True)


def _taken() -> list[OpCase]:
    """The case rows of operators that PyTorch takes with these parameters."""
    if find_spec("torch") is None:
        return []
    backend = find_runner("torch_compile")
    found = []
    for row in CASES:
        op = ops.find(row.op)
        params = {**op.defaults, **op.parse(row.params)}
        if not row.is_train and backend.takes(Node(op, "n", params=params)):
            found.append(row)
    return found


TOLERANCES = {"float16": 4e-3, "float32": 1e-4, "float64": 1e-9}


@with_torch
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("row", _taken(), ids=str)
def test_pytorch_computes_what_the_kernels_do(
    row: OpCase, dtype: str, rng: np.random.Generator
) -> None:
    op = ops.find(row.op)
    arrays = [
        None if x is None else nd.array(x, dtype=dtype if x.dtype == np.float64 else x.dtype)
        for x in drawn(row, rng)
    ]
    inputs, params, _, _ = op.bind(arrays, dict(row.params))
    given = {f"x{i}": x for i, x in enumerate(inputs) if x is not None}
    node = Node(op, "n", [(Node(None, name), 0) for name in given], params=params)
    net = Symbol.of_node(node)
    try:
        before = run(net, given)
    except (ArgumentError, TypeError, ValueError):
        pytest.skip("not for this dtype")
    made = net.optimize_for("torch_compile", skip_infer=True, compiler=None)
    assert kinds(made) == ["_subgraph"]
    originals = {name: array.copy() for name, array in given.items()}
    for want, found in zip(before, run(made, given), strict=True):
        assert (found.dtype, found.shape) == (want.dtype, want.shape)
        tolerance = TOLERANCES[dtype]
        np.testing.assert_allclose(
            found.astype(float), want.astype(float), rtol=tolerance, atol=tolerance
        )
    for name, array in originals.items():
        np.testing.assert_array_equal(given[name].asnumpy(), array.asnumpy())


@with_torch
def test_memory_is_shared_and_never_returned() -> None:
    torch = pytest.importorskip("torch")
    x = nd.array([[1, 2], [3, 4]])
    net = sym.Group([sym.Flatten(sym.var("x")), sym.transpose(sym.var("x"))])
    first, second = net.optimize_for("torch_compile", compiler=None).eval(x=x)
    first[:] = 0
    np.testing.assert_array_equal(x.asnumpy(), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(second.asnumpy(), [[1, 3], [2, 4]])
    shared = torch.from_dlpack(first)
    shared += 1
    np.testing.assert_array_equal(first.asnumpy(), [[1, 1], [1, 1]])


@with_torch
def test_bfloat16_keeps_its_dtype() -> None:
    x = nd.array([1, 2.5, -3]).astype("bfloat16")
    net = sym.relu(sym.var("x")) * 2
    (y,) = net.optimize_for("torch_compile", compiler=None).eval(x=x)
    assert y.dtype.__name__ == "bfloat16"
    np.testing.assert_array_equal(y.astype("float32").asnumpy(), [2, 5, 0])


@with_torch
def test_integers_run_on_the_kernels() -> None:
    x = nd.array([1, 2, 3], dtype="int32")
    net = sym.broadcast_div(sym.var("x"), sym.var("y"))
    (y,) = net.optimize_for("torch_compile", compiler=None).eval(
        x=x, y=nd.array([2, 2, 2], dtype="int32")
    )
    assert y.dtype == np.int32
    np.testing.assert_array_equal(y.asnumpy(), [0, 1, 1])


@with_torch
def test_views_backwards_and_arrays_that_cannot_be_written_are_copied() -> None:
    x = nd.array(np.arange(6.0).reshape(2, 3))
    frozen = NDArray.from_buffer(_read_only(np.ones((2, 3), np.float32)), x.device)
    net = (sym.var("x") + sym.var("y")).optimize_for("torch_compile", compiler=None)
    turned = NDArray.from_buffer(np.arange(6, dtype=np.float32).reshape(2, 3)[::-1], x.device)
    (y,) = net.eval(x=turned, y=frozen)
    np.testing.assert_array_equal(y.asnumpy(), [[4, 5, 6], [1, 2, 3]])


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


@with_torch
def test_whole_nets_become_one_region(rng: np.random.Generator) -> None:
    net = inception_block(sym)
    args, aux = values(net, rng, "float32", **{"Previous Output": (2, 4, 8, 8)})
    made = net.optimize_for("torch_compile", compiler=None)
    assert kinds(made) == ["_subgraph"]
    np.testing.assert_allclose(run(made, args, aux)[0], run(net, args, aux)[0], atol=1e-4)


@with_torch
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyTorch's own
@pytest.mark.parametrize("compiler", ["aot_eager", "inductor"])
def test_compiled_functions_keep_the_numbers(compiler: str, rng: np.random.Generator) -> None:
    net = sym.softmax(sym.relu(sym.FullyConnected(sym.tanh(sym.var("data")), num_hidden=4)) * 2)
    made = net.optimize_for("torch_compile", compiler=compiler)
    for batch in (2, 3):
        args, _ = values(net, rng, data=(batch, 5))
        np.testing.assert_allclose(run(made, args)[0], run(net, args)[0], rtol=1e-4)
