"""Python's cyclic collector stands still while `hy convert` works."""

import gc
from pathlib import Path

import numpy as np
import pytest

from hy_cli import command, formats, main
from hy_cli.weights import Weights
from hy_io import save_ndarrays


def test_the_collector_stands_still_during_a_conversion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Imports and graphs make many objects, all of which stay."""
    enabled = []

    def watched(path: str) -> Weights:
        enabled.append(gc.isenabled())
        return formats.load(path)

    save_ndarrays(tmp_path / "net.params", {"dense0_weight": np.ones((2, 3), np.float32)})
    monkeypatch.setattr(command, "load", watched)
    for source, code in ("net.params", 0), ("none.params", 1):
        assert main(["convert", str(tmp_path / source), str(tmp_path / "a.npz")]) == code
        assert gc.isenabled()
    assert enabled == [False, False]
