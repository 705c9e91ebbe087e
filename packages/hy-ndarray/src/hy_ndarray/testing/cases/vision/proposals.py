"""Cases of region proposals."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

ONE = {
    "feature_stride": 8, "scales": (1.0,), "ratios": (1.0,), "rpn_pre_nms_top_n": 3,
    "rpn_post_nms_top_n": 3, "threshold": 0.5, "rpn_min_size": 4,
}  # fmt: skip
TWO = {**ONE, "output_score": True, "iou_loss": True, "threshold": 0.1}
PROB = np.array([[[[0.5, 0.5, 0.5]], [[0.1, 0.9, 0.3]]]])
OFFSETS = np.zeros((1, 4, 1, 3))
OFFSETS[0, 0, 0, 1] = 4 / 8  # the box of the second pixel is half on the third
SHIFTS = np.zeros((1, 4, 1, 3))
SHIFTS[0, :, 0, 2] = [-4, 0, -4, 0]
INFO = np.array([[8.0, 24, 1]])


def _regions(*rows: Any) -> Any:
    return np.array([[0, x1, 0, x2, 7] for x1, x2 in rows])


CASES = (
    OpCase("_contrib_Proposal", ((1, 2, 1, 3), (1, 4, 1, 3), (1, 3)),
           lambda *_, **p: _regions((12, 19), (16, 23), (0, 7)), ONE,
           inputs={0: PROB, 1: OFFSETS, 2: INFO}),
    OpCase("_contrib_Proposal", ((1, 2, 1, 3), (1, 4, 1, 3), (1, 3)),
           lambda *_, **p: (_regions((8, 15), (0, 7), (8, 15)), np.array([[0.9], [0.1], [0.9]])),
           TWO, inputs={0: PROB, 1: SHIFTS, 2: INFO}),
    OpCase("_contrib_Proposal", ((1, 2, 1, 3), (1, 4, 1, 3), (1, 3)),
           # the last one is outside of the image: cut off, too narrow, hence widened
           lambda *_, **p: [[0, 8, 0, 15, 7], [0, 0, 0, 7, 7], [0, 14, -2, 19, 9]], ONE,
           inputs={0: PROB, 1: np.zeros((1, 4, 1, 3)), 2: np.array([[8.0, 18, 1]])}),
    OpCase("_contrib_MultiProposal", ((2, 12, 2, 3), (2, 24, 2, 3), (2, 3)), None,
           {"feature_stride": 16, "scales": (1.0, 2.0), "rpn_post_nms_top_n": 4, "rpn_min_size": 2,
            "output_score": True}, inputs={2: np.array([[30.0, 40, 1], [32, 48, 1.5]])}, low=0.1,
           check_grad=False),
    OpCase("_contrib_MultiProposal", ((0, 2, 2, 3), (0, 4, 2, 3), (0, 3)),
           lambda *_, **p: np.zeros((0, 5)), ONE),
)  # fmt: skip
