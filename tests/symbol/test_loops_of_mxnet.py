"""What MXNet 1.9.1 says of loops and branches: classes of errors, and orders of arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import HyError, nd
from hy_symbol import sym

loops: Any = sym.contrib
steps: Any = nd.contrib
d, s, c, e, p, i, j = (sym.var(name) for name in "dscepij")
ROWS = nd.array([[1], [2]])
ZERO = nd.zeros((1,))
ONE = nd.ones((1,))


def _while(
    condition: Callable[..., Any], function: Callable[..., Any], count: int = 2, most: Any = 3
) -> Any:
    return loops.while_loop(condition, function, [i, j][:count], most)


def _eager(function: Callable[..., Any], most: Any = 3, condition: Any = None) -> Any:
    return steps.while_loop(condition or (lambda x: x < 5), function, [ONE], most)


REFUSED: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "a slice that is not used": (
        AssertionError,
        lambda: loops.foreach(lambda _, s: (s[0] + 1, [s[0] * 2]), d, [s]),
    ),
    "a state that is not used": (
        AssertionError,
        lambda: loops.foreach(lambda x, _: (x + 1, [x * 2]), d, [s]),
    ),
    "states of another form": (
        AssertionError,
        lambda: loops.foreach(lambda x, s: (x, s[0] + x), d, [s]),
    ),
    "a number for data": (AssertionError, lambda: loops.foreach(lambda x, s: (x, s), 3, [s])),
    "a number for an output": (
        AssertionError,
        lambda: loops.foreach(lambda x, s: (3, [s[0] + x]), d, [s]),
    ),
    "a number for the states of arrays": (
        AssertionError,
        lambda: steps.foreach(lambda x, s: (x, s), ROWS, 3),
    ),
    "no arrays": (IndexError, lambda: steps.foreach(lambda _, s: (s, s), [], [ZERO])),
    "an array with fewer rows": (
        IndexError,
        lambda: steps.foreach(lambda x, s: (x[0], s), [ROWS, nd.ones((1, 1))], [ZERO]),
    ),
    "other outputs in the second step": (
        IndexError,
        lambda: steps.foreach(
            lambda x, s: (x if s[0].asscalar() == 0 else [x, x], [s[0] + 1]), ROWS, [ZERO]
        ),
    ),
    "a number for the variables of a loop": (
        AssertionError,
        lambda: loops.while_loop(lambda x: x < 5, lambda x: ([x], [x]), 3, 3),
    ),
    "no step in a graph": (HyError, lambda: _while(lambda x: x < 5, lambda x: (x, x), 1, 0)),
    "conditions in a list": (ValueError, lambda: _while(lambda x: [x < 5], lambda x: (x, x), 1)),
    "steps in words": (ValueError, lambda: _eager(lambda x: ([x], [x + 1]), "three")),
    "a number for an output of arrays": (AssertionError, lambda: _eager(lambda x: (2, [x + 1]))),
    "a condition without elements": (
        ValueError,
        lambda: steps.cond(nd.array(np.ones(0)), lambda: ONE, lambda: ONE),
    ),
    "a number for a branch": (AssertionError, lambda: loops.cond(p, lambda: 3, lambda: d)),
    "a number for the condition of a branch": (
        AssertionError,
        lambda: loops.cond(True, lambda: d, lambda: s),
    ),
    "branches without results": (TypeError, lambda: loops.cond(p, list, list)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_wrong_loop_is_an_error_of_the_class_that_it_is_in_mxnet(what: str) -> None:
    kind, call = REFUSED[what]
    with pytest.raises(HyError) as raised:
        call()
    assert isinstance(raised.value, kind)


def test_steps_are_counted_in_whole_numbers() -> None:
    for most in ("3", 3.7):
        (rows,), (last,) = _eager(lambda x: ([x], [x + 1]), most)
        assert (rows.asnumpy().ravel().tolist(), last.asscalar()) == ([1, 2, 3], 4)
        _, (end,) = _while(lambda x: x < 5, lambda x: ([x], [x + 1]), 1, most)
        assert end.eval(i=ONE)[0].asscalar() == 4


def test_states_that_arrays_need_not_be_arrays() -> None:
    rows, states = steps.foreach(lambda x, _: (x, "end"), ROWS, [ZERO])
    assert (rows.asnumpy().tolist(), states) == ([[1], [2]], "end")


ORDERS: dict[str, tuple[list[str], int, Callable[[], Any]]] = {
    "condition first": (["i", "c", "j"], 3, lambda: _while(lambda i, _: i < c, _next)),
    "outside first": (["c", "i", "e", "j"], 1, lambda: _while(lambda i, _: c < i, _from_outside)),
    "second variable first": (["j", "i"], 4, lambda: _while(lambda _, j: j < 5, _next)),
    "nothing of the loop first": (["c", "i", "j"], 4, lambda: _while(lambda *_: c < 5, _next)),
}


def _next(i: Any, j: Any) -> Any:
    return [i], [i + 1, j]


def _from_outside(i: Any, j: Any) -> Any:
    return [e + i], [i + 1, j]


@pytest.mark.parametrize("what", ORDERS)
def test_arguments_of_a_while_loop_are_in_the_order_in_which_it_reads_them(what: str) -> None:
    names, end, loop = ORDERS[what]
    last = loop()[1][0]
    assert last.list_arguments() == names
    values = {"i": nd.array([1]), "j": nd.array([2]), "c": nd.array([3]), "e": nd.array([4])}
    assert last.eval(**{name: values[name] for name in names})[0].asscalar() == end
