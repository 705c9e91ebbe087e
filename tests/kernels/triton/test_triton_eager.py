"""What ``python -m benchmarks.eager_triton`` times is launched by the table's own kernels."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.eager_triton import calls, standing_in
from hy_kernels.triton.runtime import _tune
from hy_kernels.triton.runtime._launch import watched


@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in calls()])
def test_a_call_is_one_launch_that_is_told_the_same_each_time(call: Callable[[], Any]) -> None:
    _tune.forget()
    with standing_in(), watched() as launches:
        call()
        call()
    first, second = launches
    assert first.name == second.name
    assert first.constants == second.constants
    assert first.grid == second.grid
    _tune.forget()
