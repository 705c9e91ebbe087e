"""What ``hatch run torch:eager`` times beside each other gives the same."""

from typing import Any

import numpy as np
import pytest

from benchmarks.eager import CALLS, operands
from hy_ndarray import use_kernels


def results(call: str, names: dict[str, Any]) -> list[Any]:
    found = eval(call, names)  # noqa: S307  # the project's own
    return list(found) if isinstance(found, list | tuple) else [found]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_and_its_bare_call_give_the_same(call: str) -> None:
    with use_kernels("torch"):
        ours, theirs = results(call, operands()), results(CALLS[call], operands())
        for mine, bare in zip(ours, theirs, strict=True):
            assert mine.shape == tuple(bare.shape)
            assert str(bare.dtype) == f"torch.{np.dtype(mine.dtype).name}"
            if "random" not in call:
                np.testing.assert_allclose(mine.asnumpy(), bare.numpy(), 1e-4, 1e-5)
