"""A casting policy: asked for what a program calls, and for nothing else."""
# ruff: noqa: ARG002  # a policy is told more than it needs

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from hy_ndarray import DTypeError, NDArray, Params, autograd, dtype_name, nd, np
from hy_ndarray.core.casting import (
    Casting,
    CastingPolicy,
    cast_inputs,
    casting_policy,
    demands_one_dtype,
    set_casting_policy,
    without_casting,
)
from hy_ndarray.ops import Operator, find


class Policy:
    """Casts as a table says, and notes which operators it was asked about."""

    def __init__(self, scale: float = 1.0, **table: Casting) -> None:
        self.table = table
        self.scale = scale
        self.asked: list[str] = []

    def casting(self, op: Operator, inputs: Sequence[Any], params: Params) -> Casting | None:
        self.asked.append(op.name)
        return self.table.get(op.name)

    def gradient_scale(self, op: Operator, *, traced: bool) -> float:
        return self.scale


@pytest.fixture(autouse=True)
def _none_afterwards() -> Iterator[None]:
    yield
    set_casting_policy(None)


def in_force(scale: float = 1.0, **table: Casting) -> Policy:
    policy = Policy(scale, **table)
    set_casting_policy(policy)
    return policy


def name_of(array: NDArray | None) -> str:
    assert array is not None
    return dtype_name(array.dtype)


def test_setting_a_policy_returns_the_one_before() -> None:
    first: CastingPolicy = Policy()
    assert set_casting_policy(first) is None
    assert casting_policy() is first
    assert set_casting_policy(None) is first


def test_functions_and_methods_of_np_ask_as_those_of_nd() -> None:
    x = np.ones((2, 2))
    policy = in_force(_np_sum=Casting("float16"))
    found = x.sum()
    _ = (x + x, np.exp(x), np.concatenate([x, x]))
    assert policy.asked == ["_np_sum", "_npi_add", "_npi_exp", "_npi_concatenate"]
    assert name_of(found) == "float16"


def test_every_way_of_calling_asks() -> None:
    policy = in_force()
    x = nd.ones((2, 2))
    _ = (nd.exp(x), x.exp(), x + x, x * x, x * 2, abs(x), -x, nd.dot(x, x, transpose_a=True))
    assert policy.asked == [
        "_ones",
        "exp",
        "exp",
        "broadcast_add",
        "broadcast_mul",
        "_mul_scalar",
        "abs",
        "_mul_scalar",
        "dot",
    ]


def test_gradients_are_not_asked_about() -> None:
    policy = in_force()
    x = nd.ones((2, 2))
    x.attach_grad()
    with autograd.record():
        y = nd.softmax(x) / x
    policy.asked.clear()
    y.backward()
    assert policy.asked == []


def test_a_cast_is_recorded_and_its_gradient_cast_back() -> None:
    in_force(exp=Casting("float16"))
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = nd.exp(x)
    y.backward()
    assert (name_of(y), name_of(x.grad)) == ("float16", "float32")


def test_what_has_the_dtype_already_is_left_alone() -> None:
    in_force(exp=Casting("float32"), broadcast_add=Casting())
    x = nd.ones((2,))
    assert cast_inputs(find("exp"), [x], {})[0] is x
    assert all(a is x for a in cast_inputs(find("broadcast_add"), [x, x], {}))


def test_the_widest_dtype() -> None:
    in_force(broadcast_add=Casting())
    x = nd.ones((2,))
    for low, high in (("float16", "float32"), ("float16", "bfloat16"), ("float32", "float64")):
        assert name_of(x.astype(low) + x.astype(high)) == high
    with pytest.raises(DTypeError):  # integers are never cast
        _ = x + x.astype("int32")


def test_inputs_that_are_kept() -> None:
    in_force(BatchNorm=Casting("float16", frozenset(("moving_mean", "moving_var"))))
    x = nd.ones((2, 2))
    inputs = cast_inputs(find("BatchNorm"), [x, x, x, x, x], {})
    assert [name_of(a) for a in inputs] == ["float16"] * 3 + ["float32"] * 2


def test_a_scope_without_casting() -> None:
    in_force(exp=Casting("float16"))
    x = nd.ones((2,))
    with without_casting():
        assert name_of(nd.exp(x)) == "float32"
    assert name_of(nd.exp(x)) == "float16"


def test_losses_that_ignore_their_head_gradient_are_scaled() -> None:
    x, label = nd.array([[1, 2, 3]]), nd.array([1])
    x.attach_grad()
    gradients = []
    for scale in (1.0, 8.0):
        in_force(scale)
        with autograd.record():
            y = nd.SoftmaxOutput(x, label)
        y.backward()
        assert x.grad is not None
        gradients.append(x.grad.asnumpy())
    assert (gradients[0] * 8 == gradients[1]).all()


def test_states_of_loops_stay_in_one_dtype() -> None:
    in_force(exp=Casting("float16"))
    seen = []

    def body(x: NDArray, state: NDArray) -> tuple[NDArray, NDArray]:
        seen.append(name_of(state))
        return x, nd.exp(x)

    _, last = nd.contrib.foreach(body, nd.ones((3, 2)), nd.ones((2,)).astype("float16"))
    assert [*seen, name_of(last)] == ["float32"] * 4


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [("broadcast_add", 2, True), ("Concat", 3, True), ("BatchNorm", 5, False), ("take", 2, False)],
)
def test_which_operators_demand_operands_of_one_dtype(
    name: str, count: int, expected: bool
) -> None:
    op = find(name)
    assert demands_one_dtype(op, ["x"] * count, op.parse({})) is expected
