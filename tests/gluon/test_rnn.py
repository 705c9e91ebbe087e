"""Recurrent cells and layers: the same numbers in every way of running, and right gradients."""

from pathlib import Path

import numpy as np
import pytest

from hy_gluon import HybridBlock, rnn
from tests.gluon.block_checks import check_gradient, check_ways
from tests.gluon.layer_case import LayerCase
from tests.gluon.rnn_cases import CASES

ROWS = pytest.mark.parametrize("case", CASES, ids=str)
MODES = pytest.mark.parametrize("is_train", [False, True], ids=["predict", "train"])


@ROWS
@MODES
def test_all_ways_of_running_agree(
    case: LayerCase, is_train: bool, rng: np.random.Generator, tmp_path: Path
) -> None:
    check_ways(case, is_train, rng, tmp_path)


@ROWS
@MODES
def test_gradient_is_the_derivative(
    case: LayerCase, is_train: bool, rng: np.random.Generator
) -> None:
    check_gradient(case, is_train, rng)


def test_every_cell_and_layer_has_a_row() -> None:
    text = "".join(map(str, CASES))
    bases = {"HybridRecurrentCell", "ModifierCell"}
    names = {
        name
        for name, value in vars(rnn).items()
        if isinstance(value, type) and issubclass(value, HybridBlock) and name not in bases
    }
    assert {name for name in names if f"-{name}(" not in text} == set()
