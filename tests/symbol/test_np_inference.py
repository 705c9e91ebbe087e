"""Shapes of NumPy's products and joins follow from one operand to the other, as in MXNet 1.9.1."""

from collections.abc import Callable
from typing import Any

import pytest

from hy_gluon import HybridBlock
from hy_ndarray import ShapeError, np
from hy_ndarray.core.semantics import np_shape, use_np
from hy_symbol import sym

PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "dot": sym.np.dot,
    "method dot": lambda x, y: x.dot(y),
    "matmul": sym.np.matmul,
    "tensordot": lambda x, y: sym.np.tensordot(x, y, ([-1], [0])),
    "tensordot by count": lambda x, y: sym.np.tensordot(x, y, 1),
}


def inferred(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    with np_shape():
        made = function(sym.var("a").as_np_ndarray(), sym.var("b").as_np_ndarray())
        arguments, outputs, _ = made.infer_shape(a=a, b=b)
    return arguments, outputs


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize(
    ("a", "b", "arguments", "output"),
    [
        ((3, 5), (-1, 4), [(3, 5), (5, 4)], (3, 4)),
        ((3, -1), (5, 4), [(3, 5), (5, 4)], (3, 4)),
        ((2, 3, 5), (-1, 4), [(2, 3, 5), (5, 4)], (2, 3, 4)),
        ((5,), (-1, 4), [(5,), (5, 4)], (4,)),
        ((3, 5), (-1,), [(3, 5), (5,)], (3,)),
        ((-1,), (5,), [(5,), (5,)], ()),
        ((0, 3), (-1, 2), [(0, 3), (3, 2)], (0, 2)),
    ],
)
def test_an_open_axis_of_a_product_is_that_of_the_other_operand(
    name: str, a: Any, b: Any, arguments: Any, output: Any
) -> None:
    assert inferred(PRODUCTS[name], a, b) == (arguments, [output])


def test_products_sum_over_the_last_axis_but_one_of_more_axes() -> None:
    shapes = [(2, 3, 5), (2, 5, 4)]
    assert inferred(PRODUCTS["dot"], (2, 3, 5), (2, -1, 4)) == (shapes, [(2, 3, 2, 4)])
    assert inferred(PRODUCTS["matmul"], (2, 3, 5), (2, -1, 4)) == (shapes, [(2, 3, 4)])
    with pytest.raises(ShapeError, match=r"inner dimensions differ: .* has 5"):
        inferred(PRODUCTS["tensordot"], (2, 3, 5), (2, -1, 4))


def test_arrays_that_are_joined_agree_along_the_other_axes() -> None:
    def beside(x: Any, y: Any) -> Any:
        return sym.np.concatenate([x, y], 1)

    def below(x: Any, y: Any) -> Any:
        return sym.np.vstack([x, y])

    assert inferred(beside, (3, 5), (-1, 4)) == ([(3, 5), (3, 4)], [(3, 9)])
    assert inferred(below, (3, 5), (2, -1)) == ([(3, 5), (2, 5)], [(5, 5)])


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_parameter_gets_its_open_axis_from_a_product(hybridized: bool) -> None:
    @use_np
    class Layer(HybridBlock):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name_of_product = name
            self.w = self.params.get("w", shape=(0, 4), allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
            return PRODUCTS[self.name_of_product](x, w) if F is sym else np.dot(x, w)

    for name in PRODUCTS:
        layer = Layer(name)
        layer.initialize()
        layer.hybridize(hybridized)
        assert layer(np.ones((3, 5))).shape == (3, 4)
        assert layer.w.shape == (5, 4)
