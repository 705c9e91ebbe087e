"""CTC from sums of probabilities gives what logarithms give, and leaves to them what it must."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

from hy_kernels.numpy.nn import ctc

STEPS, BATCH, CLASSES = 30, 5, 7
LABEL = [[1, 2, 3, 4], [2, 2, 3, 3], [3, 1, 1, 2], [4, 3, 2, 1], [6, 6, 6, 6]]
PADDED = [[1, 2, 3, 4], [0, 0, 0, 0], [3, 1, 0, 2], [2, 2, 2, 2], [1, 0, 0, 0]]
ENDS = [30, 1, 8, 6, 17]
COUNTS = [4, 0, 2, 3, 4]


def _both(data: Any, label: Any, ends: Any, counts: Any, blank: str) -> tuple[Any, Any]:
    label = np.array(label, data.dtype)
    lengths = [None if given is None else np.array(given) for given in (ends, counts)]
    how: Any = {
        "use_data_lengths": ends is not None,
        "use_label_lengths": counts is not None,
        "blank_label": blank,
    }
    dy = np.linspace(-2, 1, data.shape[1]).astype(data.dtype)
    loss = ctc.ctc_loss(data, label, *lengths, **how)
    return loss, ctc.ctc_loss_backward(dy, data, label, *lengths, **how)


@pytest.fixture
def logarithms(monkeypatch: pytest.MonkeyPatch) -> Any:
    def only() -> None:
        for name in ("_likelihood_by_sums", "_shares_by_sums"):
            monkeypatch.setattr(ctc, name, lambda problem: None)

    return only


@pytest.mark.parametrize("classes", [CLASSES, 100])
@pytest.mark.parametrize("blank", ["first", "last"])
@pytest.mark.parametrize("counts", [None, COUNTS])
@pytest.mark.parametrize("ends", [None, ENDS])
@pytest.mark.parametrize("label", [LABEL, PADDED])
@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_sums_give_what_logarithms_give(
    rng: np.random.Generator,
    logarithms: Any,
    scale: float,
    label: Any,
    ends: Any,
    counts: Any,
    blank: str,
    classes: int,
) -> None:
    data = rng.standard_normal((STEPS, BATCH, classes)) * scale
    how = label, ends, counts, blank
    with mock.patch.object(ctc, "_paths") as paths:
        found = _both(data, *how)
    paths.assert_not_called()
    logarithms()
    for ours, theirs in zip(found, _both(data, *how), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [50.0, 1000.0])
def test_what_is_too_unlikely_for_sums_is_left_to_logarithms(
    rng: np.random.Generator, logarithms: Any, scale: float
) -> None:
    data = rng.standard_normal((STEPS, BATCH, CLASSES)) * scale
    found = _both(data, LABEL, None, None, "first")
    assert np.isfinite(found[0]).all()
    logarithms()
    for ours, theirs in zip(found, _both(data, LABEL, None, None, "first"), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_two_sums_that_hardly_meet_are_left_to_logarithms() -> None:
    """All paths but unlikely ones end in states that do not lead to the end."""
    data = np.zeros((200, 1, 3))
    data[:, 0, 0] = np.where(np.arange(200) < 100, 12, -12)
    with mock.patch.object(ctc, "_paths", wraps=ctc._paths) as paths:
        loss, gradient = _both(data, [[1, 2] * 40], None, None, "first")
    paths.assert_called()
    assert np.isfinite(loss).all()
    np.testing.assert_allclose(gradient.sum(axis=2), 0, atol=1e-9)


def test_many_steps_are_summed(rng: np.random.Generator, logarithms: Any) -> None:
    data = rng.standard_normal((600, 2, 40))
    label = rng.integers(1, 40, (2, 30))
    with mock.patch.object(ctc, "_paths") as paths:
        found = _both(data, label, None, None, "first")
    paths.assert_not_called()
    logarithms()
    for ours, theirs in zip(found, _both(data, label, None, None, "first"), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
