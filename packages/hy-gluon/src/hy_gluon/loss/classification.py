"""Losses of classes: cross entropies, divergence, margins."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.loss.base import Loss, _MarginLoss, apply_weighting, product, reshape_like
from hy_ndarray import NDArray, casting, dtype_name
from hy_ndarray.ops import find

__all__ = [
    "HingeLoss",
    "KLDivLoss",
    "LogisticLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
]

_MIN_FUSED_ELEMENTS = 1 << 20
"""Elements whose logarithms are worth not keeping; of fewer, several calls are as fast."""
_FLOATS = ("float64", "float32", "bfloat16", "float16")
_PICKED, _WEIGHED = find("_log_softmax_pick"), find("_log_softmax_dot")
_PICK_PARAMS = _PICKED.parse({"keepdims": True, "negative": True})


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Cross entropy of independent binary labels, averaged for each example.

    ``-(label log(p) + (1 - label) log(1 - p))`` with ``p = sigmoid(pred)``, computed so that
    nothing overflows.

    Args:
        from_sigmoid: Whether ``pred`` is already ``p``; logits give a more accurate loss.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Example:
        >>> SigmoidBinaryCrossEntropyLoss()(nd.array([[0]]), nd.array([[1]])).asnumpy().round(4)
        array([0.6931], dtype=float32)
    """

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None
    ) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Predictions.
            label: Labels from 0 to 1, with the same number of elements.
            sample_weight: Factors that broadcast to ``pred``, such as ``[batch, 1]``.
            pos_weight: Factors for positive labels that broadcast to ``pred``.
        """
        label = reshape_like(F, label, pred)
        if self._from_sigmoid:
            loss = _from_probability(F, pred, label, pos_weight)
        elif pos_weight is None:
            loss = _from_logit(F, pred, label)
        else:
            factor = 1 + product(F, pos_weight - 1, label)
            # log(1 + exp(-pred)) for either sign: exp is only taken of numbers up to 0.
            rest = F.Activation(-F.abs(pred), act_type="softrelu") + F.relu(-pred)
            loss = pred - pred * label + factor * rest
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


def _from_logit(F: Any, pred: Any, label: Any) -> Any:
    # max(pred, 0) - pred label + log(1 + exp(-|pred|)): exp is only taken of numbers up to 0.
    return F.relu(pred) - pred * label + F.Activation(-F.abs(pred), act_type="softrelu")


def _from_probability(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
    # MXNet's: it keeps the logarithm of 0 finite, at -27.6 in float32.
    eps = 1e-12
    positive = F.log(pred + eps) * label
    if pos_weight is not None:
        positive = product(F, positive, pos_weight)
    return -(positive + F.log(1.0 - pred + eps) * (1.0 - label))


class SoftmaxCrossEntropyLoss(Loss):
    """Cross entropy of one of several classes, averaged for each example.

    Args:
        axis: The axis of the classes.
        sparse_label: Whether labels are indices of classes; else probabilities of all classes.
        from_logits: Whether ``pred`` already holds log probabilities.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.
        label_smoothing: Probability that is spread evenly over all classes.

    Raises:
        LayerError: ``label_smoothing`` is not from 0 to 1.

    Source:
        Label smoothing: Szegedy et al. 2015, arXiv:1512.00567, section 7.

    Example:
        >>> loss = SoftmaxCrossEntropyLoss()
        >>> loss(nd.array([[0, 0], [100, 0]]), nd.array([0, 0])).asnumpy().round(4)
        array([0.6931, 0.    ], dtype=float32)
    """

    _smoothing: float = 0.0  # of losses that MXNet pickled

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        label_smoothing: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if not 0 <= label_smoothing <= 1:
            raise LayerError(f"label_smoothing={label_smoothing} must be from 0 to 1")
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits
        self._smoothing = label_smoothing

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Scores of the classes, or their log probabilities.
            label: Indices, of the shape of ``pred`` without the axis of the classes; or
                probabilities, of the shape of ``pred``.
            sample_weight: Factors that broadcast to ``pred`` with one class.
        """
        if self._is_one_call(pred, label):
            loss = self._in_one_call(F, pred, label)
        else:
            if not self._from_logits:
                pred = F.log_softmax(pred, axis=self._axis)
            if self._sparse_label:
                loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
            else:
                label = reshape_like(F, label, pred)
                loss = -F.sum(pred * label, axis=self._axis, keepdims=True)
            if self._smoothing:
                # Szegedy et al. 2016, section 7: the labels are mixed with the uniform
                # distribution.
                even = F.mean(pred, axis=self._axis, keepdims=True)
                loss = loss * (1 - self._smoothing) - even * self._smoothing
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))

    def _is_one_call(self, pred: Any, label: Any) -> bool:
        """Return whether one operator computes the loss, so that no probabilities are recorded.

        False for symbols, since graphs contain MXNet's operators and are rewritten at execution;
        also false under a casting policy, which lists MXNet's operators.
        """
        if not isinstance(pred, NDArray) or not isinstance(label, NDArray) or self._from_logits:
            return False
        if pred.size < _MIN_FUSED_ELEMENTS or self._smoothing:
            return False
        last = pred.ndim > 0 and self._axis in (-1, pred.ndim - 1)
        dense = pred.stype == label.stype == "default"
        matches = self._sparse_label or (pred.dtype == label.dtype and pred.size == label.size)
        floating = dtype_name(pred.dtype) in _FLOATS
        return last and dense and matches and floating and casting.casting_policy() is None

    def _in_one_call(self, F: Any, pred: Any, label: Any) -> Any:
        """Return the loss of each row by one operator."""
        if self._sparse_label:
            return NDArray.apply_operator(_PICKED, [pred, label], _PICK_PARAMS)
        if label.shape != pred.shape:
            label = reshape_like(F, label, pred)
        return -NDArray.apply_operator(_WEIGHED, [pred, label], _WEIGHED.defaults)


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """Kullback-Leibler divergence ``label (log(label) - pred)``, summed for each example.

    Args:
        from_logits: Whether ``pred`` holds log probabilities; otherwise, a log softmax is applied.
        axis: The axis of the softmax.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Example:
        >>> half = nd.array([[0.5, 0.5]])
        >>> KLDivLoss(from_logits=False)(nd.array([[0, 0]]), half).asnumpy().round(4)
        array([0.], dtype=float32)
    """

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Log probabilities, or scores.
            label: Probabilities, of the shape of ``pred``.
            sample_weight: Factors that broadcast to ``pred``, such as ``[batch, 1]``.
        """
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        # A label of 0 gives 0 log(1e-12) and not 0 log(0), a nan.
        loss = label * (F.log(label + 1e-12) - pred)
        return self._hy_sum(F, apply_weighting(F, loss, self._weight, sample_weight))


class HingeLoss(_MarginLoss):
    """Hinge loss ``max(0, margin - pred label)`` for labels -1 and 1, averaged for each example.

    Args:
        margin: Value of ``pred label`` from which the loss is 0.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Example:
        >>> HingeLoss()(nd.array([[0.5], [3]]), nd.array([[1], [1]])).asnumpy()
        array([0.5, 0. ], dtype=float32)
    """

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Predictions.
            label: Labels -1 or 1, with the same number of elements.
            sample_weight: Factors that broadcast to ``pred``, such as ``[batch, 1]``.
        """
        label = reshape_like(F, label, pred)
        loss = F.relu(self._margin - pred * label)
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))


