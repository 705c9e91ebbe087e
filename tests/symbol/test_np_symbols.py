"""``sym.np`` makes the graphs that MXNet 1.9.1 makes: node types, names and attributes are its."""

import json
from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import ArgumentError, HyError, IndexingError, cpu, nd, np, set_np_shape
from hy_symbol import Symbol, load_json, sym
from hy_symbol.graph.name import NameManager
from hy_symbol.symbol.np_symbol import NumpySymbol


def var(name: str = "a") -> NumpySymbol:
    found: NumpySymbol = sym.var(name).as_np_ndarray()
    return found


def nodes(symbol: Symbol) -> list[tuple[Any, ...]]:
    found = json.loads(symbol.tojson())["nodes"]
    return [(n["op"], n["name"], n.get("attrs", {})) for n in found if n["op"] != "null"]


A, B = var("a"), var("b")
NUMBER = {"is_int": "True", "scalar": "1.0"}
GRAPHS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "a + 1": (lambda: A + 1, [("_npi_add_scalar", "add_scalar0", NUMBER)]),
    "a + b": (lambda: A + B, [("_npi_add", "add0", {})]),
    "a < b": (lambda: A < B, [("_npi_less", "less0", {})]),
    "1 > a": (lambda: sym.np.greater(1, A), [("_npi_less_scalar", "less_scalar0", NUMBER)]),
    "a.T": (lambda: A.T, [("_np_transpose", "transpose0", {"axes": "None"})]),
    "a.sum": (
        lambda: A.sum(axis=1),
        [("_np_sum", "sum0", {"axis": "1", "keepdims": "False"})],
    ),
    "a.mean": (A.mean, [("_npi_mean", "mean0", {"axis": "None", "keepdims": "False"})]),
    "a.reshape": (
        lambda: A.reshape(2, -1),
        [("_np_reshape", "reshape0", {"newshape": "(2, -1)", "order": "C"})],
    ),
    "a[0]": (
        lambda: A[0],
        [
            ("slice", "slice0", {"begin": "(0,)", "end": "(1,)"}),
            ("_npx_reshape", "reshape0", {"newshape": "(-3, -4)"}),
        ],
    ),
    "dot": (lambda: sym.np.dot(A, B), [("_np_dot", "dot0", {})]),
    "concatenate": (
        lambda: sym.np.concatenate([A, B], axis=1),
        [("_npi_concatenate", "concatenate0", {"axis": "1", "num_args": "2"})],
    ),
    "zeros": (
        lambda: sym.np.zeros((2,)),
        [("_npi_zeros", "zeros0", {"ctx": "cpu(0)", "dtype": "float32", "shape": "(2,)"})],
    ),
    "arange": (
        lambda: sym.np.arange(3),
        [
            (
                "_npi_arange",
                "arange0",
                {"ctx": "cpu(0)", "dtype": "float32", "start": "0", "step": "1", "stop": "3"},
            )
        ],
    ),
    "einsum": (
        lambda: sym.np.einsum("ij,jk->ik", A, B),
        [
            (
                "_npi_einsum",
                "einsum0",
                {"num_args": "2", "optimize": "0", "subscripts": "ij,jk->ik"},
            )
        ],
    ),
    "norm": (
        lambda: sym.np.linalg.norm(A, axis=1),
        [
            (
                "_npi_norm",
                "norm0",
                {"axis": "(1,)", "flag": "1", "keepdims": "False", "ord": "2.0"},
            )
        ],
    ),
    "inv": (lambda: sym.np.linalg.inv(A), [("_linalg_inverse", "inv0", {})]),
    "uniform": (
        lambda: sym.np.random.uniform(A, B),
        [
            (
                "_npi_uniform",
                "uniform0",
                {
                    "ctx": "cpu(0)",
                    "dtype": "float32",
                    "high": "None",
                    "low": "None",
                    "size": "None",
                },
            )
        ],
    ),
    "gumbel": (
        sym.np.random.gumbel,
        [
            (
                "_npi_gumbel",
                "gumbel0",
                {"ctx": "cpu(0)", "loc": "0.0", "scale": "1.0", "size": "None"},
            )
        ],
    ),
    "delete": (
        lambda: sym.np.delete(A, 1, axis=0),
        [("_npi_delete", "delete0", {"axis": "0", "int_ind": "1"})],
    ),
    "pad": (
        lambda: sym.np.pad(A, ((1, 1), (0, 0)), mode="reflect"),
        [
            (
                "_npi_pad",
                "pad0",
                {
                    "constant_value": "0.0",
                    "mode": "reflect",
                    "pad_width": "((1, 1), (0, 0))",
                    "reflect_type": "even",
                },
            )
        ],
    ),
    "relu": (lambda: sym.npx.relu(A), [("_npx_relu", "relu0", {})]),
    "softmax": (lambda: sym.npx.softmax(A), [("softmax", "softmax0", {})]),
    "fully_connected": (
        lambda: sym.npx.fully_connected(A, num_hidden=3),
        [("FullyConnected", "fully_connected0", {"num_hidden": "3"})],
    ),
}


