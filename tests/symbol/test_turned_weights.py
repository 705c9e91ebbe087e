"""Convolutions of weights whose axes are permuted read these as they lie."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, device_of
from hy_symbol import Differentiable, Program, Symbol, TypedGraph, sym
from hy_symbol.passes import Target
from hy_symbol.passes.lowering import with_table_rules

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its rules
SHAPES = ((2, 6, 9, 9), (3, 3, 6, 4))


def layer(weight: Symbol, **params: Any) -> Symbol:
    given = {"kernel": (3, 3), "num_filter": 4, "no_bias": True, "pad": (1, 1), **params}
    return sym.Convolution(sym.var("x"), weight, name="conv", **given)


def turned() -> Symbol:
    return sym.transpose(sym.var("w"), axes=(3, 2, 0, 1))


def typed_of(net: Symbol, *shapes: tuple[int, ...]) -> TypedGraph:
    return TypedGraph.of(net.graph, [(shape, "float32") for shape in shapes])


def kinds(typed: TypedGraph) -> list[str]:
    lowered = with_table_rules(typed, Target(device_of(cpu()))).graph
    return [node.op.name for node in lowered.nodes if node.op is not None]


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def test_the_transpose_of_a_weight_is_read_by_the_layer() -> None:
    assert kinds(typed_of(layer(turned()), *SHAPES)) == ["_flipped_convolution"]


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3)], ids=str)
def test_its_values_are_those_of_a_copy_of_the_weight(kernel: tuple[int, int]) -> None:
    pad = tuple(n // 2 for n in kernel)
    x, w = drawn(2, 6, 9, 9), drawn(*kernel, 6, 4)
    typed = typed_of(layer(turned(), kernel=kernel, pad=pad), x.shape, w.shape)
    copy = np.ascontiguousarray(w.transpose(3, 2, 0, 1))
    plain = typed_of(layer(sym.var("w"), kernel=kernel, pad=pad), x.shape, copy.shape)
    device = device_of(cpu())
    (found,) = Program.of(typed, device, is_train=False)(x, w)
    (expected,) = Program.of(plain, device, is_train=False)(x, copy)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("net", "shapes"),
    [
        (sym.Group([layer(weight := turned()), weight * 2]), SHAPES),
        (
            layer(sym.transpose(sym.var("w"), axes=(3, 0, 1, 2)), layout="NHWC"),
            ((2, 9, 9, 6), (3, 3, 6, 4)),
        ),
        (layer(sym.var("w")), (SHAPES[0], (4, 6, 3, 3))),
    ],
    ids=["used twice", "channels last", "in order"],
)
def test_other_layers_stay(net: Symbol, shapes: Sequence[tuple[int, ...]]) -> None:
    assert "_flipped_convolution" not in kinds(typed_of(net, *shapes))


def test_gradients_are_those_of_the_transpose() -> None:
    net = layer(turned())
    typed, device = typed_of(net, *SHAPES), device_of(cpu())
    arrays = [drawn(*shape) for shape in SHAPES]
    (y,), saved = (both := Differentiable.of(typed, [0, 1], device, is_train=True)).run(arrays)
    plain = Differentiable.of(net.graph, [0, 1], device, is_train=True)
    (expected,), other = plain.run(arrays)
    np.testing.assert_array_equal(y, expected)
    found = both.gradients([np.cos(y)], arrays, saved)
    for a, b in zip(found, plain.gradients([np.cos(y)], arrays, other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
