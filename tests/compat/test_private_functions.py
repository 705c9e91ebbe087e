"""Private functions that programs call do what MXNet 1.9.1's do; numbers are from there."""

import collections
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import mxnet
from mxnet.contrib import text as texts

mx: Any = mxnet  # type checkers know no private names
text: Any = texts

S = slice


def private(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(f"mxnet.{module}"), name)


A, B = mx.sym.var("a"), mx.sym.var("b")

RESULTS: tuple[tuple[str, tuple[Any, ...], Any], ...] = (
    ("base:_find_error_type", ("mxnet.Foo: y",), "mxnet.Foo"),
    ("base:_find_error_type", ("Check failed: a",), None),
    ("base:_get_op_name_prefix", ("_linalg_gemm",), "_linalg_"),
    ("base:_get_op_submodule_name", ("_npi_random_x", "_npi_", ["_random_"]), ""),
    ("base:_is_np_op", ("_npx_relu",), True),
    ("base:_output_is_list", ("_npi_hsplit",), True),
    ("visualization:_str2tuple", ("(3, 3)",), ["3", "3"]),
    ("ndarray.ndarray:_get_broadcast_shape", ((0, 1), (3,)), (0, 3)),
    ("ndarray.ndarray:_get_index_range", (None, None, 5, -1), (4, -1, -1)),
    ("ndarray.ndarray:_get_dim_size", (5, 0, -2), 3),
    ("ndarray.ndarray:_int_to_slice", (-1,), S(-1, None, None)),
    ("ndarray.ndarray:_is_advanced_index", ((1, 2),), True),
    ("ndarray.ndarray:_shape_for_bcast", ((2,), 3, (0, 2)), (1, 2, 1)),
    ("ndarray.ndarray:get_indexing_dispatch_code", ((1, [0]),), 1),
    ("ndarray.ndarray:get_oshape_of_gather_nd_op", ((2, 3, 4), (2, 5)), (5, 4)),
    (
        "ndarray.ndarray:indexing_key_expand_implicit_axes",
        ((..., None, 1), (2, 3)),
        ((S(None), None, 1), -1),
    ),
    ("ndarray.ndarray:indexing_key_expand_implicit_axes", (True, (2,)), ((S(None),), 1)),
    ("ndarray.contrib:_regroup", ([1, 2, 3], [0, [0, 0]]), ([1, [2, 3]], [])),
    ("ndarray.contrib:_flatten_list", ([[1, 2], [3]],), [1, 2, 3]),
    ("gluon.block:_common_prefix", (["dense0_w", "dense0_b"],), "dense0_"),
    ("gluon.block:_brief_print_list", (list("abcdefgh"), 4), "'a', 'b', ..., 'g', 'h'"),
    ("gluon.block:_gather_type_ctx_info", ([],), (False, False, set(), None)),
    (
        "gluon.contrib.rnn.conv_rnn_cell:_get_conv_out_size",
        ((0, 5), (3, 3), (0, 0), (2, 2)),
        (0, 1),
    ),
    ("module.executor_group:_prepare_group2ctxs", (None, 2), [None, None]),
    ("kvstore.kvstore:_get_kvstore_server_command_type", ("kStopServer",), 2),
    ("test_utils:_sorted_items", ({"b": 1, "a": 2},), [("a", 2), ("b", 1)]),
    ("numpy_dispatch_protocol:_find_duplicate", (["a", "b", "a"],), "a"),
    ("ndarray.sparse:_check_shape", (None, (1,)), None),
)


@pytest.mark.parametrize(("path", "args", "expected"), RESULTS, ids=lambda value: str(value)[:40])
def test_results_are_mxnets(path: str, args: tuple[Any, ...], expected: Any) -> None:
    assert private(path)(*args) == expected


