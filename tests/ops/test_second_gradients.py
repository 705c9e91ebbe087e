"""What docs/operators.md says about gradients: second ones are right, or refused."""

import numpy as np
import pytest

from hy_ndarray import AutogradError, autograd, nd, ops
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from hy_symbol import sym
from tests.ops.derivatives import second_gradient_errors
from tools.operators import PAGE, claims

CLAIMS = claims(PAGE.read_text(encoding="utf-8"))
CONSTANT = "IdentityAttachKLSparseReg"  # its penalty takes the moving average for a constant


def rows(*kinds: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if CLAIMS.get(ops.find(case.op).name) in kinds]
    return pytest.mark.parametrize("case", chosen, ids=str)


@rows("twice", "zero")
def test_second_gradients_are_the_numerical_ones(case: OpCase) -> None:
    assert second_gradient_errors(case) == []


@pytest.mark.parametrize("name", sorted({n for n, k in CLAIMS.items() if k == "once"} - {CONSTANT}))
def test_a_gradient_that_has_none_itself_says_so(name: str) -> None:
    with pytest.raises(AutogradError, match=r"_backward|_curve|_trigamma"):  # noqa: PT012
        for case in CASES:
            if ops.find(case.op).name == name:
                second_gradient_errors(case)


def test_the_page_knows_every_operator() -> None:
    assert set(CLAIMS) == {op.name for op in ops.operators()}


def test_what_has_no_gradient_refuses_one() -> None:
    x = nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = nd.multi_sum_sq(x, num_arrays=1) * 2
    with pytest.raises(AutogradError, match=r"^multi_sum_sq is not differentiable$"):
        y.backward()


def test_what_has_no_gradient_refuses_one_in_a_graph() -> None:
    x = sym.var("x")
    y = sym.multi_sum_sq(x, num_arrays=1, name="norms") * 2
    with pytest.raises(AutogradError, match=r"^multi_sum_sq 'norms' is not differentiable$"):
        y.gradient(["x"])


def test_what_is_not_needed_needs_no_gradient() -> None:
    x = nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        nd.multi_sum_sq(x, num_arrays=1)
        y = x * 2
    y.backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 2])


def test_positions_do_not_depend_on_small_changes() -> None:
    x = nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = x * x.argmax()
    y.backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.asnumpy(), [1, 1])
