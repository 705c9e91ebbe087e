"""Cases of dropout without randomness; random dropout has tests of its own."""

from hy_ndarray.testing.op_case import OpCase

CASES = (
    OpCase("Dropout", ((3, 4),), lambda x: x),
    OpCase("Dropout", ((3, 4),), lambda x, p: x, {"p": 0.0}, is_train=True),
    OpCase("Dropout", ((3, 4),), None, {"mode": "always"}, check_grad=False),
    OpCase("Dropout", ((0, 4),), lambda x, mode: x, {"mode": "always"}),
)