ERRORS: tuple[tuple[str, tuple[Any, ...], type[Exception]], ...] = (
    ("ndarray.ndarray:_get_broadcast_shape", ((2,), (3,)), ValueError),
    ("ndarray.ndarray:_get_dim_size", (5, 0, 1), AssertionError),
    ("ndarray.ndarray:_is_advanced_index", (1.0,), RuntimeError),
    ("ndarray.ndarray:check_boolean_array_dimension", ((2, 3), 0, (3,)), IndexError),
    ("ndarray.ndarray:get_indexing_dispatch_code", ((1.0,),), ValueError),
    ("ndarray.ndarray:imdecode", (b"x",), mx.MXNetError),
    ("ndarray.contrib:_flatten", (3, "input"), AssertionError),
    ("symbol.contrib:_check_data", ([3], mx.sym.Symbol, "bad"), AssertionError),
    ("io.utils:_init_data", (None, False, "data"), AssertionError),
    ("io.utils:_init_data", (3, False, "data"), TypeError),
    ("kvstore.base:_ctype_key_value", (1.0, None), AssertionError),
    ("model:_create_sparse_kvstore", (3,), TypeError),
    ("module.base_module:_check_names_match", (["a"], [("b", (1,))], "data", True), ValueError),
    ("contrib.quantization:_smooth_distribution", (np.zeros(2),), ValueError),
    ("contrib.quantization:_as_data_iter", (3,), TypeError),
    ("gluon.contrib.estimator.event_handler:_check_event_handlers", ([3],), ValueError),
    ("util:_sanity_check_params", ("f", ["a"], {"a": 1}), NotImplementedError),
    ("optimizer.optimizer:_as_classic", (mx.np.ones(1), False), ValueError),
    ("test_utils:_validate_csr_generation_inputs", (3, 4, 1.5), ValueError),
    ("numpy.utils:_get_np_op", ("zzz",), ValueError),
    ("gluon.block:_check_same_symbol_type", ([A, B.as_np_ndarray()],), TypeError),
)


