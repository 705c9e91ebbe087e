"""Cases of functions of one array under NumPy's names."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

SHAPES = ((2, 3), (1,), (0, 2), ())
ODD = np.array([[-np.inf, -1.5, 0.0], [np.nan, np.inf, 2.0]])
INTS = np.array([-3, 0, 8], np.int32)
BOOLS = np.array([True, False])

ANYWHERE: dict[str, Any] = {
    "absolute": np.abs,
    "arcsinh": np.arcsinh,
    "arctan": np.arctan,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "degrees": np.degrees,
    "exp": np.exp,
    "expm1": np.expm1,
    "fix": np.trunc,
    "floor": np.floor,
    "negative": np.negative,
    "radians": np.radians,
    "rint": np.rint,
    "sign": np.sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
POSITIVE: dict[str, Any] = {
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "reciprocal": np.reciprocal,
    "sqrt": np.sqrt,
}
INSIDE: dict[str, Any] = {"arccos": np.arccos, "arcsin": np.arcsin, "arctanh": np.arctanh}
TESTS: dict[str, Any] = {
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isneginf": np.isneginf,
    "isposinf": np.isposinf,
    "logical_not": np.logical_not,
}


def _nan_to_num(x: Any, **params: Any) -> Any:
    return np.nan_to_num(x, nan=5.0, posinf=7.0, neginf=-7.0)


CASES = (
    *(
        OpCase(f"_npi_{name}", (shape,), function, low=-1.4, high=1.4)
        for name, function in ANYWHERE.items()
        for shape in SHAPES
    ),
    *(
        OpCase(f"_npi_{name}", (shape,), function, low=0.2)
        for name, function in POSITIVE.items()
        for shape in SHAPES
    ),
    *(
        OpCase(f"_npi_{name}", (shape,), function, low=-0.9, high=0.9)
        for name, function in INSIDE.items()
        for shape in SHAPES
    ),
    OpCase("_npi_arccosh", ((2, 3),), np.arccosh, low=1.2, high=3.0),
    *(OpCase(f"_npi_{name}", ((2, 3),), f, inputs={0: ODD}) for name, f in TESTS.items()),
    *(OpCase(f"_npi_{name}", ((3,),), f, inputs={0: INTS}) for name, f in TESTS.items()),
    OpCase("_npi_bitwise_not", ((3,),), np.invert, inputs={0: INTS}),
    OpCase("_npi_bitwise_not", ((2,),), np.invert, inputs={0: BOOLS}),
    OpCase("_npi_around", ((2, 3),), lambda x, decimals: np.around(x, 1), {"decimals": 1}),
    *(OpCase("_npi_around", (s,), np.around, low=-4, high=4) for s in ((), (2, 3))),
    OpCase("_npi_around", ((3,),), lambda x, decimals: x, {"decimals": 1}, inputs={0: INTS}),
    OpCase(
        "_npi_nan_to_num",
        ((2, 3),),
        _nan_to_num,
        {"nan": 5.0, "posinf": 7.0, "neginf": -7.0},
        inputs={0: ODD},
    ),
    OpCase("_npi_nan_to_num", ((2, 3),), lambda x: x),
    OpCase("_np_finite_mask", ((2, 3),), lambda x: np.isfinite(x) * 1.0, inputs={0: ODD}),
    *(OpCase("_np_copy", (shape,), lambda a: a) for shape in SHAPES),
    OpCase("_npx_relu", ((2, 3),), lambda x: np.maximum(x, 0)),
    OpCase("_npx_sigmoid", ((2, 3),), lambda x: 1 / (1 + np.exp(-x))),
    OpCase("_npx_sigmoid", ((),), lambda x: 1 / (1 + np.exp(-x))),
)
