"""Connectionist temporal classification."""

from typing import Any, Literal

import numpy as np

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.indices import Indices, Others, Values, along
from hy_ndarray.ops.record.rules import expect_rank, floating, like_result
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType


def _inputs(params: Params) -> tuple[str, ...]:
    data = ("data_lengths",) if params["use_data_lengths"] else ()
    label = ("label_lengths",) if params["use_label_lengths"] else ()
    return ("data", "label", *data, *label)


def _beyond_labels(values: Values, others: Others, params: Params) -> Values:
    """Return a mask of the padding: labels past the length, or from the first padding on."""
    lengths = others("label_lengths")
    if lengths is None:
        padding = 0 if params["blank_label"] == "first" else -1
        beyond: Values = np.logical_or.accumulate(np.trunc(values) == padding, axis=1)
    else:
        beyond = np.arange(values.shape[1]) >= lengths.astype(np.int64)[:, None]
    return beyond


@operator(
    "CTCLoss",
    "_contrib_CTCLoss",
    "_contrib_ctc_loss",
    "ctc_loss",
    active=_inputs,
    outputs=("output0",),
    grad=gradient_by("_ctc_loss_backward", 0, 1, 2, 3),
    traits=Traits(
        outputs_in_files=2,
        indices=(Indices("label", count=along("data", 2), ignored=_beyond_labels),),
    ),
)
def ctc_loss(
    data: TensorType,
    label: TensorType,
    data_lengths: TensorType | None = None,
    label_lengths: TensorType | None = None,
    *,
    use_data_lengths: bool = False,  # decides the inputs
    use_label_lengths: bool = False,  # decides the inputs
    blank_label: Literal["first", "last"] = "first",
) -> TensorType:
    """Return the negative log probability of label sequences, summed over all alignments.

    Args:
        data: ``[T, N, C]``, floating: scores of C symbols at T steps, before softmax.
        label: ``[N, L]``, symbols, L at most T; padded with 0 if the blank is first, else with -1.
        data_lengths: ``[N]``, numbers of steps, with ``use_data_lengths=True``.
        label_lengths: ``[N]``, numbers of labels, with ``use_label_lengths=True``; by default
            labels end at the first padding.
        use_data_lengths: Whether ``data_lengths`` is given.
        use_label_lengths: Whether ``label_lengths`` is given.
        blank_label: Whether symbol 0 (``"first"``) or the last symbol is the blank.

    Returns:
        ``[N]``; 0 with a zero gradient if there are too few steps for the labels.

    Raises:
        ShapeError: The operands are incompatible, or there are more labels than steps.

    Source:
        Graves, Fernández, Gomez and Schmidhuber, Connectionist Temporal Classification: Labelling
        Unsegmented Sequence Data with Recurrent Neural Networks, 2006.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.CTCLoss(nd.array([[[0, 0]]]), nd.array([[1]])).asnumpy().round(4)
        array([0.6931], dtype=float32)
    """
    floating(data)
    expect_rank(data, 3)
    expect_rank(label, 2)
    steps, batch, _ = data.shape or (None, None, None)
    label.set_shape((batch, None))
    longest = None if label.shape is None else label.shape[1]
    if steps is not None and longest is not None and longest > steps:
        raise ShapeError(
            f"{label!r} has {longest} labels, but {data!r} has only {steps} time steps"
        )
    for lengths in (data_lengths, label_lengths):
        if lengths is not None:
            lengths.set_shape((batch,))
    return data.with_shape((batch,))


@operator("_ctc_loss_backward", active=lambda params: ("dy", *_inputs(params)), params_of=ctc_loss)
def ctc_loss_backward(
    dy: TensorType,
    data: TensorType,
    label: TensorType,
    data_lengths: TensorType | None = None,
    label_lengths: TensorType | None = None,
    **params: Any,
) -> TensorType:
    """Return the gradient of ``CTCLoss`` with respect to ``data``."""
    like_result(dy, ctc_loss, data, label, data_lengths, label_lengths, **params)
    return data
