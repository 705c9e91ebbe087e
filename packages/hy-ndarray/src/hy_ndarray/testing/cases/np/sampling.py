"""Cases of NumPy's random samplers: types, and gradients through the noise."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

CHANCES = np.array([0.1, 0.7, 0.2])
HALF = np.array([0.25, 0.5])
ALL: dict[str, Any] = {"is_logit": False, "logit": None}


def _pair(name: str, first: str, second: str) -> Any:
    numbers = {first: 0.5, second: 2.0}
    open_first = {first: None, second: 2.0}
    open_both = {first: None, second: None}
    return (
        OpCase(name, (None, None), None, {**numbers, "size": (2, 3)}),
        OpCase(name, (None, None), None, numbers),
        OpCase(name, ((3,), None), None, {**open_first, "size": (2, 3)}, low=0.5, check_grad=False),
        OpCase(name, ((2, 1), (3,)), None, open_both, low=0.5, check_grad=False),
    )


def _single(name: str, parameter: str) -> Any:
    return (
        OpCase(name, (None,), None, {parameter: 2.0, "size": (2, 3)}),
        OpCase(name, ((2, 1),), None, {parameter: None, "size": (2, 3)}, low=0.5, check_grad=False),
    )


CASES = (
    *_pair("_npi_uniform", "low", "high"),
    *_pair("_npi_uniform_n", "low", "high"),
    *_pair("_npi_normal", "loc", "scale"),
    *_pair("_npi_normal_n", "loc", "scale"),
    *_pair("_npi_gamma", "shape", "scale"),
    *_pair("_npi_gumbel", "loc", "scale"),
    *_pair("_npi_logistic", "loc", "scale"),
    *_single("_npi_exponential", "scale"),
    *_single("_npi_rayleigh", "scale"),
    *_single("_npi_pareto", "a"),
    *_single("_npi_weibull", "a"),
    *_single("_npi_powerd", "a"),
    OpCase("_npi_normal", (None, None), None, {"loc": 0.0, "scale": 1.0, "dtype": "float64"}),
    OpCase("_npi_bernoulli", (None,), lambda **_: np.ones(3), {**ALL, "prob": 1.0, "size": (3,)}),
    OpCase("_npi_bernoulli", ((2,),), None, {**ALL, "prob": None}, inputs={0: HALF}),
    OpCase(
        "_npi_bernoulli",
        ((2,),),
        None,
        {"prob": None, "logit": None, "is_logit": True, "size": (2,)},
    ),
    OpCase("_npi_choice", (None, None), None, {"a": 5, "size": (2, 2)}),
    OpCase("_npi_choice", ((4,), None), None, {"a": None, "size": (4,), "replace": False}),
    OpCase(
        "_npi_choice",
        ((3,), None),
        None,
        {"a": 3, "size": (4,), "weighted": True},
        inputs={0: CHANCES},
    ),
    OpCase("_npi_multinomial", ((3,),), None, {"n": 5, "size": (2,)}, inputs={0: CHANCES}),
    OpCase(
        "_npi_multinomial",
        (None,),
        lambda n, pvals: np.array([0, 5]),
        {"n": 5, "pvals": (0.0, 1.0)},
    ),
)