class SquaredHingeLoss(_MarginLoss):
    """Squared hinge loss ``max(0, margin - pred label)²`` for labels -1 and 1, averaged.

    Args:
        margin: Value of ``pred label`` from which the loss is 0.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Example:
        >>> SquaredHingeLoss()(nd.array([[0.5], [3]]), nd.array([[1], [1]])).asnumpy()
        array([0.25, 0.  ], dtype=float32)
    """

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example; see the arguments of :class:`HingeLoss`."""
        label = reshape_like(F, label, pred)
        loss = F.square(F.relu(self._margin - pred * label))
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))


class LogisticLoss(Loss):
    """Logistic loss ``log(1 + exp(-pred label))`` for labels -1 and 1, averaged for each example.

    Args:
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.
        label_format: ``"signed"`` for labels -1 and 1, ``"binary"`` for 0 and 1.

    Raises:
        LayerError: ``label_format`` is another string.

    Example:
        >>> LogisticLoss()(nd.array([[0], [0]]), nd.array([[1], [-1]])).asnumpy().round(4)
        array([0.6931, 0.6931], dtype=float32)
    """

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        label_format: str = "signed",
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise LayerError(f"label_format must be 'signed' or 'binary', not {label_format!r}")
        self._label_format = label_format

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Predictions.
            label: Labels in the layer's format, with the same number of elements.
            sample_weight: Factors that broadcast to ``pred``, such as ``[batch, 1]``.
        """
        label = reshape_like(F, label, pred)
        if self._label_format == "signed":
            # From -1 and 1 to the 0 and 1 of a logit.
            label = (label + 1.0) / 2.0
        loss = _from_logit(F, pred, label)
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))
