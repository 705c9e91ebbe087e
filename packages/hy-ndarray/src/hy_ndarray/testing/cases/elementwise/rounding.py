"""Cases of rounding to integers."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

HALVES = np.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0])
INTS = np.array([-3, 0, 8], np.int32)


def _round(x: Any) -> Any:
    return np.array([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 4503599627370497.0])


def _rint(x: Any) -> Any:
    return np.array([-3.0, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4503599627370497.0])


NAMES = ("floor", "ceil", "trunc", "fix", "rint", "round")

CASES = (
    OpCase("floor", ((10,),), np.floor, inputs={0: HALVES}),
    OpCase("ceil", ((10,),), np.ceil, inputs={0: HALVES}),
    OpCase("trunc", ((10,),), np.trunc, inputs={0: HALVES}),
    OpCase("fix", ((10,),), np.trunc, inputs={0: HALVES}),
    OpCase("rint", ((10,),), _rint, inputs={0: HALVES}),
    OpCase("round", ((10,),), _round, inputs={0: HALVES}),
    *(OpCase(name, ((3,),), lambda x: x, inputs={0: INTS}) for name in NAMES),
    OpCase("round", ((2, 3),), None, low=0.1, high=0.4),
    OpCase("_contrib_round_ste", ((10,),), _round, inputs={0: HALVES}),
    OpCase("_contrib_round_ste", ((2, 3),), None, check_grad=False),
    OpCase("_contrib_sign_ste", ((2, 3),), np.sign, check_grad=False),
)
