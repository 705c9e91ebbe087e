"""Gradient rules apply operators with parameters as parsing gives them: nothing is parsed again."""

from typing import Any

import pytest

from hy_ndarray import ops
from hy_ndarray.ops import OperatorFunction
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from tests.ops.derivatives import second_gradient_errors
from tests.ops.test_second_gradients import CLAIMS

DIFFERENTIABLE = [case for case in CASES if CLAIMS[ops.find(case.op).name] in ("twice", "zero")]


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_parameters_are_in_the_form_of_a_parsed_call(
    case: OpCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = OperatorFunction.__call__

    def checked(self: OperatorFunction, *args: Any, **params: Any) -> Any:
        if not self.op.variadic:
            parsed = self.op.parse(params)
            given = {
                k: v for k, v in self.op.defaults.items() if k != self.op.ctx
            }  # no kernel gets it
            assert repr({**given, **params}) == repr(parsed), self
        return call(self, *args, **params)

    monkeypatch.setattr(OperatorFunction, "__call__", checked)
    second_gradient_errors(case)
