"""These tests are of those who have Triton; without a GPU its interpreter runs the kernels."""

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import pytest

collect_ignore_glob = [] if find_spec("torch") and find_spec("triton") else ["test_*.py"]

if not collect_ignore_glob:
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"  # read when device parts are defined
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False


@pytest.fixture(autouse=True)
def _by_its_own_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU, too, nothing is measured, no library is taken, and products are exact."""

    def first(problem: Any, ways: Callable[[], Mapping[str, Any]], **_: Any) -> str:
        return next(iter(ways()))

    for module in ("nn.attention.dot_product", "linalg.matmul", "nn._images"):
        monkeypatch.setattr(f"hy_kernels.triton.{module}.choose", first)
    monkeypatch.setattr("hy_kernels.triton.nn.attention.dot_product.is_torch_s", lambda _: False)
