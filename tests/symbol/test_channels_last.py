"""The backend ``channels_last``: what it takes, what it fuses, and that the numbers stay."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, cpu, nd
from hy_symbol import Symbol, sym

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers, and how it plans graphs


def layer(x: Symbol, name: str, filters: int = 32, side: int = 3, **how: Any) -> Symbol:
    pad = (side // 2,) * 2
    params = {"kernel": (side, side), "num_filter": filters, "pad": pad, "name": name, **how}
    return sym.Convolution(x, **params)


def predicted(net: Symbol, backend: str | None, shape: tuple[int, ...]) -> tuple[Any, Counter[str]]:
    """Outputs for drawn parameters, and how many operators of each kind there are."""
    shapes, _, states = net.infer_shape(data=shape)
    assert shapes is not None
    assert states is not None
    rng = np.random.default_rng(5)
    arrays = {
        name: nd.array(rng.uniform(-1, 1, size))
        for name, size in zip(net.list_arguments(), shapes, strict=True)
    }
    aux = {
        name: nd.array(rng.uniform(0.5, 1, size))
        for name, size in zip(net.list_auxiliary_states(), states, strict=True)
    }
    if backend is not None:
        net = net.optimize_for(backend, arrays, aux)
    used = {name: arrays[name] for name in net.list_arguments()}
    outputs = net.bind(cpu(), used, aux_states=aux).forward()
    operators = Counter(node.op.name for node in net.graph.nodes if node.op is not None)
    return [y.asnumpy() for y in outputs], operators


def check(net: Symbol, shape: tuple[int, ...] = (2, 32, 12, 10), **expected: int) -> None:
    plain, _ = predicted(net, None, shape)
    planned, operators = predicted(net, "channels_last", shape)
    for one, other in zip(planned, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5 * np.abs(other).max())
    assert {name: operators[name] for name in expected} == expected


def test_a_residual_unit_is_two_steps_between_two_transpositions() -> None:
    x = sym.var("data")
    inner = sym.Activation(layer(x, "a"), act_type="relu")
    check(
        sym.relu(layer(inner, "b") + x),
        _nhwc_convolution=2,
        transpose=2,
        relu=0,
        Activation=0,
        elemwise_add=0,
    )


@pytest.mark.parametrize("shape", [(1, 32, 56, 56), (1, 32, 5, 7), (3, 40, 14, 14)])
def test_every_size_has_a_method(shape: tuple[int, ...]) -> None:
    net = layer(layer(sym.var("data"), "a", shape[1]), "b", stride=(2, 2))
    check(net, shape, _nhwc_convolution=2, Convolution=0)


def test_pooling_concatenation_and_normalisation_stay_in_between() -> None:
    x = layer(sym.var("data"), "a")
    pooled = [
        sym.Pooling(x, kernel=(3, 3), pad=(1, 1), pool_type="max"),
        sym.Pooling(x, kernel=(3, 3), pad=(1, 1), pool_type="avg", count_include_pad=False),
        sym.BatchNorm(x, name="norm", fix_gamma=False),
    ]
    net = sym.Pooling(sym.Concat(*pooled, dim=1), global_pool=True, pool_type="avg", kernel=(1, 1))
    check(sym.Flatten(net), Pooling=3, Concat=1, BatchNorm=1, transpose=2)


def test_grouped_kernels_run_by_channel_or_stay() -> None:
    by_channel = layer(sym.var("data"), "a", num_group=32)
    check(by_channel, _nhwc_convolution=1, Convolution=0)
    in_pairs = layer(sym.var("data"), "a", num_group=16)
    check(in_pairs, _nhwc_convolution=0, Convolution=1, transpose=0)


def with_bias(x: Symbol, name: str, **how: Any) -> Symbol:
    return sym.relu(layer(x, name, 64, no_bias=False, **how))


WIDE = (2, 64, 12, 10)


@pytest.mark.parametrize("bounds", [(0.0, 6.0), (-4.0, 9.0)])
def test_clip_joins_the_layer_that_it_alone_uses(bounds: tuple[float, float]) -> None:
    x = sym.var("data")
    inner = sym.clip(layer(x, "a", 64, num_group=64, no_bias=False), *bounds)
    pair = sym.clip(layer(inner, "b", 64, side=1, no_bias=False), -3, 3)
    check(pair, WIDE, _nhwc_pair=1, _nhwc_convolution=0, clip=0)
    twice = sym.clip(sym.relu(layer(x, "a", side=1)), *bounds)
    check(twice, _nhwc_convolution=1, relu=0, clip=1)


def test_a_pointwise_layer_joins_the_layer_that_it_alone_uses() -> None:
    x = sym.var("data")
    separable = with_bias(with_bias(x, "a", num_group=64), "b", side=1)
    check(separable, WIDE, _nhwc_pair=1, _nhwc_convolution=0, relu=0)
    inner = with_bias(with_bias(x, "a", side=1), "b")
    bottleneck = sym.relu(layer(inner, "c", 64, side=1) + x)
    check(bottleneck, WIDE, _nhwc_pair=1, _nhwc_convolution=1, elemwise_add=0)


def test_a_pointwise_layer_stays_alone_behind_what_others_use_or_that_has_no_bias() -> None:
    x = with_bias(sym.var("data"), "a")
    check(sym.Group([with_bias(x, "b", side=1), x]), WIDE, _nhwc_pair=0)
    bare = layer(sym.var("data"), "a", 64, no_bias=True)
    check(with_bias(bare, "b", side=1), WIDE, _nhwc_pair=0)
    check(with_bias(x, "b", side=1, stride=(2, 2)), WIDE, _nhwc_pair=0)


def test_a_result_that_is_used_twice_is_not_fused() -> None:
    x = layer(sym.var("data"), "a")
    check(sym.Group([sym.relu(x), x]), relu=1, _nhwc_convolution=1)
    both = layer(x, "b")
    check(both + both, elemwise_add=1)


def test_an_operator_that_minds_the_order_of_axes_gets_it_back() -> None:
    check(sym.sum(layer(sym.var("data"), "a"), axis=1), sum=1, transpose=2)
    check(sym.broadcast_add(layer(sym.var("data"), "a"), sym.var("bias", shape=(1, 32, 1, 1))))


def test_other_dtypes_ranks_and_layouts_stay() -> None:
    net = layer(sym.var("data", dtype="float16"), "a")
    shape = {"data": (2, 32, 8, 8)}
    kept = net.optimize_for("channels_last", shape_dict=shape, type_dict={"data": "float16"})
    assert kept.tojson() == net.tojson()
    line = sym.Convolution(sym.var("data"), kernel=(3,), num_filter=32, name="line")
    check(line, (2, 32, 9), Convolution=1)


def test_it_has_no_options() -> None:
    with pytest.raises(ArgumentError, match="unknown option 'fast'"):
        layer(sym.var("data"), "a").optimize_for("channels_last", fast=True)
