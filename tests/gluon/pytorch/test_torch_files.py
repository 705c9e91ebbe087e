"""Files of PyTorch that are written here PyTorch loads, and those that it writes are read here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hy_io import load_torch, save_torch

DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
MAPPED = pytest.mark.parametrize("mapped", [False, True])


def arrays() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    made = {name: rng.integers(0, 2, (3, 5)).astype(name) for name in DTYPES}
    return made | {
        "turned": rng.normal(size=(4, 3)).T,
        "large": rng.normal(size=(300, 700)),
        "none": np.zeros((0, 2)),
        "0-d": np.array(3.0),
    }


@MAPPED
def test_pytorch_loads_what_is_written(tmp_path: Path, mapped: bool) -> None:
    expected = arrays()
    save_torch(tmp_path / "a.pt", expected)
    found = torch.load(tmp_path / "a.pt", weights_only=True, mmap=mapped)
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name].numpy(), array, strict=True)
        assert found[name].is_contiguous()


@MAPPED
def test_pytorch_loads_bfloat16(tmp_path: Path, mapped: bool) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        values = np.arange(6.0).astype(getattr(ml_dtypes, name))
        save_torch(tmp_path / "a.pt", {"a": values})
        found = torch.load(tmp_path / "a.pt", weights_only=True, mmap=mapped)["a"]
        assert found.dtype == getattr(torch, name)
        assert found.float().tolist() == [0, 1, 2, 3, 4, 5]


def test_a_module_takes_what_is_written(tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4))
    torch.save(net.state_dict(), tmp_path / "a.pt")
    state = load_torch(tmp_path / "a.pt", check=True)
    for name, tensor in net.state_dict().items():
        np.testing.assert_array_equal(state[name], tensor.numpy(), strict=True)
    save_torch(tmp_path / "b.pt", state)
    again = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4))
    again.load_state_dict(torch.load(tmp_path / "b.pt", weights_only=True))
    x = torch.ones(1, 1, 5, 5)
    assert torch.equal(net(x), again(x))


def test_views_that_pytorch_saves_are_read(tmp_path: Path) -> None:
    base = torch.randn(5, 6, dtype=torch.float64)
    views = {"base": base, "turned": base.t(), "part": base[1:4, ::2], "same": base.expand(3, 5, 6)}
    torch.save(views, tmp_path / "a.pt")
    state = load_torch(tmp_path / "a.pt")
    for name, tensor in views.items():
        np.testing.assert_array_equal(state[name], tensor.numpy(), strict=True)
