"""What lets a plain forward run operator by operator, and what is the user's own error."""

import math
import random as python_random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import BlockError, HybridBlock, nn
from hy_ndarray import NDArray, ShapeError, SymbolOperandError, autograd, nd, np as mx_np, random

pytestmark = pytest.mark.filterwarnings("ignore:.*not used by any computation")
X = nd.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


class Plain(HybridBlock):
    """Runs a function as its forward, and counts."""

    def __init__(self, function: Callable[..., Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function
        self.runs = 0
        with self.name_scope():
            self.dense = nn.Dense(2)
            self.norm = nn.BatchNorm()

    def forward(self, x: Any, *args: Any) -> Any:
        self.runs += 1
        return self.function(self, x, *args)


def plain(function: Callable[..., Any], *, active: bool = True) -> Plain:
    block = Plain(function, prefix="net_")
    block.initialize("ones")
    block.hybridize(active)
    return block


def overwritten(_: Plain, x: Any) -> Any:
    y = x * 1
    y[0] = 7
    return y


def penalty(_: Plain, x: Any) -> Any:
    with autograd.record():
        x = x.detach()
        x.attach_grad()
        y = (x * x).sum()
    return autograd.grad(y, [x])[0]


class Twice(autograd.Function):
    def forward(self, *inputs: Any) -> Any:
        return inputs[0] * 2

    def backward(self, *dys: Any) -> Any:
        return dys[0] * 2


NEED_ARRAYS: dict[str, Callable[..., Any]] = {
    "asnumpy": lambda _, x: nd.array(x.asnumpy() * 2),
    "asscalar": lambda _, x: x * x.sum().asscalar(),
    "float": lambda _, x: x * float(x.sum()),
    "int": lambda _, x: x * int(x.sum()),
    "index": lambda _, x: x * [1, 2, 3][x[0, 0].astype("int32")],
    "bool": lambda _, x: x if x.sum() > 0 else -x,
    "numpy function": lambda _, x: nd.array(np.exp(x)),
    "numpy array": lambda _, x: nd.array(np.asarray(x)),
    "math": lambda _, x: x * math.sqrt(x.sum()),
    "context": lambda _, x: x + nd.zeros(x.shape, ctx=x.context),
    "an array as operand": lambda _, x: x * nd.ones((2, 3)),
    "an array before it": lambda _, x: nd.ones((2, 3)) - x,
    "an array in an operator": lambda _, x: nd.concat(x, nd.ones((2, 1)), dim=1),
    "an array as key": lambda _, x: x[np.array([True, False])],
    "copyto": lambda _, x: x.copyto(nd.zeros((2, 3))),
    "setting items": overwritten,
    "gradients": penalty,
    "functions of autograd": lambda _, x: Twice()(x),
    "arrays of a block": lambda net, x: x if net.dense(x).sum().asscalar() else -x,
}


@pytest.mark.parametrize("function", NEED_ARRAYS.values(), ids=NEED_ARRAYS.keys())
def test_what_needs_arrays_runs_operator_by_operator_and_says_where(
    function: Callable[..., Any],
) -> None:
    expected = plain(function, active=False)(X).asnumpy()
    block = plain(function)
    with pytest.warns(UserWarning, match="net: its forward cannot be traced into a graph") as told:
        y = block(X)
    np.testing.assert_array_equal(y.asnumpy(), expected)
    (warning,) = told
    first = function.__code__.co_firstlineno
    assert warning.filename == __file__
    assert first <= warning.lineno <= first + 5
    assert f"at {__file__}:{warning.lineno}" in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        np.testing.assert_array_equal(block(X).asnumpy(), expected)


def test_arguments_and_results_that_no_graph_can_have() -> None:
    block = plain(lambda _, x, flag: {"y": x} if flag else x)
    with pytest.warns(UserWarning, match="TracingError: the input of a hybridized block must be"):
        assert list(block(X, True)) == ["y"]
    block = plain(lambda _, x: {"y": x})
    with pytest.warns(UserWarning, match="TracingError: the output of a hybridized block must be"):
        assert list(block(X)) == ["y"]
    block = plain(lambda *_: nd.ones((1,)))
    with pytest.warns(UserWarning, match="TracingError: net: a result is None, or an array"):
        assert block(X).asscalar() == 1
    block = plain(lambda _, x, flag=None: x if flag is None else -x)
    block(X)  # this call has a trace, the next one cannot
    with pytest.warns(UserWarning, match="TracingError: the input"):
        block(X, 1)


def wrong_class(_: Plain, x: Any) -> Any:
    if not isinstance(x, NDArray):
        raise TypeError("takes arrays")
    return x


def typing_error(_: Plain, x: Any) -> Any:
    return x.rellu()


def value_error(_: Plain, x: Any) -> Any:
    if type(x).__name__ != "NDArray":
        raise ValueError("out of range")
    return x


OWN: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (wrong_class, TypeError, "takes arrays"),
    (typing_error, AttributeError, "rellu"),
    (value_error, ValueError, "out of range"),
    (lambda net, x: net.nothing(x), AttributeError, "nothing"),
    (lambda *_: {"a": 1}["missing"], KeyError, "missing"),
    (lambda _, x: nd.dot(x, x), ShapeError, "dot"),
    (lambda _, x: nd.softmax(x, wrong=1), TypeError, "wrong"),  # type: ignore[call-arg]
    (lambda _, x: x.reshape((7,)), ShapeError, "7"),
    (lambda _, x: x + np.ones((2, 3)), TypeError, "numpy array"),
]


@pytest.mark.parametrize(("function", "kind", "message"), OWN, ids=[row[2] for row in OWN])
def test_an_error_of_the_user_is_raised_once_and_as_it_is(
    function: Callable[..., Any], kind: type[Exception], message: str
) -> None:
    block = plain(function)
    for runs in (1, 2):
        with pytest.raises(kind, match=message):
            block(X)
        assert block.runs <= runs
    assert block._hy_traces.why_eager is None


def test_an_error_that_shows_on_symbols_only_says_that_it_came_up_in_a_trace() -> None:
    with pytest.raises(TypeError, match="takes arrays") as caught:
        plain(wrong_class)(X)
    assert any("net was traced with symbols" in note for note in caught.value.__notes__)


class Hybrid(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return Twice()(F.identity(x))


def test_a_function_is_not_traced_in_hybrid_forward() -> None:
    block = Hybrid()
    assert block(X)[0].asnumpy().tolist() == [2, 4, 6]
    block.hybridize()
    with pytest.raises(SymbolOperandError, match=r"Twice\.forward: expected an NDArray"):
        block(X)


def test_the_reason_is_kept_and_told_until_the_block_is_hybridized_anew() -> None:
    block = plain(lambda _, x: x * float(x.sum()))
    with pytest.warns(UserWarning, match="cannot be traced"):
        block(X)
    with pytest.raises(BlockError, match="no program: NoValueError"):
        block.explain(X)
    block.hybridize()
    block.function = lambda _, x: x * 2
    block(X)
    block.runs = 0
    block(X)
    assert block.runs == 0


def test_shapes_that_only_running_tells_are_no_reason_to_give_up() -> None:
    block = plain(lambda net, x: net.dense(x) * float(net.dense.weight.list_data()[0].shape[1]))
    for _ in range(3):
        assert block(X).asnumpy()[0].tolist() == [18, 18]
    assert block.runs == 3  # a trace that failed, what ran instead, and the trace


DRAWS: dict[str, Callable[[], Any]] = {
    "hy": lambda: nd.random.uniform(shape=(1, 1)),
    "mx.np": lambda: mx_np.random.uniform(size=(1, 1)).as_nd_ndarray(),
    "python": lambda: python_random.random(),  # noqa: S311, PLW0108
    "numpy": lambda: float(np.random.rand()),  # noqa: NPY002
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())
def test_numbers_are_not_drawn_twice(draw: Callable[[], Any]) -> None:
    found = []
    for active in (False, True):
        random.seed(3)
        python_random.seed(3)
        np.random.seed(3)  # noqa: NPY002
        block = plain(lambda _, x: x * draw() * float(x.sum()), active=active)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append([block(X).asnumpy() for _ in range(3)])
    np.testing.assert_array_equal(found[1], found[0])


def test_a_draw_as_array_does_not_become_a_constant() -> None:
    block = plain(lambda _, x: x * nd.random.uniform(shape=(1,)).asscalar())
    with pytest.warns(UserWarning, match="random numbers are drawn as arrays.*test_untraceable"):
        first = block(X).asnumpy()
    assert not np.array_equal(block(X).asnumpy(), first)


def test_states_are_updated_once() -> None:
    means = []
    for active in (False, True):
        block = plain(lambda net, x: net.norm(x) * float(x.sum()), active=active)
        with warnings.catch_warnings(), autograd.record():
            warnings.simplefilter("ignore")
            block(X)
        means.append(block.norm.running_mean.data().asnumpy())
    np.testing.assert_array_equal(means[1], means[0])


def test_a_block_inside_that_needs_arrays_stops_the_trace_around_it() -> None:
    net = Plain(lambda net, x: net.inner(x) * 2, prefix="outer_")
    net.inner = plain(lambda _, x: x * float(x.sum()), active=False)
    net.hybridize()
    with pytest.warns(UserWarning, match="cannot be traced") as told:
        assert net(X).asnumpy()[0, 0] == 42
    assert [str(w.message).partition(":")[0] for w in told] == ["net", "outer"]
