"""``stack`` of arrays that differ in axes of one element alone, as of arrays of one shape."""

from typing import Any

import numpy as np
import pytest

from hy_gluon.block import HybridBlock
from hy_ndarray import NDArray, ShapeError, autograd, cpu, nd
from hy_symbol import sym

SHAPES = ((3,), (3, 1), (1, 3))


class Stacked(HybridBlock):
    """Three arrays, one behind the other."""

    def hybrid_forward(self, F: Any, *xs: Any) -> Any:
        return F.stack(*xs, axis=1)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_the_first_says_the_shape(hybrid: bool, order: tuple[int, ...]) -> None:
    net = Stacked()
    net.hybridize(hybrid)
    xs = [nd.arange(3 * k, 3 * k + 3).reshape(SHAPES[k]) for k in order]
    for x in xs:
        x.attach_grad()
    with autograd.record():
        y = net(*xs)
    rows = [x.asnumpy().reshape(xs[0].shape) for x in xs]
    np.testing.assert_array_equal(y.asnumpy(), np.stack(rows, 1))
    slope = nd.arange(y.size).reshape(y.shape)
    y.backward(slope)
    for k, x in enumerate(xs):
        assert isinstance(x.grad, NDArray)
        wanted = np.take(slope.asnumpy(), k, 1).reshape(x.shape)
        np.testing.assert_array_equal(x.grad.asnumpy(), wanted)


def test_types_follow_where_ranks_differ() -> None:
    net = sym.stack(*map(sym.var, "abc"))
    assert net.infer_shape(a=(3,), b=(3, 1), c=(1, 3))[1] == [(3, 3)]
    assert net.infer_shape_partial(a=(3,), b=(3, 0))[1] == [(3, 3)]


@pytest.mark.parametrize("shapes", [((3, 2), (2, 3)), ((6,), (2, 3)), ((3,), (4,))])
def test_other_shapes_are_refused(shapes: Any) -> None:
    with pytest.raises(ShapeError, match="must be"):
        nd.stack(*map(nd.ones, shapes))
    with pytest.raises(ShapeError, match="must be"):
        sym.stack(*map(sym.var, "ab")).simple_bind(cpu(), **dict(zip("ab", shapes, strict=True)))
