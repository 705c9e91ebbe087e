"""Cases of connectionist temporal classification, compared with the sum over all paths."""

from itertools import groupby, product
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _ctc(
    data: Any,
    label: Any,
    *lengths: Any,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: str = "first",
) -> Any:
    steps, batch, classes = data.shape
    blank, padding = (0, 0) if blank_label == "first" else (classes - 1, -1)
    p = np.exp(data)
    p /= p.sum(2, keepdims=True)
    ends = lengths[0] if use_data_lengths else [steps] * batch
    losses = np.zeros(batch)
    for n in range(batch):
        wanted = list(label[n])
        if use_label_lengths:
            wanted = wanted[: int(lengths[-1][n])]
        elif padding in wanted:
            wanted = wanted[: wanted.index(padding)]
        total = 0.0
        for path in product(range(classes), repeat=int(ends[n])):
            if [s for s, _ in groupby(path) if s != blank] == wanted:
                total += np.prod([p[t, n, s] for t, s in enumerate(path)])
        losses[n] = -np.log(total) if total else 0
    return losses


_LABEL = np.array([[1.0, 2.0], [2.0, 0.0], [1.0, 1.0]])
_LAST = np.array([[1.0, 0.0], [0.0, -1.0], [1.0, 1.0]])

CASES = (
    OpCase("CTCLoss", ((4, 3, 3), None, None, None), _ctc, inputs={1: _LABEL}),
    OpCase("CTCLoss", ((2, 3, 3), None, None, None), _ctc, inputs={1: _LABEL}),
    OpCase(
        "CTCLoss", ((4, 3, 3), None, None, None), _ctc, {"blank_label": "last"}, inputs={1: _LAST}
    ),
    OpCase(
        "CTCLoss",
        ((4, 3, 3), None, None, None),
        _ctc,
        {"use_data_lengths": True, "use_label_lengths": True},
        inputs={1: _LABEL, 2: np.array([3.0, 2.0, 4.0]), 3: np.array([2.0, 1.0, 1.0])},
    ),
    OpCase("CTCLoss", ((1, 1, 2), None, None, None), _ctc, inputs={1: np.array([[1.0]])}),
    OpCase("_ctc_loss_backward", ((3,), (4, 3, 3), None, None, None), None, inputs={2: _LABEL}),
)
