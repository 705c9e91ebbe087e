"""Blocks and functions under ``use_np``, without ``npx.set_np()``."""

from collections.abc import Callable
from typing import Any

import pytest

from hy_gluon import HybridBlock, Parameter, nn, rnn
from hy_gluon.utils import shape_is_known
from hy_ndarray import NDArray, autograd, nd, np, npx
from hy_ndarray.core.semantics import use_np


@use_np
class Product(HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.w = self.params.get("w", shape=(2, 2), allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return F.np.dot(x, w)


@use_np
class Base(HybridBlock):
    """Defines no forward."""


class Plain(Base):
    def forward(self, x: Any) -> Any:
        return x + 1


def test_parameters_of_a_block_that_uses_numpy_are_its_arrays() -> None:
    """Also where the program looks: the class is chosen when they are made, as in MXNet 1.9.1."""
    block = Product()
    block.initialize()
    block(np.ones((1, 2)))
    assert type(block.w.data()) is np.ndarray
    assert type(block.w.grad()) is np.ndarray
    assert [type(x) for x in block.w.list_data()] == [np.ndarray]
    block.cast("float16")
    assert type(block.w.data()) is np.ndarray


def test_the_class_of_a_parameter_is_chosen_by_initialize() -> None:
    inside, outside = Parameter("w", shape=(2,)), Parameter("w", shape=(2,))
    use_np(inside.initialize)()
    outside.initialize()
    assert type(inside.data()) is np.ndarray
    assert type(outside.data()) is NDArray


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_a_block_gives_no_classic_arrays_where_numpys_interface_is_in_use(is_hybrid: bool) -> None:
    class Root(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.sqrt(x, out=x), x

    block = Root()
    block.hybridize(is_hybrid)
    assert type(block(nd.array([4.0]))[0]) is NDArray
    with pytest.raises(TypeError, match=r"its output is a NDArray \(1,\)"):
        use_np(lambda: block(nd.array([4.0])))()


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_what_forward_makes_classic_is_classic(is_hybrid: bool) -> None:
    class Root(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.sqrt(x.as_nd_ndarray()), [x.as_nd_ndarray() * 2]

    class One(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.sqrt(x.as_nd_ndarray())

    x: Any = np.array([4.0])
    x.attach_grad()
    for block in (Root(), One()):
        block.hybridize(is_hybrid)
        with autograd.record():
            out = block(x)
        root = out if isinstance(block, One) else out[0]
        assert type(root) is NDArray
        root.backward()
        assert x.grad.tolist() == [0.25]


LOOPS: dict[str, Callable[[Any, Any], Any]] = {
    "foreach": lambda F, x: F.contrib.foreach(lambda d, s: (d + s, d + s), x, F.sum(x))[0],
    "cond": lambda F, x: F.contrib.cond(F.sum(x) > 0, lambda: x + 1, lambda: x - 1),
    "while_loop": lambda F, x: F.contrib.while_loop(
        lambda i: i < 9, lambda i: (i, (i + 1,)), [F.sum(x)], max_iterations=12
    )[1][0],
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("is_hybrid", [False, True])
def test_loops_over_arrays_of_numpy_give_such_arrays(loop: str, is_hybrid: bool) -> None:
    class Root(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return LOOPS[loop](F, x)

    block = Root()
    block.hybridize(is_hybrid)
    assert type(block(np.array([1.0, 2.0]))) is np.ndarray


def test_a_decorated_class_without_forward_may_have_plain_subclasses() -> None:
    block = Plain()
    assert Plain.is_plain
    block.hybridize()
    assert block(np.ones(2)).asnumpy().tolist() == [2, 2]


def test_unknown_sizes_are_minus_one_in_numpys_semantics() -> None:
    """The texts and shapes are MXNet 1.9.1's, as books print them."""
    layer = nn.Dense(3)
    weight = Parameter("w", shape=(2, 0), allow_deferred_init=True)
    assert (layer.weight.shape, repr(layer)) == ((3, 0), "Dense(None -> 3, linear)")
    with npx.np_shape(True):
        assert (layer.weight.shape, repr(layer)) == ((3, -1), "Dense(-1 -> 3, linear)")
        assert repr(weight) == "Parameter w (shape=(2, -1), dtype=<class 'numpy.float32'>)"
        assert weight.var().attr("__shape__") == "(2, -1)"
        assert repr(nn.LayerNorm()).endswith("in_channels=-1)")
        assert rnn.LSTMCell(2).i2h_weight.shape == (8, -1)
        weight.shape = (2, 3)
        assert weight.shape == (2, 3)
        layer.initialize()
        assert layer(nd.ones((0, 5))).shape == (0, 3)
    assert layer.weight.shape == (3, 5)
    assert weight.size == 6
    assert Parameter("w", shape=(2, -1)).size == 0


@pytest.mark.parametrize(
    ("shape", "classic", "numpys"),
    [
        ((0, 2), False, True),
        ((0,), False, True),
        ((), False, True),
        ((1, 2), True, True),
        ((2, -1), False, False),
        (None, False, False),
    ],
)
def test_a_size_of_zero_is_known_in_numpys_semantics(
    shape: Any, classic: bool, numpys: bool
) -> None:
    assert shape_is_known(shape) is classic
    with npx.np_shape(True):
        assert shape_is_known(shape) is numpys


def test_classic_arrays_without_axes_take_a_slice() -> None:
    with npx.np_shape(True):
        x = nd.zeros(())
        for key, value in ((slice(None), 3), (slice(1, None), nd.ones(())), ((), 5)):
            x[key] = value
            assert x.asscalar() == float(value)
        with pytest.raises(IndexError):
            x[:, :] = 7
        scale = Parameter("scale", shape=(), init="ones")
        scale.initialize()
        assert scale.data().asscalar() == 1
        scale.set_data(nd.array(4).reshape(()))
        assert scale.data().asscalar() == 4
        with pytest.raises(IndexError):
            np.zeros(())[:] = 1


@pytest.mark.parametrize("is_hybrid", [False, True])
@pytest.mark.parametrize(
    ("key", "shape"), [((0, 1), ()), ((0,), (3,)), ((..., 0, 1), (1,)), ((0, ..., 1), (1,))]
)
def test_an_element_of_a_classic_array_has_no_axes_in_numpys_semantics(
    key: tuple[Any, ...], shape: tuple[int, ...], is_hybrid: bool
) -> None:
    """The shapes are MXNet 1.9.1's; a key with ``...`` leaves an axis there."""

    class Part(HybridBlock):
        def forward(self, x: Any) -> Any:
            return x[key] * 2

    before, block = Part(), Part()  # a trace keeps what it was made in
    for each in (before, block):
        each.hybridize(is_hybrid)
    x: Any = nd.array([[0, 1, 2], [3, 4, 5]])
    assert before(x).shape == (shape or (1,))
    with npx.np_shape(True):
        part = block(x)
        assert (part.shape, part.asnumpy().sum()) == (shape, 6 if shape == (3,) else 2)
        assert [row.shape for row in x[0]] == [(), (), ()]
        x.attach_grad()
        with autograd.record():
            y = block(x)
        y.backward()
        assert x.grad.asnumpy()[0, 1] == 2
