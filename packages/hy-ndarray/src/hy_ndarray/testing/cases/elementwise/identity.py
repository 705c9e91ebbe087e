"""Cases of operators that return their input unchanged."""

import numpy as np

from hy_ndarray.testing.op_case import OpCase

INTS = np.array([-3, 0, 8], np.int32)

CASES = (
    OpCase("_copy", ((2, 3),), np.copy),
    OpCase("_copy", ((3,),), np.copy, inputs={0: INTS}),
    OpCase("BlockGrad", ((2, 3),), np.copy, check_grad=False),
    OpCase("make_loss", ((2, 3),), np.copy),
    OpCase("_copyto", ((2, 0),), np.copy),
    OpCase("cast_storage", ((2, 3),), lambda x, stype: x, {"stype": "default"}),
    OpCase("_copyto", ((2, 3),), np.copy),
    OpCase("_identity_with_attr_like_rhs", ((2, 3), (2, 3)), lambda x, y: x, grad_inputs=(0,)),
    OpCase(
        "_contrib_gradientmultiplier",
        ((2, 3),),
        lambda x, **_: x,
        {"scalar": 0.5, "is_int": False},
        check_grad=False,
    ),
    OpCase(
        "IdentityAttachKLSparseReg",
        ((4, 3), (3,)),
        lambda data, moving_avg: data,
        low=0.1,
        high=0.9,
        check_grad=False,
    ),
    OpCase(
        "IdentityAttachKLSparseReg",
        ((4, 3), (3,)),
        lambda data, moving_avg: data,
        low=0.1,
        high=0.9,
        check_grad=False,
        is_train=True,
    ),
    OpCase(
        "IdentityAttachKLSparseReg",
        ((4, 3, 2, 2), (3,)),
        lambda data, moving_avg: data,
        low=0.1,
        high=0.9,
        check_grad=False,
        is_train=True,
    ),
)
