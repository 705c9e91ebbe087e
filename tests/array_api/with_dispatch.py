"""Run by test_works_with.py with SCIPY_ARRAY_API=1, which SciPy reads when it is imported."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest
import scipy.fft
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from hy_ndarray import array_api as xp, np

FEATURES = onp.random.default_rng(0).normal(size=(40, 5)).astype("float32")
WEIGHTS = onp.array([1, -2, 0.5, 0, 3], "float32")
TARGETS = FEATURES @ WEIGHTS
SCIPY: dict[str, Callable[[Any], Any]] = {
    "rfft": lambda v: scipy.fft.rfft(v, axis=1),
    "dct": scipy.fft.dct,
    "gaussian_filter": lambda v: scipy.ndimage.gaussian_filter(v, 1),
    "fftconvolve": lambda v: scipy.signal.fftconvolve(v, v[:2, :2]),
    "hilbert": scipy.signal.hilbert,
    "logsumexp": lambda v: scipy.special.logsumexp(v, axis=0),
    "erf": scipy.special.erf,
    "zscore": lambda v: scipy.stats.zscore(v, axis=1),
    "pearsonr": lambda v: scipy.stats.pearsonr(v[0], v[1]).pvalue,
    "skew": lambda v: scipy.stats.skew(v, axis=0),
}


@pytest.fixture
def features() -> np.ndarray:
    return xp.asarray(FEATURES)


@pytest.fixture
def targets() -> np.ndarray:
    return xp.asarray(TARGETS)


@pytest.mark.parametrize("name", SCIPY)
def test_scipy_gives_arrays(name: str, features: np.ndarray) -> None:
    found = SCIPY[name](features)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), SCIPY[name](FEATURES), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler, MaxAbsScaler, Normalizer])
def test_scalers_give_arrays(scaler: Any, features: np.ndarray) -> None:
    with config_context(array_api_dispatch=True):
        found = scaler().fit_transform(features)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), scaler().fit_transform(FEATURES), atol=1e-5)


def test_components_are_numpys(features: np.ndarray) -> None:
    with config_context(array_api_dispatch=True):
        found = PCA(2, svd_solver="full").fit(features)
        shares = found.explained_variance_ratio_
    expected = PCA(2, svd_solver="full").fit(FEATURES)
    assert type(found.components_) is np.ndarray
    onp.testing.assert_allclose(shares.asnumpy(), expected.explained_variance_ratio_, rtol=1e-4)


def test_a_regression_finds_the_weights(features: np.ndarray, targets: np.ndarray) -> None:
    with config_context(array_api_dispatch=True):
        model = Ridge(alpha=1e-4, solver="svd").fit(features, targets)
        assert type(model.predict(features)) is np.ndarray
        assert r2_score(targets, model.predict(features)) > 0.999
    onp.testing.assert_allclose(model.coef_.asnumpy(), WEIGHTS, atol=1e-3)


def test_metrics_are_numpys(targets: np.ndarray) -> None:
    with config_context(array_api_dispatch=True):
        found = mean_squared_error(targets, targets * 0.5)
        share = accuracy_score(targets > 0, targets > 0.5)
    assert found == pytest.approx(mean_squared_error(TARGETS, TARGETS * 0.5))
    assert share == pytest.approx(accuracy_score(TARGETS > 0, TARGETS > 0.5))


def test_a_pipeline_runs_on_arrays(features: np.ndarray, targets: np.ndarray) -> None:
    steps = (StandardScaler(), PCA(5, svd_solver="full"), Ridge(alpha=1e-4, solver="svd"))
    with config_context(array_api_dispatch=True):
        parts = train_test_split(features, targets, random_state=0)
        assert {type(part) for part in parts} == {np.ndarray}
        model = make_pipeline(*steps).fit(parts[0], parts[2])
        assert model.score(parts[1], parts[3]) > 0.999
        classifier = LinearDiscriminantAnalysis(solver="svd").fit(features, targets > 0)
        assert classifier.score(features, targets > 0) > 0.9
