"""Cases of arithmetic and comparison by NumPy's rules."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

PAIRS = (((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (3,)), ((0, 2), (1, 2)))
INTS = np.array([[-3, 0, 8], [5, 6, -2]], np.int32)
OTHER = np.array([4, -2, 3], np.int32)
BOOLS = np.array([[True, False, True]])
HALF = np.array([0.5, -1.5, 2.0], np.float32)


def _reversed(function: Any) -> Any:
    return lambda data, scalar, is_int=True: function(scalar, data)


def _straight(function: Any) -> Any:
    return lambda data, scalar, is_int=True: function(data, scalar)


BINARY: dict[str, Any] = {
    "add": np.add,
    "multiply": np.multiply,
    "subtract": np.subtract,
    "mod": np.mod,
    "true_divide": np.true_divide,
    "arctan2": np.arctan2,
    "copysign": np.copysign,
    "ldexp": lambda x, y: x * 2.0**y,
    "hypot": np.hypot,
}
COMPARED: dict[str, Any] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
}
WHOLE: dict[str, Any] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "lcm": np.lcm,
}
WITH_NUMBER: dict[str, Any] = {
    "add": np.add,
    "arctan2": np.arctan2,
    "copysign": np.copysign,
    "ldexp": lambda x, y: x * 2.0**y,
    "mod": np.mod,
    "multiply": np.multiply,
    "subtract": np.subtract,
    "true_divide": np.true_divide,
}
REVERSED: dict[str, Any] = {
    "rarctan2": np.arctan2,
    "rcopysign": np.copysign,
    "rldexp": lambda x, y: x * 2.0**y,
    "rmod": np.mod,
    "rsubtract": np.subtract,
    "rtrue_divide": np.true_divide,
}

CASES = (
    *(
        OpCase(f"_npi_{name}", pair, function, low=0.3)
        for name, function in BINARY.items()
        for pair in PAIRS
    ),
    OpCase("_npi_power", ((2, 3), (3,)), np.power, low=0.3),
    OpCase("_npi_power", ((), (3,)), np.power, low=0.3),
    *(
        OpCase(f"_npi_{name}", ((2, 3), (3,)), f, inputs={0: INTS, 1: OTHER})
        for name, f in {**COMPARED, **WHOLE, "add": np.add, "multiply": np.multiply}.items()
    ),
    *(OpCase(f"_npi_{name}", ((2, 1), (3,)), function) for name, function in COMPARED.items()),
    OpCase("_npi_add", ((2, 3), (3,)), np.add, inputs={0: INTS, 1: HALF}),
    OpCase("_npi_add", ((3,), (1, 3)), np.add, inputs={0: HALF, 1: BOOLS}),
    OpCase("_npi_subtract", ((3,), (2, 3)), np.subtract, inputs={0: HALF, 1: INTS}),
    OpCase("_npi_true_divide", ((2, 3), (3,)), None, inputs={0: INTS, 1: OTHER}),
    OpCase("_npi_bitwise_and", ((1, 3), (1, 3)), np.logical_and, inputs={0: BOOLS, 1: ~BOOLS}),
    OpCase("_np_same_sign", ((2, 3), (3,)), lambda x, y: np.sign(x) * np.sign(y)),
    *(
        OpCase(f"_npi_{name}_scalar", (shape,), _straight(function), {"scalar": 2.0}, low=0.3)
        for name, function in WITH_NUMBER.items()
        for shape in ((2, 3), ())
    ),
    *(
        OpCase(f"_npi_{name}_scalar", ((2, 3),), _reversed(function), {"scalar": 2.0}, low=0.3)
        for name, function in REVERSED.items()
    ),
    OpCase("_npi_copysign_scalar", ((2, 3),), _straight(np.copysign), {"scalar": -2.0}),
    OpCase("_npi_power_scalar", ((2, 3),), _straight(np.power), {"scalar": 3.0}),
    OpCase("_npi_rpower_scalar", ((2, 3),), _reversed(np.power), {"scalar": 3.0}),
    *(
        OpCase(f"_npi_{name}_scalar", ((2, 3),), _straight(f), {"scalar": 0.5})
        for name, f in COMPARED.items()
    ),
    *(
        OpCase(f"_npi_{name}_scalar", ((2, 3),), _straight(f), {"scalar": 5}, inputs={0: INTS})
        for name, f in {**COMPARED, **WHOLE}.items()
    ),
    OpCase("_npi_true_divide_scalar", ((2, 3),), None, {"scalar": 2}, inputs={0: INTS}),
    OpCase("_npi_rtrue_divide_scalar", ((3,),), None, {"scalar": 2}, inputs={0: OTHER}),
)
