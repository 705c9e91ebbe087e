"""Every layer: the same numbers in every way of running, right gradients, MXNet's graphs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import BlockError, HybridBlock, LayerError, StructureError, contrib, nn
from hy_ndarray import autograd, nd
from hy_symbol import sym
from tests.gluon.block_checks import check_gradient, check_ways
from tests.gluon.layer_case import LayerCase
from tests.gluon.layer_cases import CASES

ROWS = pytest.mark.parametrize("case", CASES, ids=str)
MODES = pytest.mark.parametrize("is_train", [False, True], ids=["predict", "train"])


@ROWS
@MODES
def test_all_ways_of_running_agree(
    case: LayerCase, is_train: bool, rng: np.random.Generator, tmp_path: Path
) -> None:
    check_ways(case, is_train, rng, tmp_path)


@ROWS
@MODES
def test_gradient_is_the_derivative(
    case: LayerCase, is_train: bool, rng: np.random.Generator
) -> None:
    check_gradient(case, is_train, rng)


def test_every_layer_has_a_row() -> None:
    used = {case.block for case in CASES}
    layers = {
        value
        for name, value in vars(nn).items()
        if isinstance(value, type) and issubclass(value, HybridBlock) and not name.startswith("_")
    }
    own = {layer for layer in layers if layer.__module__.startswith("hy_gluon.nn")}
    built = {nn.HybridSequential, nn.HybridLambda, nn.Remat, nn.RotaryEmbedding}
    built.add(contrib.nn.HybridConcurrent)
    assert own - used - built == set()


# --- containers ------------------------------------------------------------------------------


def test_a_slice_of_a_container_shares_its_blocks_and_prefix() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3), nn.Dropout(0.5), nn.Dense(2))
    part = net[:2]
    assert type(part) is nn.HybridSequential
    assert part.prefix == "net_"
    assert [part[0], part[1]] == [net[0], net[1]]
    assert net[-1].prefix == "net_dense1_"
    assert len(part) == 2
    with pytest.raises(IndexError):
        net[3]


def test_containers_show_their_blocks() -> None:
    net = nn.Sequential()
    inner = nn.HybridSequential()
    inner.add(nn.Flatten())
    net.add(nn.Dense(3, in_units=2, activation="relu"), inner)
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Dense(2 -> 3, Activation(relu))\n"
        "  (1): HybridSequential(\n"
        "    (0): Flatten\n"
        "  )\n"
        ")"
    )
    assert repr(nn.Sequential()) == "Sequential(\n\n)"


def test_a_hybrid_container_refuses_plain_blocks() -> None:
    with pytest.raises(StructureError, match="HybridSequential instead"):
        nn.HybridSequential().add(nn.Sequential())


def test_hybridizing_a_sequential_of_hybrid_blocks_suggests_another_container() -> None:
    net = nn.Sequential()
    net.add(nn.Flatten())
    with pytest.warns(UserWarning, match="a HybridSequential runs them as one graph"):
        net.hybridize()
    net.add(nn.Lambda("relu"))
    net.hybridize()


def test_concurrent_joins_what_its_blocks_give() -> None:
    net = contrib.nn.Concurrent(axis=1)
    net.add(contrib.nn.Identity(), nn.Lambda(lambda x: x * 2))
    assert net(nd.array([[1, 2]])).asnumpy().tolist() == [[1, 2, 2, 4]]
    assert net[:1].axis == 1


# --- deformable convolutions -----------------------------------------------------------------


def test_a_modulated_deformable_convolution_makes_mxnets_graph() -> None:
    layer = contrib.cnn.ModulatedDeformableConvolution(4, (3, 3), padding=1, prefix="d_")
    graph = json.loads(layer(sym.var("x")).tojson())
    operators = [(n["op"], n["name"]) for n in graph["nodes"] if n["op"] != "null"]
    assert operators == [
        ("Convolution", "d_convolution0"),
        ("slice_axis", "d_slice_axis0"),
        ("slice_axis", "d_slice_axis1"),
        ("sigmoid", "d_sigmoid0"),
        ("_mul_scalar", "d__mulscalar0"),
        ("_contrib_ModulatedDeformableConvolution", "d_fwd"),
    ]
    window = {"kernel": "(3, 3)", "stride": "(1, 1)", "dilate": "(1, 1)", "pad": "(1, 1)"}
    common = {**window, "layout": "NCHW", "no_bias": "False", "num_group": "1"}
    attrs = {n["name"]: n.get("attrs") for n in graph["nodes"]}
    assert attrs["d_convolution0"] == {**common, "num_filter": "27", "cudnn_off": "True"}
    assert attrs["d_slice_axis1"] == {"axis": "1", "begin": "18", "end": "None"}
    assert attrs["d_fwd"] == {**common, "num_filter": "4", "num_deformable_group": "1"}


@pytest.mark.parametrize(
    ("layer", "prefix", "parts"),
    [
        (contrib.cnn.DeformableConvolution, "deformable_conv", ("offset", "deformable_conv")),
        (
            contrib.cnn.ModulatedDeformableConvolution,
            "modulated_deformable_conv",
            ("deformable_conv", "offset"),
        ),
    ],
)
def test_deformable_convolutions_name_their_parameters_in_mxnets_order(
    layer: Any, prefix: str, parts: tuple[str, str]
) -> None:
    made = layer(4, (3, 3))
    assert made.prefix.rstrip("0123456789_") == prefix
    names = [f"{made.prefix}{part}_{kind}" for part in parts for kind in ("weight", "bias")]
    assert [*made.collect_params()] == names


def test_a_deformable_convolution_begins_as_an_ordinary_one(rng: np.random.Generator) -> None:
    layer = contrib.cnn.DeformableConvolution(3, (3, 2), strides=(2, 1), activation="relu")
    layer.initialize()
    x = nd.array(rng.normal(size=(2, 4, 6, 5)))
    y = layer(x)
    weight = layer.deformable_conv_weight.data()
    plain = nd.Convolution(
        x, weight, kernel=(3, 2), stride=(2, 1), num_filter=3, no_bias=True
    ).relu()
    np.testing.assert_allclose(y.asnumpy(), plain.asnumpy(), rtol=1e-5, atol=1e-6)
    assert repr(layer) == (
        "DeformableConvolution(4 -> 3, kernel_size=(3, 2), stride=(2, 1), Activation(relu))"
    )


# --- functions as layers ---------------------------------------------------------------------


def test_lambda_takes_a_name_or_a_function() -> None:
    assert repr(nn.Lambda("relu")) == "Lambda(relu)"
    assert repr(nn.HybridLambda(lambda F, x: x)) == "HybridLambda(<lambda>)"
    both = nn.Lambda(lambda x, y: (x + y, x))(nd.ones((1,)), nd.ones((1,)))
    assert [y.asscalar() for y in both] == [2, 1]
    add = nn.HybridLambda("broadcast_add", prefix="sum_")
    assert add(sym.var("a"), sym.var("b")).list_outputs() == ["sum_broadcast_add0_output"]


@pytest.mark.parametrize("layer", [nn.Lambda, nn.HybridLambda])
def test_lambda_names_what_it_cannot_use(layer: type[nn.Lambda]) -> None:
    with pytest.raises(LayerError, match="'nosuch'"):
        layer("nosuch")
    with pytest.raises(LayerError, match="a function or its name is needed, not 3"):
        layer(3)  # type: ignore[arg-type]


# --- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Conv2D(4, (1, 1, 1)), "kernel_size must be an int or 2 ints"),
        (lambda: nn.Conv2D(4, 1.5), "must be an int or 2 ints, not 1.5"),  # type: ignore[arg-type]
        (lambda: nn.Conv3D(4, 1, strides=(1, 1)), "strides must be an int or 3 ints"),
        (lambda: nn.Conv1D(4, 1, layout="NWC"), "layout 'NWC' is not supported here, only 'NCW'"),
        (lambda: nn.Conv2D(0, 1), "channels=0, groups=1 must be at least 1"),
        (lambda: nn.Conv2D(4, 1, groups=3), "groups=3 must divide channels=4"),
        (lambda: nn.Conv1DTranspose(4, 1, output_padding=(1, 1)), "output_padding must be"),
        (
            lambda: nn.Conv2D(4, 1, activation=nn.PReLU()),  # type: ignore[arg-type]
            "activation must be a name",
        ),
        (lambda: contrib.cnn.DeformableConvolution(0), "channels=0, groups=1, num_deformable"),
        (lambda: contrib.cnn.DeformableConvolution(3, groups=2), "groups=2 must divide channels=3"),
        (lambda: contrib.cnn.DeformableConvolution(2, adj=1), "adj is for transposed convolutions"),
        (lambda: nn.MaxPool2D(layout="CHWN"), "only 'NCHW' and 'NHWC'"),
        (lambda: nn.AvgPool1D((2, 2)), "pool_size must be an int or 1 ints"),
        (lambda: nn.ReflectionPad2D((1, 2)), "padding must be an int or 8 ints"),
        (lambda: nn.LeakyReLU(-0.1), "alpha must be at least 0, not -0.1"),
        (lambda: contrib.nn.PixelShuffle2D((1, 2, 3)), "factor must be an int or 2 ints"),
    ],
)
def test_arguments_that_make_no_layer_are_named(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(LayerError, match=message):
        make()


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="unknown argument 'units_in'"):
        nn.Dense(3, units_in=2)


# --- parameters ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "inside", "shape"),
    [
        (nn.Dense(3, flatten=False), (2, 5, 4), (3, 4)),
        (nn.Conv2D(6, (2, 3), groups=2), (1, 4, 5, 5), (6, 2, 2, 3)),
        (nn.Conv2D(6, (2, 3), layout="NHWC"), (1, 5, 5, 4), (6, 2, 3, 4)),
        (nn.Conv2DTranspose(6, (2, 3), groups=2), (1, 4, 5, 5), (4, 3, 2, 3)),
        (nn.Conv1DTranspose(6, 3), (1, 4, 5), (4, 6, 3)),
    ],
    ids=repr,
)
def test_the_first_input_tells_the_shape_of_the_weight(
    layer: nn.Dense, inside: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    layer.initialize()
    assert 0 in (layer.weight.shape or ())
    layer(nd.ones(inside))
    assert layer.weight.shape == shape


def test_batch_norm_keeps_its_parameters_in_float32_for_16_bit_data() -> None:
    layer = nn.BatchNorm(in_channels=2)
    layer.initialize()
    for dtype in ("float16", "bfloat16"):
        layer.cast(dtype)
        assert {str(p.data().dtype) for p in layer.params.values()} == {str(np.float32)}
    assert layer(nd.ones((3, 2), dtype="float16")).dtype is np.float16
    layer.cast("float64")
    assert {p.data().dtype for p in layer.params.values()} == {np.float64}


def test_batch_norm_learns_what_it_is_told_to() -> None:
    fixed = nn.BatchNorm(scale=False, center=False)
    assert {p.grad_req for p in fixed.params.values()} == {"null"}
    fixed.gamma.grad_req = "write"
    assert fixed.gamma.grad_req == "null"
    assert nn.LayerNorm(scale=False).gamma.grad_req == "null"


def test_batch_norm_moves_its_statistics_in_training() -> None:
    layer = nn.BatchNorm(momentum=0.5, in_channels=1)
    layer.initialize()
    x = nd.array([[1], [3]])
    layer(x)
    assert layer.running_mean.data().asscalar() == 0
    with autograd.record():
        y = layer(x)
    y.backward()
    assert layer.running_mean.data().asscalar() == 1


def test_sync_batch_norm_asks_for_the_number_of_devices() -> None:
    with pytest.warns(UserWarning, match="give num_devices"):
        contrib.nn.SyncBatchNorm()


def test_dropout_drops_in_training_alone() -> None:
    layer = nn.Dropout(0.5, axes=(1,))
    x = nd.ones((50, 4))
    assert (layer(x).asnumpy() == 1).all()
    with autograd.train_mode():
        y = layer(x).asnumpy()
    assert set(np.unique(y)) == {0, 2}
    assert (y == y[:, :1]).all()


def test_a_layer_that_is_not_initialized_says_so() -> None:
    with pytest.raises(RuntimeError, match="initialize"):
        nn.Dense(2, in_units=2)(nd.ones((1, 2)))
    assert issubclass(BlockError, RuntimeError)
