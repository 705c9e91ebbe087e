"""Every loss: the same numbers in every way of running, right gradients, named mistakes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import LayerError, loss
from hy_ndarray import autograd, nd, np as numpy
from tests.gluon.block_checks import check_gradient, check_ways
from tests.gluon.layer_case import LayerCase
from tests.gluon.loss_cases import CASES

ROWS = pytest.mark.parametrize("case", CASES, ids=str)


@ROWS
def test_all_ways_of_running_agree(
    case: LayerCase, rng: np.random.Generator, tmp_path: Path
) -> None:
    check_ways(case, True, rng, tmp_path)


@ROWS
def test_gradient_is_the_derivative(case: LayerCase, rng: np.random.Generator) -> None:
    check_gradient(case, True, rng)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.block is loss.SoftmaxCrossEntropyLoss], ids=str
)
def test_large_cross_entropies_in_one_call_are_the_same(
    case: LayerCase, rng: np.random.Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loss.classification, "_MIN_FUSED_ELEMENTS", 1)
    check_ways(case, True, rng, tmp_path)
    check_gradient(case, True, rng)


def test_every_loss_has_a_row() -> None:
    losses = {
        value
        for value in vars(loss).values()
        if isinstance(value, type) and issubclass(value, loss.Loss) and value is not loss.Loss
    }
    assert losses - {case.block for case in CASES} == set()


def test_short_names_are_the_same_losses() -> None:
    assert loss.SoftmaxCELoss is loss.SoftmaxCrossEntropyLoss
    assert loss.SigmoidBCELoss is loss.SigmoidBinaryCrossEntropyLoss


def test_losses_show_batch_axis_and_weight() -> None:
    assert repr(loss.L2Loss()) == "L2Loss(batch_axis=0, w=1.0)"
    assert repr(loss.CTCLoss(label_layout="TN")) == "CTCLoss(batch_axis=1, w=None)"
    assert loss.L1Loss().prefix.startswith("l1loss")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: loss.CTCLoss(layout="CTN"), "layout of pred must be 'NTC' or 'TNC', not 'CTN'"),
        (lambda: loss.CTCLoss(label_layout="T"), "layout of label must be 'NT' or 'TN'"),
        (lambda: loss.LogisticLoss(label_format="x"), "'signed' or 'binary', not 'x'"),
    ],
)
def test_arguments_that_make_no_loss_are_named(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(LayerError, match=message):
        make()


def test_a_weight_has_to_be_a_number() -> None:
    with pytest.raises(LayerError, match="the weight of a loss must be a number"):
        loss.L1Loss(weight=nd.ones((1,)))(nd.ones((2, 1)), nd.ones((2, 1)))  # type: ignore[arg-type]


def test_a_poisson_loss_is_finite_for_counts_of_zero() -> None:
    full = loss.PoissonNLLLoss(compute_full=True)
    value = full(nd.array([[0, 0, 0]]), nd.array([[0, 1, 5]])).asscalar()
    assert value == pytest.approx((3 + np.log(120)) / 3, rel=0.01)


def test_cross_entropies_do_not_overflow() -> None:
    huge = nd.array([[1000, -1000]])
    assert loss.SoftmaxCELoss()(huge, nd.array([1])).asscalar() == 2000
    assert loss.SigmoidBCELoss()(huge, nd.array([[1, 0]])).asscalar() == 0


def test_labels_may_have_another_shape_with_as_many_elements() -> None:
    pred = nd.array([[1], [2]])
    assert loss.L1Loss()(pred, nd.array([1, 4])).asnumpy().tolist() == [0, 2]


def test_a_loss_of_ones_own_can_weight_as_the_others_do() -> None:
    class Distance(loss.Loss):
        def hybrid_forward(self, F: Any, x: Any, y: Any, sample_weight: Any = None) -> Any:
            far = F.abs(x - loss._reshape_like(F, y, x))
            return F.sum(loss._apply_weighting(F, far, self._weight, sample_weight), axis=1)

    distance = Distance(2, 0, prefix="distance_")
    assert repr(distance) == "Distance(batch_axis=0, w=2)"
    x, y = nd.array([[1, 2], [3, 4]]), nd.array([0, 0, 0, 0])
    assert distance(x, y, nd.array([[1], [0]])).asnumpy().tolist() == [6, 0]


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("hybrid", [True, False])
@pytest.mark.parametrize("shift", [-1e4, 0, 1e4])
def test_cross_entropy_depends_on_differences_of_scores_alone(
    shift: float, hybrid: bool, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        loss.classification, "_MIN_FUSED_ELEMENTS", 1
    )  # one operator, not hybridized, too
    x = (np.random.default_rng(1).normal(size=(4, 50)) + shift).astype(np.float32)
    wide = x.astype(np.float64) - x.max(axis=1, keepdims=True).astype(np.float64)
    logarithms = wide - np.log(np.exp(wide).sum(axis=1, keepdims=True))
    label = np.eye(50)[[3, 0, 49, 7]]
    loss_of = loss.SoftmaxCrossEntropyLoss(sparse_label=sparse)
    if hybrid:
        loss_of.hybridize()
    scores, labels = nd.array(x), nd.array(label.argmax(1) if sparse else label)
    scores.attach_grad()
    for _ in range(2):
        with autograd.record():
            found = loss_of(scores, labels)
        found.backward()
        np.testing.assert_allclose(found.asnumpy(), -(logarithms * label).sum(1), rtol=1e-5)
        assert scores.grad is not None
        slope = np.exp(logarithms) - label
        np.testing.assert_allclose(scores.grad.asnumpy(), slope, rtol=1e-5, atol=1e-6)


# --- losses of PyTorch -----------------------------------------------------------------------

SCORES = [[2.0, -1.0, 0.5], [0.3, 0.2, -2.0]]
SMOOTHED = [0.3913113, 2.8456919]
FOCAL = [0.0114459, 0.0810329]
CONTRASTIVE = [0.4219993, 0.8590932]
OTHERS = [[1.0, 0.4, -0.5], [-0.7, 1.2, 0.1]]


def test_label_smoothing_is_that_of_torch() -> None:
    """Of ``cross_entropy(SCORES, [0, 2], label_smoothing=0.1, reduction="none")``."""
    found = loss.SoftmaxCELoss(label_smoothing=0.1)(nd.array(SCORES), nd.array([0, 2]))
    np.testing.assert_allclose(found.asnumpy(), SMOOTHED, rtol=1e-5)
    with pytest.raises(LayerError, match=r"label_smoothing=1\.5"):
        loss.SoftmaxCELoss(label_smoothing=1.5)


def test_the_focal_loss_is_that_of_torchvision() -> None:
    """Of ``sigmoid_focal_loss(SCORES, [[1, 0, 1], [0, 1, 0]]).mean(1)``."""
    found = loss.FocalLoss()(nd.array(SCORES), nd.array([[1, 0, 1], [0, 1, 0]]))
    np.testing.assert_allclose(found.asnumpy(), FOCAL, rtol=1e-5)


def test_the_contrastive_loss_is_the_mean_of_two_cross_entropies_of_torch() -> None:
    """Of ``normalize(SCORES) @ normalize(OTHERS).T / 0.5`` and of its transpose."""
    found = loss.ContrastiveLoss(0.5)(nd.array(SCORES), nd.array(OTHERS))
    np.testing.assert_allclose(found.asnumpy(), CONTRASTIVE, rtol=1e-5)


def test_losses_of_numpys_arrays_heed_the_batch_axis() -> None:
    scores = np.array(SCORES, np.float32)
    classes = [0] * scores.shape[1]
    for made, label in (
        (loss.L1Loss(batch_axis=1), scores),
        (loss.L2Loss(batch_axis=1), scores),
        (loss.SigmoidBCELoss(batch_axis=1), abs(scores)),
        (loss.SoftmaxCELoss(axis=0, batch_axis=1), np.array(classes, np.float32)),
    ):
        classic = made(nd.array(scores) * 2, nd.array(label)).asnumpy()
        found = made(numpy.array(scores) * 2, numpy.array(label))
        assert found.shape == (scores.shape[1],)
        np.testing.assert_allclose(found.asnumpy(), classic, rtol=1e-6)
