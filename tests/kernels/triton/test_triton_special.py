"""The gamma family and the inverse error function on the Triton table, to the digits of a dtype."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch

from tests.kernels.triton.parity import DEVICE, computed, to_numpy

X = (-5.5, -0.3, 1e-8, 0.7, 1.5, 3.5, 9.75, 10.25, 42.25, 170.5)
EXACT: Mapping[str, tuple[float, ...]] = {
    "gamma": (
        *(0.010912654781909862, -4.326851108825193, 99999999.42278434, 1.298055332647558),
        *(0.886226925452758, 3.3233509704478426, 207358.59989024868, 639232.5987795768),
        *(8.497084439529137e49, 5.56209241456e305),
    ),
    "gammaln": (
        *(-4.517832174007741, 1.4648400508576025, 18.42068073818021, 0.26086724653166654),
        *(-0.12078223763524522, 1.2009736023470743, 12.242204940050762, 13.368023671476045),
        *(114.9663926542499, 704.0044277342047),
    ),
    "digamma": (
        *(1.792911330399933, 2.113309779635399, -100000000.57721564, -1.2200235536979347),
        *(0.03648997397857652, 1.103156640645243, 2.225109535044576, 2.277704790686724),
        *(3.731723353184881, 5.135799878794703),
    ),
    "trigamma": (
        *(9.7033198653394, 13.945160267805722, 1.0000000000000002e16, 2.834049156694611),
        *(0.9348022005446793, 0.3303577561002349, 0.10800324333663186, 0.10247452151799187),
        *(0.023950950922657522, 0.005882335979579863),
    ),
}
"""By mpmath 1.3 in 40 digits."""
DIGITS = {
    "gamma": 3e-13,  # of the largest; the exponent of a power is some 300
    "gammaln": 1e-13,  # of what two terms around 13 leave
    "digamma": 1e-13,
    "trigamma": 1e-14,
}
INVERSE = {
    -0.999999999: -4.320005388105362,
    -0.9: -1.1630871536766743,
    -0.425: -0.39647691607072827,
    1e-12: 8.86226925452758e-13,
    0.3: 0.2724627147267543,
    0.85: 1.0179024648320276,
    0.9999: 2.75106390571208,
    1 - 2.0**-53: 5.8635847487551676,
}


def of(name: str, x: Any, dtype: torch.dtype = torch.float64) -> Any:
    (y,) = computed(name, [torch.tensor(x, dtype=dtype, device=DEVICE)], {})
    return to_numpy(y)


@pytest.mark.parametrize("name", EXACT)
def test_float64_has_its_digits(name: str) -> None:
    np.testing.assert_allclose(of(name, X), EXACT[name], rtol=DIGITS[name])


@pytest.mark.parametrize("name", EXACT)
def test_float32_is_rounded_once(name: str) -> None:
    places = [k for k, x in enumerate(X) if x == np.float32(x) and x < 30]
    found = of(name, [X[k] for k in places], torch.float32)
    np.testing.assert_allclose(found, [EXACT[name][k] for k in places], rtol=2.0**-23)


def test_factorials_are_exact() -> None:
    exact = [math.factorial(n - 1) for n in range(1, 24)]
    np.testing.assert_array_equal(of("gamma", range(1, 24)), exact)


def test_poles_are_where_they_are() -> None:
    x = [0.0, -0.0, -1.0, -7.0, math.inf, -math.inf]
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(of("gamma", x), [inf, -inf, nan, nan, inf, nan])
    np.testing.assert_array_equal(of("gammaln", x), [inf] * 6)
    np.testing.assert_array_equal(of("digamma", x), [-inf, inf, nan, nan, inf, nan])
    np.testing.assert_array_equal(of("trigamma", x), [inf, inf, inf, inf, 0, nan])
    np.testing.assert_array_equal(of("gammaln", [1.0, 2.0]), [0, 0])


def test_the_error_function_is_inverted_to_the_digits_of_float64() -> None:
    np.testing.assert_allclose(of("erfinv", [*INVERSE]), [*INVERSE.values()], rtol=1e-15)


def test_the_error_function_is_inverted_to_those_of_float32() -> None:
    x = np.linspace(-1, 1, 4099, dtype="float32")[1:-1]
    exact = of("erfinv", x.astype("float64"))
    np.testing.assert_allclose(of("erfinv", x, torch.float32), exact, rtol=4e-7)


def test_only_numbers_inside_have_an_inverse() -> None:
    found = of("erfinv", [1.0, -1.0, 1.5, -np.inf, 0.0, -0.0])
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.nan, np.nan, 0, 0])
    assert np.signbit(found).tolist()[4:] == [False, True]
