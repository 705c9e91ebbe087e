"""Every operator that draws numbers: their mean and variance are those of its distribution."""

from math import gamma, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
import pytest

from hy_ndarray import NDArray, nd, ops, random
from hy_ndarray.testing.cases import CASES

COUNT = 20_000
EULER = 0.5772156649015329


class Drawn(NamedTuple):
    """An operator, its parameters, and the moments of what it draws."""

    op: str
    params: dict[str, Any]
    mean: float
    variance: float


BY_NUMBERS = (
    Drawn("uniform", {"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    Drawn("normal", {"loc": 2.0, "scale": 0.5}, 2.0, 0.25),
    Drawn("gamma", {"alpha": 3.0, "beta": 0.5}, 1.5, 0.75),
    Drawn("exponential", {"lam": 2.0}, 0.5, 0.25),
    Drawn("poisson", {"lam": 4.0}, 4.0, 4.0),
    Drawn("negative_binomial", {"k": 5, "p": 0.4}, 7.5, 18.75),
    Drawn("generalized_negative_binomial", {"mu": 3.0, "alpha": 0.4}, 3.0, 6.6),
)
ROWS = (
    *(row._replace(op=f"_random_{row.op}") for row in BY_NUMBERS),
    *(row._replace(op=f"_random_{row.op}_like") for row in BY_NUMBERS),
    *(row._replace(op=f"_sample_{row.op}") for row in BY_NUMBERS),
    Drawn("_random_randint", {"low": -2, "high": 5}, 1.0, 4.0),
    Drawn("_npi_uniform", {"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    Drawn("_npi_uniform_n", {"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    Drawn("_npi_normal", {"loc": 2.0, "scale": 0.5}, 2.0, 0.25),
    Drawn("_npi_normal_n", {"loc": 2.0, "scale": 0.5}, 2.0, 0.25),
    Drawn("_npi_gamma", {"shape": 3.0, "scale": 0.5}, 1.5, 0.75),
    Drawn("_npi_gumbel", {"loc": 1.0, "scale": 2.0}, 1 + 2 * EULER, 4 * pi**2 / 6),
    Drawn("_npi_logistic", {"loc": 1.0, "scale": 2.0}, 1.0, 4 * pi**2 / 3),
    Drawn("_npi_exponential", {"scale": 2.0}, 2.0, 4.0),
    Drawn("_npi_rayleigh", {"scale": 2.0}, 2 * sqrt(pi / 2), (4 - pi) / 2 * 4),
    Drawn("_npi_pareto", {"a": 9.0}, 1 / 8, 9 / (64 * 7)),
    Drawn("_npi_weibull", {"a": 2.0}, gamma(1.5), gamma(2) - gamma(1.5) ** 2),
    Drawn("_npi_powerd", {"a": 2.0}, 2 / 3, 2 / (9 * 4)),
    Drawn("_npi_choice", {"a": 5}, 2.0, 2.0),
)
ELSEWHERE = {
    "_sample_unique_zipfian": "shares of each number, in test_sampling.py",
    "_shuffle": "the same rows in another order, in test_sampling.py",
}


def drawn(row: Drawn) -> Any:
    op = ops.find(row.op)
    inputs: list[NDArray | None] = [None] * len(op.inputs)
    params = dict(row.params)
    if row.op.endswith("_like"):
        inputs = [nd.zeros((COUNT,), dtype="float64")]
    elif row.op.startswith("_sample_"):
        inputs = [nd.array([value]) for value in params.values()]
        params = {"shape": (COUNT,)}
    else:
        params["size" if row.op.startswith("_npi_") else "shape"] = (COUNT,)
    random.seed(5)
    return NDArray.apply_operator(op, inputs, op.parse(params)).asnumpy().astype(np.float64)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_mean_and_variance_are_those_of_the_distribution(row: Drawn) -> None:
    numbers = drawn(row)
    assert numbers.size == COUNT
    assert abs(numbers.mean() - row.mean) < 5 * sqrt(row.variance / COUNT)
    assert abs(numbers.var() - row.variance) < 20 * row.variance / sqrt(COUNT)


def test_every_operator_has_an_expected_value() -> None:
    valued = {ops.find(case.op).name for case in CASES if case.expected is not None}
    tested = valued | {row.op for row in ROWS} | ELSEWHERE.keys()
    assert {op.name for op in ops.operators()} - tested == set()
    assert not valued & ELSEWHERE.keys()