@pytest.mark.parametrize(("path", "args", "kind"), ERRORS, ids=lambda value: str(value)[:40])
def test_errors_are_of_mxnets_classes_and_of_its_error(
    path: str, args: tuple[Any, ...], kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        private(path)(*args)
    assert isinstance(caught.value, mx.MXNetError | AssertionError)


STEPS: tuple[tuple[str, tuple[Any, ...], Any], ...] = (
    ("_basic_indexing_slice_is_contiguous", ((S(0, 4), S(0, 2)), (4, 3)), False),
    ("_basic_indexing_slice_is_contiguous", ((S(1, 2), S(1, 3)), (4, 3)), True),
    ("_basic_indexing_contiguous_flat_begin_end", ((S(1, 2), S(1, 3)), (4, 3)), (4, 6)),
    ("_basic_indexing_sliced_shape", ((S(0, 2, 2), S(0, 3)), (4, 3)), (1, 3)),
    ("_basic_indexing_key_int_to_slice", ((1, S(0, 2)),), ((S(1, 2), S(0, 2)), (0,))),
    (
        "_basic_indexing_key_to_begin_end_step",
        ((S(None), S(None, None, -1)), (2, 3), False),
        ((0, 2), (2, -1), (1, -1)),
    ),
    ("_drop_int_axes", ((1, 1), (0, 1)), (1,)),
    ("_drop_slice_none_at_end", ((1, S(None), S(None)),), (1,)),
    ("_new_axes_after_basic_indexing", ([1, 3], (1, None, S(0), None)), (0, 2)),
    ("_new_axes_after_advanced_indexing", (([0], None, [1]), [0, 2], 1, False), (1,)),
)


@pytest.mark.parametrize(("name", "args", "expected"), STEPS, ids=lambda value: str(value)[:40])
def test_steps_of_indexing_are_mxnets(name: str, args: tuple[Any, ...], expected: Any) -> None:
    assert getattr(mx.nd.NDArray, name)(*args) == expected


def test_views_of_rows_write_to_their_array() -> None:
    x = mx.nd.arange(12).reshape((3, 4))
    x._at(-1)[:] = 7
    x._slice(0, 1)[:] = 8
    assert x.asnumpy()[:, 0].tolist() == [8, 4, 7]
    assert x._at(1).shape == (4,)
    assert mx.nd.ones(2)._at(0).shape == (1,)
    assert x._full(3)[2, 3].asscalar() == 3
    x._sync_copyfrom(np.zeros((3, 4)))
    assert not x.asnumpy().any()
    with pytest.raises(ValueError, match="Shape inconsistent"):
        x._sync_copyfrom(np.zeros(2))


def test_keys_with_arrays_become_indices_of_gather_nd() -> None:
    x = mx.nd.arange(12).reshape((3, 4))
    indices, axes = x._get_index_nd((S(0, 2), [0, 1]))
    assert indices.asnumpy().tolist() == [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    assert axes == ()
    x._scatter_set_nd(mx.nd.array([9, 8]), mx.nd.array([[0, 1], [1, 2]]))
    assert [x.asnumpy()[0, 1], x.asnumpy()[1, 2]] == [9, 8]


def test_values_that_are_assigned_are_broadcast() -> None:
    x = mx.nd.zeros((2, 3), dtype="float16")
    for value in (3, [3, 3, 3], np.full((1, 3), 3)):
        prepared = x._prepare_value_nd(value, (2, 3))
        assert prepared.asnumpy().tolist() == [[3, 3, 3]] * 2
        assert prepared.dtype == np.float16
    assert x._prepare_value_nd(np.ones((1, 1, 3)), (3,), squeeze_axes=[0, 1]).shape == (3,)


def test_gradients_are_fresh_after_a_backward_pass() -> None:
    x = mx.nd.ones(2)
    x.attach_grad()
    seen = [x._fresh_grad]
    with mx.autograd.record():
        y = x * 2
    y.backward()
    seen.append(x._fresh_grad)
    for state in (False, True):
        x._fresh_grad = state
        seen.append(x._fresh_grad)
    assert repr(seen) == "[0, 1, 0, 1]"  # no bools
    assert repr(x.detach()._fresh_grad) == "0"


def test_handles_stand_for_arrays_and_have_no_address() -> None:
    x = mx.nd.ones(2)
    nd = import_module("mxnet.ndarray.ndarray")
    assert private("ndarray.sparse:_ndarray_cls")(x.handle) is x
    assert nd._storage_type(x.handle) == 0
    assert nd._new_alloc_handle((2,), mx.cpu(), False).wrapped.shape == (2,)
    with pytest.raises(mx.MXNetError, match="hand over the object itself"):
        _ = x.handle.value
    with pytest.raises(mx.MXNetError, match="no handle of an array"):
        nd._storage_type(mx.base.NDArrayHandle())


def test_sparse_arrays_tell_their_indices() -> None:
    csr = mx.nd.sparse.csr_matrix(([1.0, 2.0], [0, 1], [0, 1, 2]), shape=(2, 3))
    assert csr._num_aux == 2
    assert csr._aux_data(0).asnumpy().tolist() == [0, 1, 2]
    assert csr._aux_types == [np.int64, np.int64]
    with pytest.raises(mx.base.NotSupportedForSparseNDArray):
        csr._at(0)


def test_scopes_count_names_and_tell_attributes() -> None:
    names = mx.name.NameManager()
    names.get(None, "x")
    assert names._counter == {"x": 1}
    assert mx.AttrScope(x="1")._attr == {"x": "1"}
    block = mx.gluon.nn.HybridSequential(prefix="q_")
    assert private("gluon.block:_BlockScope")(block)._counter == {}


def test_scopes_of_numpys_semantics_end() -> None:
    with private("util:_NumpyShapeScope")(True), private("util:_NumpyArrayScope")(True):
        assert mx.is_np_shape()
        assert mx.is_np_array()
    assert not mx.is_np_array()
    with private("autograd:_RecordingStateScope")(True, False):
        assert mx.autograd.is_recording()
        assert not mx.autograd.is_training()
    assert not mx.autograd.is_recording()


def test_loops_are_cut_out_of_graphs() -> None:
    contrib = import_module("mxnet.symbol.contrib")
    outside = mx.sym.relu(A, name="r")
    with mx.AttrScope(__subgraph_name__="f"):
        inside = mx.sym.relu(outside) * 2
        state = inside + 1
    assert [cut.name for cut in contrib._cut_subgraph(inside)] == ["r"]
    body = contrib._construct_subgraph([inside], [state], "f")
    assert body.list_arguments() == ["r_output"]
    assert len(body.list_outputs()) == 2


def test_binary_counts_give_precision_and_recall() -> None:
    counts = private("metric:_BinaryClassificationMetrics")()
    scores = mx.nd.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]])
    counts.update_binary_stats(mx.nd.array([0, 1, 1]), scores)
    assert (counts.precision, counts.recall, counts.matthewscc()) == (1.0, 0.5, 0.5)
    assert counts.total_examples == 3