@pytest.mark.parametrize("what", GRAPHS)
def test_graphs_are_mxnets(what: str) -> None:
    make, expected = GRAPHS[what]
    with NameManager():
        made = make()
    assert isinstance(made, NumpySymbol)
    assert nodes(made) == expected


def test_graphs_are_read_again_and_run() -> None:
    x, y = onp.array([[1.0, 2.0], [3.0, 4.0]]), onp.array([2.0, -1.0])
    net = sym.np.where(A > B, sym.np.dot(A, A), A - B).sum(axis=0)[1]
    again = load_json(net.as_nd_ndarray().tojson())
    (result,) = again.eval(a=nd.array(x), b=nd.array(y))
    assert result.shape == ()
    assert result.asnumpy() == onp.where(x > y, x @ x, x - y).sum(axis=0)[1]


def test_numpys_shapes_are_noted_in_the_file() -> None:
    assert "is_np_shape" not in json.loads(A.tojson())["attrs"]
    before = set_np_shape(True)
    try:
        assert json.loads(A.tojson())["attrs"]["is_np_shape"] == ["int", 1]
    finally:
        set_np_shape(before)


def test_shapes_and_dtypes_are_inferred() -> None:
    before = set_np_shape(True)
    try:
        net = sym.np.mean(A, axis=1) + B
        _, outputs, _ = net.infer_shape(a=(2, 3), b=())
        assert outputs == [(2,)]
        _, types, _ = net.infer_type(a="int32", b="float16")
        assert types == [onp.float32]
    finally:
        set_np_shape(before)


def test_a_symbol_of_several_outputs_is_divided() -> None:
    parts = sym.np.split(A, 3, axis=1)
    assert len(parts) == 3
    assert all(isinstance(part, NumpySymbol) for part in parts)
    assert parts[1].list_outputs() == [sym.Group(parts).list_outputs()[1]]


KEYS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "an axis before": (None, (1, 2, 3, 4)),
    "an axis behind": ((..., None), (2, 3, 4, 1)),
    "two axes behind": ((..., None, None), (2, 3, 4, 1, 1)),
    "the last axis": ((..., 0), (2, 3)),
    "both ends": ((0, ..., 1), (3,)),
    "an axis between": ((slice(1, None), None, 0), (1, 1, 4)),
    "an axis between those behind": ((..., None, slice(1, 3), -1), (2, 1, 2)),
    "rows": ([1, 0, -1], (3, 3, 4)),
}


@pytest.mark.parametrize("name", KEYS)
def test_a_symbol_of_unknown_rank_is_indexed_as_arrays_are(name: str) -> None:
    key, shape = KEYS[name]
    part = A[key]
    assert part.infer_shape(a=(2, 3, 4))[1] == [shape]
    values = np.arange(24).reshape(2, 3, 4)
    (found,) = part.eval(a=values)
    assert found.asnumpy().tolist() == values.asnumpy()[key].tolist()


def test_only_simple_keys_index_a_symbol() -> None:
    with pytest.raises(IndexingError, match="use take for other indices"):
        A[B]
    with pytest.raises(IndexingError, match=r"a step of 2 after \.\.\. needs the number of axes"):
        A[..., ::2]


