"""MXNet's tools are where its users find them."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["im2rec", "rec2idx"])
def test_the_tools_run_as_modules(tool: str) -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", f"mxnet.tools.{tool}", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"hy-io {tool}" in done.stdout


def test_the_tools_make_lists_and_records(tmp_path: Path) -> None:
    im2rec, rec2idx = (
        importlib.import_module(f"mxnet.tools.{name}") for name in ("im2rec", "rec2idx")
    )
    (tmp_path / "a.png").write_bytes(b"any bytes")
    prefix = str(tmp_path / "out")
    assert im2rec.main(["--list", prefix, str(tmp_path)]) == 0
    assert im2rec.main(["--pass-through", prefix, str(tmp_path)]) == 0
    index = (tmp_path / "out.idx").read_bytes()
    assert rec2idx.main([f"{prefix}.rec"]) == 0
    assert (tmp_path / "out.idx").read_bytes() == index == b"0\t0\n"
