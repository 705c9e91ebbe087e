"""Values outside of a distribution are ValueErrors, as in MXNet 1.9.1, for numbers and arrays."""

from typing import Any

import pytest

from hy_ndarray import KernelError, np, npx


@pytest.mark.parametrize("name", ["weibull", "pareto", "power", "chisquare"])
def test_shapes_are_positive(name: str) -> None:
    for value in (0.0, -1.0):
        for given in (value, np.array([value, 1.0])):
            with pytest.raises(ValueError, match=r"shape|parameter a=|positive"):
                getattr(np.random, name)(given)
    assert getattr(np.random, name)(np.array([1.0, 2.0])).shape == (2,)


@pytest.mark.parametrize("name", ["gamma", "beta"])
def test_both_parameters_are_positive(name: str) -> None:
    ones = np.array([1.0, 1.0])
    for value in (0.0, -1.0):
        pairs: list[tuple[Any, Any]] = [
            (value, 1.0),
            (1.0, value),
            (np.array([value, 1.0]), ones),
            (1.0, np.array([value, 1.0])),
        ]
        for pair in pairs:
            with pytest.raises(ValueError, match="gamma"):
                getattr(np.random, name)(*pair)


@pytest.mark.parametrize("name", ["normal", "logistic", "gumbel", "lognormal"])
def test_scales_are_not_negative(name: str) -> None:
    for scale in (-1.0, np.array([-1.0])):
        with pytest.raises(ValueError, match="scale"):
            getattr(np.random, name)(0.0, scale)
    assert getattr(np.random, name)(0.0, np.array([0.0])).shape == (1,)


def test_single_scales_are_not_negative() -> None:
    for function in (np.random.exponential, np.random.rayleigh):
        with pytest.raises(ValueError, match="scale"):
            function(np.array([-1.0]))
        assert function(0.0).item() == 0


def test_probabilities_lie_between_0_and_1() -> None:
    for value in (-1.0, 2.0):
        with pytest.raises(ValueError, match=r"probability|prob=") as caught:
            npx.random.bernoulli(prob=np.array([value, 0.5]))
        assert isinstance(caught.value, KernelError)
    assert npx.random.bernoulli(logit=np.array([-50.0, 50.0])).asnumpy().tolist() == [0, 1]


def test_percentiles_outside_are_value_errors() -> None:
    for q in (101, -1, np.array([101.0])):
        with pytest.raises(ValueError, match="percentile"):
            np.percentile(np.arange(3), q)


def test_trials_without_events_are_empty() -> None:
    assert np.random.multinomial(5, []).shape == (0,)
    assert np.random.multinomial(5, np.array([]), size=(3,)).shape == (3, 0)
