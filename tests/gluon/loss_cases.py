"""Rows of test_losses.py: every loss, with the arguments that change what it computes."""

from typing import Any

import numpy as np

from hy_gluon import loss
from tests.gluon.layer_case import LayerCase

__all__ = ["CASES"]


def _signs(*shape: int) -> Any:
    return np.random.default_rng(7).integers(0, 2, shape) * 2 - 1


def _bits(*shape: int) -> Any:
    return np.random.default_rng(8).integers(0, 2, shape)


def _counts(*shape: int) -> Any:
    return np.arange(np.prod(shape)).reshape(shape) % 5


def _probabilities(*shape: int) -> Any:
    raw = np.random.default_rng(9).uniform(0.1, 1, shape)
    return raw / raw.sum(axis=1, keepdims=True)


PAIR = ((4, 3), (4, 3))
WEIGHTED = ((4, 3), (4, 3), (4, 1))

CASES = [
    *(
        LayerCase(block, kwargs, shapes, low=0.2)
        for block in (loss.L1Loss, loss.L2Loss, loss.HuberLoss)
        for kwargs, shapes in (
            ({}, PAIR),
            ({"weight": 2.5}, ((3, 1), (3,))),
            ({"batch_axis": 1}, ((2, 3, 2), (2, 3, 2))),
            ({}, WEIGHTED),
        )
    ),
    LayerCase(loss.HuberLoss, {"rho": 0.3}, PAIR),
    *(
        LayerCase(block, kwargs, shapes, inputs={1: _signs(4, 3)})
        for block in (loss.HingeLoss, loss.SquaredHingeLoss, loss.LogisticLoss)
        for kwargs, shapes in (({}, PAIR), ({"weight": 2.5}, PAIR), ({}, WEIGHTED))
    ),
    LayerCase(loss.HingeLoss, {"margin": 0.5}, PAIR, inputs={1: _signs(4, 3)}),
    LayerCase(loss.LogisticLoss, {"label_format": "binary"}, PAIR, inputs={1: _bits(4, 3)}),
    *(
        LayerCase(
            loss.SigmoidBCELoss,
            {"from_sigmoid": squashed},
            shapes,
            low=0.1,
            high=0.9,
            inputs={1: _bits(4, 3)},
        )
        for squashed in (False, True)
        for shapes in (PAIR, WEIGHTED, (*PAIR, None, (1, 3)), (*WEIGHTED, (1, 3)))
    ),
    LayerCase(loss.SoftmaxCELoss, {}, ((4, 5), (4,)), inputs={1: [0, 4, 2, 2]}),
    LayerCase(loss.SoftmaxCELoss, {"weight": 3}, ((4, 5), (4,), (4, 1)), inputs={1: [0, 4, 2, 2]}),
    LayerCase(loss.SoftmaxCELoss, {"axis": 1}, ((2, 3, 2), (2, 2)), inputs={1: [[0, 2], [1, 0]]}),
    LayerCase(
        loss.SoftmaxCELoss,
        {"sparse_label": False},
        ((4, 5), (4, 5)),
        inputs={1: _probabilities(4, 5)},
    ),
    LayerCase(loss.SoftmaxCELoss, {"from_logits": True}, ((2, 3), (2,)), inputs={1: [0, 2]}),
    LayerCase(loss.KLDivLoss, {}, ((4, 5), (4, 5)), inputs={1: _probabilities(4, 5)}),
    LayerCase(
        loss.KLDivLoss,
        {"from_logits": False, "axis": 1},
        ((4, 5, 1), (4, 5, 1)),
        inputs={1: _probabilities(4, 5, 1)},
    ),
    LayerCase(loss.CTCLoss, {}, ((2, 6, 5), (2, 3)), inputs={1: [[0, 1, 1], [2, 3, -1]]}),
    LayerCase(
        loss.CTCLoss,
        {"layout": "TNC", "label_layout": "TN", "weight": 2},
        ((6, 2, 5), (3, 2)),
        inputs={1: [[0, 2], [1, 3], [1, -1]]},
    ),
    LayerCase(
        loss.CTCLoss,
        {},
        ((2, 6, 5), (2, 3), (2,), (2,), (2,)),
        inputs={1: [[0, 1, 1], [2, 3, 0]], 2: [6, 4], 3: [3, 2]},
    ),
    LayerCase(loss.TripletLoss, {"margin": 3, "weight": 2}, ((4, 3), (4, 3), (4, 3))),
    LayerCase(loss.PoissonNLLLoss, {}, PAIR, inputs={1: _counts(4, 3)}),
    LayerCase(loss.PoissonNLLLoss, {"weight": 2}, WEIGHTED, inputs={1: _counts(4, 3)}),
    LayerCase(
        loss.PoissonNLLLoss,
        {"from_logits": False, "compute_full": True},
        PAIR,
        low=0.2,
        inputs={1: _counts(4, 3)},
    ),
    *(
        LayerCase(
            loss.CosineEmbeddingLoss,
            kwargs,
            ((4, 3), (4, 3), (4,), (4, 1)),
            inputs={2: [1, -1, -1, 1]},
        )
        for kwargs in ({}, {"margin": 0.3, "weight": 2})
    ),
    LayerCase(loss.SDMLLoss, {}, PAIR),
    LayerCase(loss.SDMLLoss, {"smoothing_parameter": 0.1}, PAIR),
    LayerCase(
        loss.SoftmaxCELoss, {"label_smoothing": 0.2}, ((4, 3), (4,)), inputs={1: [0, 2, 1, 1]}
    ),
    LayerCase(
        loss.SoftmaxCELoss,
        {"label_smoothing": 0.1, "sparse_label": False, "axis": 1},
        ((4, 3), (4, 3)),
        inputs={1: _probabilities(4, 3)},
    ),
    *(
        LayerCase(loss.FocalLoss, kwargs, PAIR, low=-3, high=3, inputs={1: _bits(4, 3)})
        for kwargs in ({}, {"alpha": None, "gamma": 0.5, "weight": 2.0})
    ),
    LayerCase(loss.ContrastiveLoss, {"temperature": 0.5}, ((4, 3), (4, 3))),
    LayerCase(loss.ContrastiveLoss, {"weight": 2.0}, WEIGHTED),
]
