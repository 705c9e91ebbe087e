"""docs/quantization.md: its table names the operators that are converted."""

import re
from pathlib import Path

from hy_gluon import quantization
from hy_gluon.quantization.options import CALIBRATIONS

PAGE = (Path(__file__).parents[2] / "docs" / "quantization.md").read_text(encoding="utf-8")


def test_the_functions_and_ways_to_calibrate_are_those_there_are() -> None:
    functions = {name for name in vars(quantization) if name.startswith("quantize_")}
    assert {f"`{name}`" for name in functions} <= set(re.findall(r"`\w+`", PAGE))
    _, _, table = PAGE.partition("| `calib_mode` |")
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)[:4] == list(CALIBRATIONS)
