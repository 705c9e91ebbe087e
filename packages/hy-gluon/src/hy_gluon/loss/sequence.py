"""Sequence losses: connectionist temporal classification."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.loss.base import Loss, apply_weighting

__all__ = ["CTCLoss"]


class CTCLoss(Loss):
    """Connectionist temporal classification loss: labels of a sequence without positions.

    The last class is the blank. Where the lengths of the labels are not given, -1 ends a label.

    Args:
        layout: Axes of ``pred``: ``"NTC"`` or ``"TNC"``.
        label_layout: Axes of ``label``: ``"NT"`` or ``"TN"``.
        weight: Factor of the loss, or None.

    Raises:
        LayerError: A layout is another string.

    Source:
        Graves, Fernández, Gomez, Schmidhuber, Connectionist Temporal Classification, 2006.

    Example:
        >>> CTCLoss()(nd.zeros((1, 2, 3)), nd.array([[0, 1]])).asnumpy().round(4)
        array([2.1972], dtype=float32)
    """

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: Any,
    ) -> None:
        if layout not in ("NTC", "TNC"):
            raise LayerError(f"layout of pred must be 'NTC' or 'TNC', not {layout!r}")
        if label_layout not in ("NT", "TN"):
            raise LayerError(f"layout of label must be 'NT' or 'TN', not {label_layout!r}")
        self._layout = layout
        self._label_layout = label_layout
        # The operator returns [N]: its only axis is the batch.
        super().__init__(weight, label_layout.index("N"), **kwargs)

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Return the loss of each sequence.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Scores of the classes at each time step.
            label: Indices of classes.
            pred_lengths: Number of time steps of each sequence, ``[N]``.
            label_lengths: Number of labels of each sequence, ``[N]``.
            sample_weight: Factors, ``[N]``.
        """
        if self._layout == "NTC":
            pred = F.swapaxes(pred, dim1=0, dim2=1)
        if self._label_layout == "TN":
            label = F.swapaxes(label, dim1=0, dim2=1)
        loss = F.CTCLoss(
            pred,
            label,
            data_lengths=pred_lengths,
            label_lengths=label_lengths,
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return apply_weighting(F, loss, self._weight, sample_weight)
