"""Where MXNet's answers say less than the operators' rules, or accept nonsense: the rules run."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import pytest

from hy_ndarray import DTypeError, ShapeError, cpu, nd, set_np_shape
from hy_symbol import Executor, Symbol, infer_types, load_json, sym
from hy_symbol.infer.api import complete_shape

A, B, C = sym.var("a"), sym.var("b"), sym.var("c")


Shapes: TypeAlias = dict[str, tuple[int, ...]]


def known(net: Symbol, **shapes: tuple[int, ...]) -> Shapes:
    """The shapes of variables that follow by the operators' rules."""
    given = {node: shapes[node.name] for node in net.graph.variables if node.name in shapes}
    types = infer_types(net.graph, given, None)
    return {node.name: complete_shape(types, node) for node in net.graph.variables}


def bound(net: Symbol, shapes: Mapping[str, Any]) -> Executor:
    return net.simple_bind(cpu(), **shapes)


def test_parts_of_different_ranks_are_refused_as_an_error_of_hy() -> None:
    net = sym.concat(A, B, dim=2, name="c")
    with pytest.raises(ShapeError, match=r"Concat 'c': .*\(2, 3\)"):
        net.infer_shape_partial(a=(2, 3, 4), b=(2, 3))


# --- nonsense -------------------------------------------------------------------------------------