def test_classic_and_numpy_symbols_are_one_graph() -> None:
    classic = (A + 1).as_nd_ndarray()
    assert type(classic) is Symbol
    assert classic.as_np_ndarray().list_outputs() == classic.list_outputs()
    with pytest.raises(HyError, match="has no value"):
        A.asnumpy()


def test_methods_of_numpys_symbols_give_numpys_symbols() -> None:
    x = var("x")
    found: list[Symbol] = [x.relu(), x.one_hot(3), x.astype("float16"), x.sum(), x[0], abs(x)]
    assert [type(y) for y in found] == [NumpySymbol] * len(found)


def test_image_operators_of_npx_are_nodes() -> None:
    image = sym.var("image").as_np_ndarray()
    flipped = sym.npx.image.flip_left_right(image)
    assert isinstance(flipped, type(image))
    data = nd.arange(6).reshape((1, 6, 1)).as_np_ndarray()
    found = flipped.eval(image=data)[0]
    assert found.asnumpy().ravel().tolist() == [5, 4, 3, 2, 1, 0]


def test_functions_of_registered_operators_take_name_and_attr() -> None:
    x = sym.var("x").as_np_ndarray()
    functions: Any = sym.np
    total = functions.sum(a=x, axis=0, keepdims=True, name="total", attr={"__mark__": "a"})
    assert (total.name, total.attr("__mark__")) == ("total", "a")
    assert sym.npx.reshape(x, (-1,), name="flat").name == "flat"


@pytest.mark.parametrize("function", [sym.np.sum, sym.npx.relu, sym.np.exp])
def test_functions_refuse_symbols_without_numpys_behaviour(function: Callable[..., Any]) -> None:
    with pytest.raises(ArgumentError, match="as_np_ndarray"):
        function(sym.var("x"))


@pytest.mark.parametrize("shape", [(2, 3), (7,), (), 5])
def test_resize_in_a_graph_is_numpys_resize(shape: Any) -> None:
    x = np.array([1, 5, 3, 4], dtype="int32")
    made = load_json(sym.np.resize(sym.var("x").as_np_ndarray(), shape).tojson())
    (found,) = made.eval(x=x)
    onp.testing.assert_array_equal(found.asnumpy(), onp.resize(x.asnumpy(), shape))
    assert found.dtype == onp.int32


def test_resize_in_a_graph_has_no_gradient() -> None:
    x = sym.np.resize(sym.var("x").as_np_ndarray(), 2)
    executor = x.bind(cpu(), {"x": np.ones(2)}, args_grad={"x": np.zeros(2)})
    executor.forward(is_train=True)
    with pytest.raises(ArgumentError, match="resize: it has no gradient"):
        executor.backward(np.ones(2))


def test_unravel_index_in_a_graph_gives_a_row_of_coordinates_per_axis() -> None:
    node = sym.np.unravel_index(sym.var("x").as_np_ndarray(), (2, 3))
    (found,) = node.eval(x=np.array([1, 5], dtype="int64"))
    assert found.asnumpy().tolist() == [[0, 1], [1, 2]]
    assert node.list_outputs()[0].endswith("_output")
    with pytest.raises(ArgumentError, match="order='F'"):
        sym.np.unravel_index(node, (2, 3), order="F")


@pytest.mark.parametrize(("size", "expected"), [(None, ()), (3, (3,)), ((2, 3), (2, 3))])
def test_multivariate_normal_in_a_graph_is_around_its_mean(
    size: Any, expected: tuple[int, ...]
) -> None:
    mean, cov = (sym.var(name).as_np_ndarray() for name in ("mean", "cov"))
    node = sym.np.random.multivariate_normal(mean, cov, size)
    (found,) = node.eval(mean=np.array([10.0, -10.0]), cov=np.eye(2) * 1e-4)
    assert found.shape == (*expected, 2)
    onp.testing.assert_allclose(found.asnumpy(), onp.broadcast_to([10, -10], found.shape), atol=0.1)
    with pytest.raises(ArgumentError, match="tol=1 is not supported"):
        sym.np.random.multivariate_normal(mean, cov, tol=1)


def test_shuffle_in_a_graph_says_what_to_call() -> None:
    with pytest.raises(ArgumentError, match=r"sym\.random\.shuffle"):
        sym.np.random.shuffle(sym.var("x").as_np_ndarray())