def test_thresholds_of_histograms_are_mxnets() -> None:
    counts, edges = np.histogram(
        np.random.RandomState(0).normal(size=1000), bins=101, range=(-4, 4)
    )
    found = private("contrib.quantization:_get_optimal_threshold")(
        (counts, edges, -4.0, 4.0, 4.0), "int8", 31
    )
    assert found == (-4.0, 4.0, pytest.approx(3.8415842), pytest.approx(0.02071269, rel=1e-4))


def test_executors_share_parameters_and_inputs() -> None:
    bind = private("executor_manager:_bind_exec")
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    shared: dict[str, Any] = {}
    names = ["fc_weight", "fc_bias"]
    first = bind(net, mx.cpu(), {"data": (4, 3)}, names, True, shared_data_arrays=shared)
    again = bind(net, mx.cpu(), {"data": (2, 3)}, names, True, first, shared)
    assert again.arg_dict["fc_weight"] is first.arg_dict["fc_weight"]
    assert shared["data"].shape == (4, 3)
    assert first.grad_dict["data"] is None


def test_a_vocabulary_numbers_more_tokens() -> None:

    words = text.vocab.Vocabulary(collections.Counter(["a", "b", "b"]))
    words._index_unknown_and_reserved_tokens("<u>", ["<r>"])
    words._index_counter_keys(collections.Counter(["q", "q", "w"]), "<u>", ["<r>"], None, 1)
    assert words.idx_to_token == ["<u>", "<r>", "q", "w"]
    names = text.embedding.GloVe
    assert names._get_download_file_name("glove.6B.50d.txt") == "glove.6B.zip"
    with pytest.raises(KeyError, match="Cannot find pretrained file zz"):
        names._check_pretrained_file_names("zz")


def test_parts_of_models_have_the_channels_they_are_asked_for() -> None:
    inception = import_module("mxnet.gluon.model_zoo.vision.inception")
    blocks: tuple[tuple[Callable[..., Any], tuple[Any, ...], int], ...] = (
        (inception._make_A, (32, "A_"), 256),
        (inception._make_B, ("B_",), 480 + 8),
        (inception._make_C, (128, "C_"), 768),
        (inception._make_D, ("D_",), 512 + 8),
        (inception._make_E, ("E_",), 2048),
    )
    for make, args, channels in blocks:
        block = make(*args)
        block.initialize()
        assert block(mx.nd.ones((1, 8, 9, 9))).shape[1] == channels, make.__name__
    fire = private("gluon.model_zoo.vision.squeezenet:_make_fire")(4, 8, 8)
    fire.initialize()
    assert fire(mx.nd.ones((1, 3, 8, 8))).shape == (1, 16, 8, 8)


