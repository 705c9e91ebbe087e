"""The example of a net with a half in each library learns."""

import pytest

from examples import half_in_torch


@pytest.mark.slow
def test_either_library_trains_both_halves(capsys: pytest.CaptureFixture[str]) -> None:
    half_in_torch.main(epochs=8)
    assert capsys.readouterr().out.count("test accuracy") == 2
