"""Cases of the error function, its inverse, and the gamma function and its derivatives.

Expected values are those of Python's ``math``, and numbers computed with 50 digits.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

POINTS = np.array([0.1, 0.5, 1.0, 1.4616321449683623, 2.5, 9.999, 10.0, 40.3, -0.5, -3.7])
DIGAMMA = np.array(
    [
        -10.423754940411076,
        -1.9635100260214235,
        -0.5772156649015329,
        -9.241265521729427e-17,
        0.7031566406452432,
        2.2516474172057355,
        2.251752589066721,
        3.683893213434927,
        0.03648997397857652,
        -0.8450768588704194,
    ]
)
TRIGAMMA = np.array(
    [
        101.43329915079276,
        4.934802200544679,
        1.6449340668482264,
        0.9676722454476212,
        0.49035775610023485,
        0.10517738667672887,
        0.10516633568168575,
        0.02512430662108168,
        8.93480220054468,
        14.84242186412428,
    ]
)


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[float])


CASES = (
    OpCase("erf", ((41,),), _each(math.erf), low=-6.5, high=6.5),
    OpCase("erf", ((2, 3),), _each(math.erf)),
    OpCase("erf", ((0, 3),), np.copy),
    OpCase("erf", ((3,),), lambda x: np.array([-1, 0, 1]), inputs={0: np.array([-9, 0, 9])}),
    OpCase("erfinv", ((2, 3),), None, low=-0.95, high=0.95),
    OpCase(
        "erfinv",
        ((5,),),
        lambda x: np.array([0, 0.4769362762044699, -1.1630871536766743, np.inf, -np.inf]),
        inputs={0: np.array([0.0, 0.5, -0.9, 1.0, -1.0])},
    ),
    OpCase("gamma", ((41,),), _each(math.gamma), low=0.01, high=30.0, check_grad=False),
    OpCase("gamma", ((2, 3),), _each(math.gamma), low=0.5, high=4.0),
    OpCase("gamma", ((10,),), _each(math.gamma), inputs={0: POINTS}),
    OpCase("gamma", ((3,),), lambda x: np.array([1, 24, 120]), inputs={0: np.array([1, 5, 6])}),
    OpCase("gammaln", ((41,),), _each(math.lgamma), low=0.01, high=30.0),
    OpCase("gammaln", ((10,),), _each(math.lgamma), inputs={0: POINTS}),
    OpCase("_digamma", ((10,),), lambda x: DIGAMMA, inputs={0: POINTS}),
    OpCase("_digamma", ((2, 3),), None, low=0.5, high=4.0),
    OpCase("_trigamma", ((10,),), lambda x: TRIGAMMA, inputs={0: POINTS}),
)