def test_cells_with_convolutions_take_the_number_of_axes() -> None:
    make = private("gluon.contrib.rnn.conv_rnn_cell:_ConvLSTMCell")
    cell = make(
        (3, 8, 8), 4, (3, 3), (3, 3), (1, 1), (1, 1), (1, 1),
        None, None, "zeros", "zeros", 2, "NCHW", "tanh", None, None,
    )  # fmt: skip
    cell.initialize()
    output, states = cell(mx.nd.ones((1, 3, 8, 8)), cell.begin_state(batch_size=1))
    assert output.shape == (1, 4, 8, 8)
    assert len(states) == 2


def test_fallback_operators_run_as_custom_operators() -> None:
    npi = import_module("mxnet.ndarray.numpy._internal")
    x = mx.np.array([1.0, 2.0, 3.0])
    assert npi.resize_fallback(x, new_shape="(2, 2)").asnumpy().tolist() == [[1, 2], [3, 1]]
    five = mx.np.array([5], dtype="int64")
    assert npi.unravel_index_fallback(five, shape="(2, 3)").asnumpy().tolist() == [[1], [2]]
    draws = npi.mvn_fallback(mx.np.zeros((4, 2)), mx.np.eye(2), size="3")
    assert draws.shape == (3, 4, 2)
    like = npi.empty_like_fallback(x, dtype="float64", order="C", subok="True", shape="None")
    assert (like.shape, like.dtype) == ((3,), np.float64)
    properties = import_module("mxnet.numpy_op_fallback").EmptyLikeProp
    assert properties("float64", "C", "True", "None").list_arguments() == ["prototype"]
    coordinates = mx.nd.zeros((2, 1))
    made = import_module("mxnet.numpy_op_fallback").Unravel_index((2, 3))
    made.forward(False, ["write"], [mx.nd.array([5], dtype="int64")], [coordinates], [])
    assert coordinates.asnumpy().tolist() == [[1], [2]]


def test_an_operator_without_inputs_is_called_on_others() -> None:
    atom = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3, name="fc")._gen_atomic_symbol()
    assert (atom.name, atom.list_arguments()) == ("", [])
    assert atom.list_attr() == {"num_hidden": "3"}
    assert atom(mx.sym.var("q"), name="z").list_arguments() == ["q", "z_weight", "z_bias"]
    assert atom(data=mx.sym.var("q"), name="z").list_outputs() == ["z_output"]
    with pytest.raises(mx.base.MXNetError, match="x is a variable"):
        mx.sym.var("x")._gen_atomic_symbol()


def test_optimizers_allow_arrays_of_numpy_where_they_are_in_use_until_it_is_deleted() -> None:
    optimizer: Any = mx.optimizer.SGD()
    assert not optimizer.allow_np_array
    with mx.util.np_array(True):
        assert optimizer.allow_np_array
        optimizer.allow_np_array = False
        assert not optimizer.allow_np_array
        del optimizer.allow_np_array
        assert not hasattr(optimizer, "allow_np_array")
        with pytest.raises(AttributeError):
            del optimizer.allow_np_array
        weight = mx.np.ones(2)
        mx.optimizer.Updater(optimizer)(0, mx.np.ones(2), weight)
    assert weight.asnumpy() == pytest.approx([0.99, 0.99])


def test_operators_of_numpys_interface_are_not_among_the_internal_ones() -> None:
    for internal in (mx.nd._internal, mx.sym._internal):
        assert [name for name in dir(internal) if name.startswith("_np")] == []
        assert not any(hasattr(internal, name) for name in ("_npi_add", "_np_sum", "_npx_relu"))
    npi = import_module("mxnet.symbol.numpy._internal")
    total = npi.add(mx.sym.var("a").as_np_ndarray(), mx.sym.var("b").as_np_ndarray())
    one = mx.np.ones((1,))
    assert total.bind(mx.cpu(), {"a": one, "b": one}).forward()[0].asscalar() == 2
