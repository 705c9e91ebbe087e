"""What is accepted here and refused by MXNet, or the reverse, as docs/differences.md says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_ndarray import ArgumentError, DTypeError, ShapeError
from mxnet import autograd, gluon, nd


def test_negative_axes_empty_slices_and_any_rank() -> None:
    x = nd.array([[1.0, 2.0], [3.0, 4.0]])
    assert nd.transpose(x, axes=(-1, 0)).asnumpy().tolist() == [[1, 3], [2, 4]]
    assert nd.reverse(x, axis=-1).asnumpy().tolist() == [[2, 1], [4, 3]]
    assert nd.cumsum(x, axis=-1).asnumpy().tolist() == [[1, 3], [3, 7]]
    assert nd.broadcast_axis(x[:, :1], axis=-1, size=3).shape == (2, 3)
    assert nd.Pad(nd.ones((3,)), mode="constant", pad_width=(1, 2)).shape == (6,)
    kept = nd.contrib.boolean_mask(x, nd.array([0.0, 1.0]), axis=1)
    assert kept.asnumpy().tolist() == [[2], [4]]
    assert nd.im2col(nd.ones((1, 1, 4)), kernel=(3,)).shape == (1, 3, 2)
    positions = nd.unravel_index(nd.array([[1], [5]]), shape=(2, 3))
    assert positions.asnumpy().tolist() == [[[0], [1]], [[1], [2]]]


@pytest.mark.parametrize("name", ["square", "abs", "sign", "exp"])
def test_booleans_in_functions_of_each_element(name: str) -> None:
    x = nd.array([True, False], dtype="bool")
    assert getattr(nd, name)(x).dtype == np.bool_


def test_stacked_arrays_have_one_shape() -> None:
    with pytest.raises(mx.MXNetError, match=r"stack.*\(3, 2\)"):
        nd.stack(nd.ones((3, 2)), nd.ones((2, 3)))


def test_inference_of_too_little_says_what_follows() -> None:
    x, like = mx.sym.var("x"), mx.sym.var("like")
    y = mx.sym.reshape_like(x, like)
    arguments, outputs, _ = y.infer_shape_partial(like=(2, 3))
    assert arguments == [(), (2, 3)]
    assert outputs == [(2, 3)]


@pytest.mark.parametrize("name", ["FullyConnected", "Convolution"])
def test_operands_of_different_dtypes(name: str) -> None:
    x = nd.ones((1, 1, 2)) if name == "Convolution" else nd.ones((1, 2))
    weight = x.astype("float64")
    given = {"kernel": (2,), "num_filter": 1} if name == "Convolution" else {"num_hidden": 1}
    with pytest.raises(DTypeError, match=r"float32.*float64"):
        getattr(nd, name)(x, weight, no_bias=True, **given)


def test_static_shapes_need_static_memory() -> None:
    with pytest.raises(ValueError, match="static_alloc"):
        gluon.nn.Dense(1).hybridize(static_shape=True)


def test_custom_operators_take_inputs_by_name_and_see_numpy_types() -> None:
    seen = []

    class Same(mx.operator.CustomOp):
        def forward(self, *given: Any) -> None:
            _, req, in_data, out_data, _ = given
            self.assign(out_data[0], req[0], in_data[0])

    @mx.operator.register("same_by_name")
    class SameProp(mx.operator.CustomOpProp):
        def create_operator(self, *given: Any) -> Any:
            seen.extend(given[-1])
            return Same()

    y = nd.Custom(data=nd.array([3.0]), op_type="same_by_name")
    assert y.asnumpy().tolist() == [3]
    assert seen == [np.float32]


def test_rows_of_a_symbol_while_a_block_is_traced() -> None:
    class Rows(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return sum(2 * row for row in x) + len(x)

    net = Rows()
    net.hybridize()
    assert net(nd.array([[1.0], [2.0], [3.0]])).asnumpy().tolist() == [15]


def test_symbols_take_negative_indices_lists_and_booleans() -> None:
    x = mx.sym.var("x")
    parts = mx.sym.split(x, num_outputs=2, name="parts")
    assert parts[-1].list_outputs() == ["parts_output1"]
    assert mx.sym.concat([x, x]).list_arguments() == ["x"]
    assert (x + True).eval(x=nd.array([1.0]))[0].asnumpy().tolist() == [2]
    assert len({x, x}) == 1


def test_arrays_that_an_operator_does_not_take() -> None:
    arrays: dict[str, Any] = {"mask": nd.ones((1,))}
    with pytest.raises(mx.MXNetError, match="mask"):
        nd.relu(nd.ones((1,)), **arrays)


def test_parameters_of_other_files_are_recognised(tmp_path: Path) -> None:
    net = gluon.nn.Dense(1, in_units=2, prefix="dense_")
    net.initialize(mx.init.One())
    net.hybridize()
    net(nd.ones((1, 2)))
    net.export(str(tmp_path / "net"))
    np.savez(tmp_path / "net.npz", weight=np.full((1, 2), 3.0, np.float32), bias=np.zeros(1))
    exported = gluon.nn.Dense(1, in_units=2, prefix="dense_")
    exported.load_parameters(str(tmp_path / "net-0000.params"))
    assert exported.weight.data().asnumpy().tolist() == [[1, 1]]
    exported.load_parameters(str(tmp_path / "net.npz"), cast_dtype=True)
    assert exported.weight.data().asnumpy().tolist() == [[3, 3]]


def test_a_parameter_is_replaced() -> None:
    layer = gluon.nn.Dense(1, in_units=2)
    layer.initialize()
    layer.weight = gluon.Parameter("weight", shape=(1, 2), init=mx.init.Constant(4))
    layer.weight.initialize()
    assert layer(nd.ones((1, 2))).asnumpy().tolist() == [[8]]


def test_imported_parameters_have_the_shape_of_their_arrays(tmp_path: Path) -> None:
    net = gluon.nn.Dense(1, in_units=2, prefix="dense_")
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2)))
    files = net.export(str(tmp_path / "net"))
    block = gluon.SymbolBlock.imports(str(files[0]), ["data"], str(files[1]))
    assert {p.name: p.shape for p in block.collect_params().values()} == {
        "dense_weight": (1, 2),
        "dense_bias": (1,),
    }


def test_boolean_masks_select() -> None:
    x = nd.array([1.0, 2.0, 3.0])
    assert x[nd.array([True, False, True], dtype="bool")].asnumpy().tolist() == [1, 3]


def test_true_and_false_as_indices() -> None:
    classic = nd.array([[1.0, 2.0], [3.0, 4.0]])
    assert classic[True, False].asnumpy().tolist() == [3]  # row 1, column 0
    classic[True] = 9
    assert classic.asnumpy().tolist() == [[1, 2], [9, 9]]
    x = mx.np.array([[1.0, 2.0]])
    assert x[..., True].shape == (1, 2, 1)
    assert x[True, ..., False].shape == (0, 1, 2)
    x[mx.np.array(True, dtype="bool")] = 5
    assert x.tolist() == [[5, 5]]


@pytest.mark.parametrize(
    ("name", "value"), [("running_mean", 0), ("running_var", 1), ("moving_mean", 0)]
)
def test_initializers_know_moving_statistics(name: str, value: float) -> None:
    array = nd.full((2,), 7)
    mx.init.Xavier()(mx.init.InitDesc(f"norm_{name}"), array)
    assert array.asnumpy().tolist() == [value, value]


def test_deformable_convolution_and_fused_norm_on_a_cpu() -> None:
    x = nd.arange(4).reshape((1, 1, 2, 2))
    offsets, mask = nd.zeros((1, 2, 2, 2)), nd.full((1, 1, 2, 2), 0.5)
    y = nd.contrib.ModulatedDeformableConvolution(
        x, offsets, mask, nd.ones((1, 1, 1, 1)), kernel=(1, 1), num_filter=1, no_bias=True
    )
    assert y.asnumpy().ravel().tolist() == [0, 0.5, 1, 1.5]
    rows = nd.array([[-4.0], [4.0]])
    one, zero = nd.ones((1,)), nd.zeros((1,))
    z = nd.contrib.BatchNormWithReLU(rows, one, zero, zero.copy(), one.copy(), eps=1e-5)
    assert z.asnumpy()[0, 0] == 0
    assert abs(z.asnumpy()[1, 0] - 4) < 1e-3


def test_slices_and_writes_as_in_numpy() -> None:
    x = nd.array([1.0, 2.0, 3.0])
    assert x[2:1].shape == (0,)
    assert x[[0, 2], None].asnumpy().tolist() == [[1], [3]]
    x[[-1, -1]] = nd.array([5.0, 6.0])
    assert x.asnumpy().tolist() == [1, 2, 6]


@pytest.mark.parametrize("name", ["dcasgd", "adagrad", "rmsprop", "ftrl", "adadelta"])
def test_optimizers_of_float16(name: str) -> None:
    more: dict[str, Any] = {"momentum": 0.9} if name == "dcasgd" else {}
    weight = gluon.Parameter("weight", shape=(2,), dtype="float16", init="ones")
    weight.initialize()
    trainer = gluon.Trainer([weight], name, {"multi_precision": True, **more})
    for _ in range(2):
        with autograd.record():
            loss = (weight.data() ** 2).sum()
        loss.backward()
        trainer.step(1)
    assert weight.data().dtype == np.float16
    assert (weight.data().asnumpy() < 1).all()


def test_shapes_of_repeated_sliced_and_averaged_arrays() -> None:
    loose: Any = nd
    assert nd.repeat(nd.ones((2, 3)), repeats=0, axis=1).shape == (2, 0)
    assert loose.slice_like(nd.ones((3, 3)), nd.ones((2, 2)), axes=None).shape == (2, 2)
    mean, weights = mx.np.average(mx.np.ones((2, 3)), axis=0, returned=True)
    assert mean.shape == weights.shape == (3,)
    assert weights.tolist() == [2, 2, 2]


def test_half_a_choice_and_axes_listed_twice_are_refused() -> None:
    loose: Any = mx.np
    with pytest.raises(ArgumentError, match="both of x and y"):
        loose.where(1, loose.ones(2))
    with pytest.raises(ShapeError, match="permutation"):
        nd.transpose(nd.ones((2, 2)), axes=(0, 0))
    x = -nd.ones((2, 3, 4))
    with pytest.raises(ShapeError, match="cannot be broadcast"):
        nd.LeakyReLU(x, nd.ones((2, 3)), act_type="prelu")
    slopes = nd.arange(24).reshape((2, 3, 4))
    y: Any = nd.LeakyReLU(x, slopes, act_type="prelu")
    assert y.asnumpy().ravel().tolist() == [-i for i in range(24)]


def test_complex_numbers_are_no_classic_array() -> None:
    with pytest.raises(ArgumentError, match="complex64"):
        nd.array(np.ones(2, dtype="complex64"))
