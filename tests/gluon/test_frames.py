"""Frames: how many of Python's functions usual calls enter, which bounds what they cost."""

import json
import subprocess
import sys

import pytest

from hy_ndarray import cpu, device_of

LIMITS = {
    "relu": 4,
    "recorded relu": 10,
    "first call": 1095,
    "first call, inferred sizes": 1915,
    "second call": 335,
    "from the fourth": 30,
    "training step": 235,
    "import": 400,
}
"""Of two Dense layers, hybridized, and a hybridized loss."""


@pytest.mark.skipif(
    device_of(cpu()).table.name != "numpy", reason="the limits are those of the numpy table"
)
def test_usual_calls_take_few_steps() -> None:
    command = [sys.executable, "-m", "tests.gluon.frames_of_calls"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    found = json.loads(result.stdout)
    assert found.keys() == LIMITS.keys()
    assert {name: found[name] for name in found if found[name] > LIMITS[name]} == {}