NONSENSE: dict[str, tuple[Symbol, Shapes, list[tuple[int, ...]]]] = {
    "Reshape": (sym.reshape(A, shape=(4, 4)), {"a": (2, 3)}, [(4, 4)]),
    "Reshape -1": (sym.reshape(A, shape=(-1, 4)), {"a": (2, 3)}, [(1, 4)]),
    "stack": (sym.stack(A, B, axis=1), {"a": (2, 3), "b": (2, 4)}, [(2, 2, 3)]),
    "_linalg_potrf": (sym.linalg.potrf(A), {"a": (2, 3)}, [(2, 3)]),
    "_linalg_potri": (sym.linalg.potri(A), {"a": (2, 3)}, [(2, 3)]),
    "BatchNorm": (
        sym.BatchNorm(A, sym.var("g"), B, sym.var("mean"), sym.var("var")),
        {"a": (2, 3, 4), "g": (3,), "b": (4,), "mean": (3,), "var": (3,)},
        [(2, 3, 4)],
    ),
    "_cond": (
        sym.contrib.cond(sym.sum(A) > 0, lambda: A, lambda: B),
        {"a": (2, 3), "b": (4,)},
        [()],
    ),
}
CALLS: dict[str, Callable[..., Any]] = {
    "Reshape": lambda a: nd.reshape(a, shape=(4, 4)),
    "Reshape -1": lambda a: nd.reshape(a, shape=(-1, 4)),
    "stack": lambda a, b: nd.stack(a, b, axis=1),
    "_linalg_potrf": nd.linalg.potrf,
    "_linalg_potri": nd.linalg.potri,
    "BatchNorm": nd.BatchNorm,
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_mxnet_accepts_at_inference_is_refused_where_it_would_run(name: str) -> None:
    net, shapes, outputs = NONSENSE[name]
    assert net.infer_shape_partial(**shapes)[1] == outputs
    arrays = {key: nd.ones(shape) for key, shape in shapes.items()}
    states = {key: arrays.pop(key) for key in net.list_auxiliary_states()}
    operator = name.split(maxsplit=1)[0]
    with pytest.raises(ShapeError, match=operator):
        net.bind(cpu(), arrays, aux_states=states)
    with pytest.raises(ShapeError, match=operator):
        bound(net, shapes)
    with pytest.raises(ShapeError, match=operator):
        net.eval(cpu(), **arrays, **states)


@pytest.mark.parametrize("name", CALLS)
def test_arrays_are_refused_alike(name: str) -> None:
    with pytest.raises(ShapeError, match=name.split(maxsplit=1)[0]):
        CALLS[name](*map(nd.ones, NONSENSE[name][1].values()))


# --- less -----------------------------------------------------------------------------------------

MORE: dict[str, tuple[Symbol, Shapes, Shapes]] = {
    "transpose": (sym.transpose(A) + B, {"b": (2, 3)}, {"a": (3, 2)}),
    "Concat": (
        sym.concat(A, B, dim=1) + sym.var("c"),
        {"a": (2, 3), "c": (2, 5)},
        {"b": (2, 2)},
    ),
    "stack": (sym.stack(A, B), {"a": (2, 3)}, {"b": (2, 3)}),
    "batch_take": (sym.batch_take(A, B), {"a": (4, 5)}, {"b": (4,)}),
    "deformable": (
        sym.contrib.DeformableConvolution(A, B, kernel=(3, 3), num_filter=4, no_bias=True),
        {"a": (1, 2, 5, 5)},
        {"b": (1, 18, 3, 3)},
    ),
    "spatial": (
        sym.SpatialTransformer(
            A, B, target_shape=(3, 4), transform_type="affine", sampler_type="bilinear"
        ),
        {"a": (2, 1, 5, 5)},
        {"b": (2, 6)},
    ),
}


@pytest.mark.parametrize("name", MORE)
def test_binding_knows_what_mxnet_leaves_open(name: str) -> None:
    net, shapes, follows = MORE[name]
    try:
        answer: Any = net.infer_shape_partial(**shapes)
    except ShapeError:
        answer = None
    expected = known(net, **shapes)
    assert expected.items() >= follows.items()
    assert answer is None or answer[0] != [expected[key] for key in net.list_arguments()]
    executor = bound(net, shapes)
    assert {key: executor.arg_dict[key].shape for key in follows} == follows


def test_sizes_behind_an_open_batch_are_known_to_the_rules() -> None:
    net = sym.FullyConnected(sym.flatten(A), num_hidden=5, name="fc")
    assert net.infer_shape_partial(a=(0, 3, 4)) == ([(0, 3, 4), (), ()], [()], [])
    given = {node: (None, 3, 4) for node in net.graph.arguments if node.name == "a"}
    types = infer_types(net.graph, given, None)
    assert types.shape((net.graph.arguments[1], 0)) == (5, 12)


def test_a_refusal_names_the_node_the_shapes_and_the_users_line() -> None:
    net = sym.topk(sym.exp(A), k=2, name="best")
    with pytest.raises(ShapeError, match=r"topk 'best': the shape of data must be given") as caught:
        net.infer_shape(a=(0, 5))
    notes = "\n".join(caught.value.__notes__)
    assert "inputs: data (?, 5)" in notes
    assert f"node made at {__file__}" in notes


def test_two_that_overwrite_one_shape_come_to_an_end() -> None:
    gamma = sym.var("gamma")
    first = sym.sum(sym.BatchNorm(A, gamma, name="first"))
    second = sym.sum(sym.BatchNorm(B, gamma, name="second"))
    found = (first + second).infer_shape_partial(a=(2, 3), b=(2, 4), gamma=(7,))
    assert found == ([(2, 3), (4,), (3,), (2, 4), (4,)], [(1,)], [(3,), (3,), (4,), (4,)])


# --- dtypes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "net",
    [
        sym.Dropout(A) * B,
        sym.cast(sym.one_hot(A, depth=3), dtype="float32") * B,
        sym.Embedding(A, B, input_dim=3, output_dim=2),
        sym.take(B, A),
        sym.pick(B, A),
        sym.UpSampling(B + sym.SwapAxis(A), scale=2, sample_type="nearest"),
    ],
    ids=str,
)
def test_a_dtype_that_an_operator_insists_on_must_be_given(net: Symbol) -> None:
    with pytest.raises(DTypeError, match=r"the dtype of \w+ must be given"):
        net.infer_type_partial(b="float32")
    assert net.infer_type(a="float32", b="float32")[1] == [np.float32]


def test_what_is_not_insisted_on_may_stay_open() -> None:
    assert sym.FullyConnected(A, num_hidden=3).infer_type() == (None, None, None)
    assert sym.sum(A).infer_type_partial() == ([None], [None], [])
    assert sym.Dropout(A + B).infer_type(b="float16")[1] == [np.float16]
    net = sym.Dropout(A, p=0.5)
    assert net.simple_bind(cpu(), a=(2, 3)).arg_dict["a"].dtype == np.float32


def partial(net: Symbol, **known: tuple[int, ...]) -> Any:
    """The arguments and the output, or "refused"."""
    try:
        arguments, outputs, _ = net.infer_shape_partial(**known)
    except ShapeError:
        return "refused"
    return [*arguments, outputs[0]]


