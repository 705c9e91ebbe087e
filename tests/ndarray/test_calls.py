"""Operands decide what a call of an operator does; what is no operand is refused by name."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, ShapeError, nd, use_kernels
from hy_ndarray.ops import Operator, is_operand

X = nd.ones((2, 3))


class Recorder:
    """An operand that notes what is applied to it, as a symbol adds a node."""

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Any,
        is_train: bool | None = None,
        out: Any = None,
    ) -> Any:
        return op.name, list(inputs), dict(params), is_train, out


OTHER: Any = Recorder()
PAIR: Any = [OTHER, X]
NONE: Any = None


@pytest.mark.parametrize(
    ("call", "name", "inputs"),
    [
        (lambda: nd.relu(OTHER), "relu", [OTHER]),
        (lambda: nd.broadcast_add(OTHER, X), "broadcast_add", [OTHER, X]),
        (lambda: nd.broadcast_add(X, OTHER), "broadcast_add", [X, OTHER]),
        (lambda: nd.concat(X, X, OTHER), "Concat", [X, X, OTHER]),
        (lambda: nd.split(OTHER, num_outputs=2), "SliceChannel", [OTHER]),
        (lambda: nd.Dropout(OTHER), "Dropout", [OTHER]),
    ],
)
def test_an_operand_that_is_no_array_applies_the_operator_itself(
    call: Callable[[], Any], name: str, inputs: list[Any]
) -> None:
    found = call()
    assert found[0] == name
    assert all(a is b for a, b in zip(found[1], inputs, strict=True))


@pytest.mark.parametrize(
    ("call", "out"),
    [
        (lambda: nd.relu(OTHER, out=X), X),
        (lambda: nd.relu(X, out=OTHER), OTHER),
        (lambda: nd.Dropout(X, out=OTHER), OTHER),
        (lambda: nd.sgd_update(OTHER, X, lr=1, out=OTHER), OTHER),
        (lambda: nd.split(X, num_outputs=2, out=PAIR), PAIR),
        (lambda: nd.zeros((2,), out=OTHER), OTHER),
    ],
)
def test_an_operand_that_is_no_array_is_told_where_results_belong(
    call: Callable[[], Any], out: Any
) -> None:
    assert call()[4] is out


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (nd.relu, "relu: input data is a list, not an NDArray"),
        (lambda y: nd.broadcast_add(X, y), "broadcast_add: input rhs is a list, not an NDArray"),
        (lambda y: nd.concat(X, X, y), "Concat: input arg2 is a list, not an NDArray"),
        (nd.Dropout, "Dropout: input data is a list, not an NDArray"),
        (lambda _: nd.broadcast_add(X, NONE), "broadcast_add: input rhs is missing"),
    ],
)
def test_what_is_no_operand_is_refused_by_name(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call([1, 2])


def test_an_error_of_the_kernel_is_not_taken_for_a_wrong_operand() -> None:
    with pytest.raises(ShapeError, match="broadcast_add"):
        nd.broadcast_add(X, nd.ones((4, 5)))


def test_arrays_are_operands_and_numbers_are_not() -> None:
    assert [is_operand(x) for x in (X, OTHER, 2, [X], None)] == [True, True, False, False, False]


def test_an_array_of_a_replaced_table_meets_an_operand_that_is_no_array() -> None:
    array = nd.ones((2, 3))
    with use_kernels("numpy"):
        pass
    assert nd.broadcast_add(array, OTHER)[1] == [array, OTHER]


def test_an_argument_without_a_meaning_is_taken_where_programs_give_it() -> None:
    loose: Any = nd
    assert loose.log(nd.ones((2,)), axis=-1).asnumpy().tolist() == [0.0, 0.0]
    with pytest.raises(ArgumentError, match="unknown argument 'axes'"):
        loose.sum(nd.ones((2,)), axes=-1)


def test_operators_without_parameters_take_any_argument_as_in_mxnet() -> None:
    loose: Any = nd
    x: Any = nd.ones((2,))
    for result in (
        loose.relu(x, banana=1),
        x.relu(banana=[1]),
        loose.broadcast_maximum(x, x, axis=1),
        loose.ones_like(x, dtype="int32"),
        loose.where(x, x, x, axis=0),
        loose.MAERegressionOutput(x, x, banana=1),
    ):
        assert (result.asnumpy().tolist(), result.dtype) == ([1.0, 1.0], np.float32)
    for name in ("add_n", "khatri_rao"):
        with pytest.raises(ArgumentError, match="unknown argument 'banana'"):
            getattr(loose, name)(x, x, banana=1)
    with pytest.raises(ArgumentError, match="unknown argument 'rsh'"):
        loose.elemwise_add(x, x, rsh=x)
