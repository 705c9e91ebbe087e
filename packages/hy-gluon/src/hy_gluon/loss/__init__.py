"""Losses: blocks that compare predictions with labels."""

from hy_gluon.loss.base import (
    Loss as Loss,
    apply_weighting as _apply_weighting,
    reshape_like as _reshape_like,
)
from hy_gluon.loss.classification import (
    HingeLoss as HingeLoss,
    KLDivLoss as KLDivLoss,
    LogisticLoss as LogisticLoss,
    SigmoidBCELoss as SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss as SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss as SoftmaxCELoss,
    SoftmaxCrossEntropyLoss as SoftmaxCrossEntropyLoss,
    SquaredHingeLoss as SquaredHingeLoss,
)
from hy_gluon.loss.contrastive import ContrastiveLoss as ContrastiveLoss
from hy_gluon.loss.focal import FocalLoss as FocalLoss
from hy_gluon.loss.regression import (
    HuberLoss as HuberLoss,
    L1Loss as L1Loss,
    L2Loss as L2Loss,
    PoissonNLLLoss as PoissonNLLLoss,
)
from hy_gluon.loss.sequence import CTCLoss as CTCLoss
from hy_gluon.loss.similarity import (
    CosineEmbeddingLoss as CosineEmbeddingLoss,
    SDMLLoss as SDMLLoss,
    TripletLoss as TripletLoss,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "CTCLoss",
    "ContrastiveLoss",
    "CosineEmbeddingLoss",
    "FocalLoss",
    "HingeLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "PoissonNLLLoss",
    "SDMLLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
    "_apply_weighting",
    "_reshape_like",
]

_suggest_members(globals())