@pytest.mark.parametrize(
    ("net", "known", "expected"),
    [
        # nothing until all is known
        (sym.batch_dot(A, B), {"a": (0, 3, 4), "b": (0, 0, 5)}, [(0, 3, 4), (0, 0, 5), ()]),
        (sym.where(A, B, C), {"a": (0, 2), "b": (2, 2)}, [(0, 2), (2, 2), (), ()]),
        (sym.take(A, B), {"a": (4, 3), "b": (0, 2)}, [(4, 3), (0, 2), ()]),
        (sym.take(A, B), {"a": (0, 3), "b": (4, 2)}, [(0, 3), (4, 2), (4, 2, 3)]),
        (sym.stack(A, B), {"a": (0, 0), "b": (0, 0)}, [(0, 0), (0, 0), ()]),
        (sym.stack(A, B), {"a": (0, 3), "b": (0, 3)}, [(0, 3), (0, 3), ()]),
        (sym.one_hot(A, depth=3), {"a": (4, 0)}, [(4, 0), ()]),
        (sym.argmax(A, axis=1), {"a": (4, 0)}, [(4, 0), ()]),
        (sym.squeeze(A, axis=1), {"a": (4, 0, 4)}, [(4, 0, 4), ()]),
        # refused
        (sym.batch_dot(A, B), {"a": (0, 4, 4), "b": (4, 4, 4)}, "refused"),
        (sym.dot(A, B), {"a": (4, 0), "b": (4, 4)}, "refused"),
        (sym.linalg.gemm2(A, B), {"a": (4, 0), "b": (4, 4)}, "refused"),
        (sym.Pooling(A, kernel=(2, 2), pool_type="max"), {"a": (1, 3, 0, 8)}, "refused"),
        (sym.depth_to_space(A, block_size=2), {"a": (4, 4, 0, 4)}, "refused"),
        (sym.repeat(A, repeats=2, axis=1), {"a": (4, 0)}, "refused"),
        (sym.SliceChannel(A, num_outputs=2)[0], {"a": (4, 0)}, "refused"),
        # inputs learn nothing from outputs
        (sym.softmax(A) + B, {"b": (4, 4)}, [(), (4, 4), (4, 4)]),
        (sym.Dropout(A) + B, {"a": (0, 4), "b": (4, 4)}, [(0, 4), (4, 4), (4, 4)]),
        (sym.SwapAxis(A, dim1=0, dim2=1) + B, {"a": (4, 0), "b": (0, 4)}, [(4, 0), (0, 4), (0, 4)]),
        # but for pieces, which tell all sizes but one
        (
            sym.SliceChannel(A, num_outputs=2)[1] + B,
            {"a": (0, 10), "b": (5, 5)},
            [(5, 10), (5, 5), (5, 5)],
        ),
    ],
)
def test_open_sizes_are_answered_as_by_mxnet(
    net: Symbol, known: dict[str, tuple[int, ...]], expected: Any
) -> None:
    assert partial(net, **known) == expected


def test_tile_answers_where_mxnet_says_nothing() -> None:
    # Keras's recurrent layers fail behind one another without an answer.
    assert partial(sym.tile(A, reps=(2, 3)), a=(0, 4)) == [(0, 4), (0, 12)]


@pytest.mark.parametrize("shape", [(-1, 3), (-1, -1), (0, 3)])
def test_sizes_of_created_arrays_that_are_open_follow_from_their_use(shape: Any) -> None:
    net = sym.ones(shape=(2, 3)) + sym.ones(shape=shape)
    assert net.bind(cpu(), args={}).forward()[0].shape == (2, 3)


def test_a_zero_in_a_file_of_classic_shapes_is_open_in_numpy_shapes() -> None:
    weight = sym.var("w", shape=(8, 0))
    text = sym.FullyConnected(sym.var("d"), weight, num_hidden=8, name="f").tojson()
    before = set_np_shape(True)
    try:
        assert load_json(text).infer_shape(d=(2, 5))[0] == [(2, 5), (8, 5), (8,)]
        own = (sym.var("w", shape=(8, 0)) + 1).tojson()
        assert load_json(own).attr_dict()["w"]["__shape__"] == "(8, 0)"
    finally:
        set_np_shape(before)


@pytest.mark.parametrize(
    ("draw", "numbers"),
    [("randn", ()), ("uniform", ()), ("gamma", ()), ("poisson", ()), ("randint", (0, 3))],
)
def test_draws_without_a_shape_have_that_of_their_use(draw: str, numbers: Any) -> None:
    drawn: Any = getattr(sym.random, draw)(*numbers, data=A)
    with pytest.warns(UserWarning, match="shapes do not follow"):
        assert drawn.infer_shape() == (None, None, None)
    assert (drawn + sym.zeros((2, 3))).infer_shape() == ([], [(2, 3)], [])
    assert drawn.eval()[0].shape == (1,)
