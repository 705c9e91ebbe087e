"""Random numbers: their types here, their distributions in test_sampling.py."""

from tests.ops.op_case import OpCase

CASES = (
    OpCase("_random_uniform", (), None, {"low": -1, "high": 2, "shape": (2, 3)}),
    OpCase("_random_uniform", (), None, {"shape": (0,), "dtype": "float16"}),
    OpCase("_random_normal", (), None, {"loc": 1, "scale": 2, "shape": (2, 1)}),
    OpCase("_random_normal", (), None, {"dtype": "float64"}),
)
