"""Other libraries take arrays as they are, and give arrays back where they know the standard."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as onp
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hy_ndarray import array_api as xp, nd, np

FEATURES = onp.random.default_rng(0).normal(size=(40, 5)).astype("float32")
WEIGHTS = onp.array([1, -2, 0.5, 0, 3], "float32")
TARGETS = FEATURES @ WEIGHTS
DISPATCHING = Path(__file__).with_name("with_dispatch.py")


@pytest.mark.parametrize("made", [np.array, nd.array])
def test_scikit_learn_without_dispatch(made: Any) -> None:
    x, y, labels = made(FEATURES), made(TARGETS), made((TARGETS > 0).astype("int32"))
    assert make_pipeline(StandardScaler(), Ridge(alpha=1e-4)).fit(x, y).score(x, y) > 0.999
    for model in (LogisticRegression(), RandomForestClassifier(5, random_state=0)):
        assert model.fit(x, labels).score(x, labels) > 0.9


@pytest.mark.slow
def test_scikit_learn_and_scipy_give_arrays_where_they_dispatch() -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(DISPATCHING)],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_einops_by_the_standard() -> None:
    einops = pytest.importorskip("einops.array_api")
    x = xp.asarray(FEATURES)
    assert einops.rearrange(x, "(a b) c -> c a b", a=4).shape == (5, 4, 10)
    assert einops.repeat(x, "a c -> a (c n)", n=2).shape == (40, 10)
    found = einops.reduce(x, "(a b) c -> b c", "mean", a=4)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), FEATURES.reshape(4, 10, 5).mean(0), rtol=1e-4)


def test_matplotlib_draws_them() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 7.0])
    assert axes.plot(x, y)[0].get_xydata().tolist() == [[1, 4], [2, 5], [3, 7]]
    assert [bar.get_height() for bar in axes.bar(x, y)] == [4, 5, 7]
    assert axes.imshow(xp.asarray(FEATURES)).get_array().shape == FEATURES.shape


def test_opt_einsum_contracts_them() -> None:
    contract = pytest.importorskip("opt_einsum").contract
    x = xp.asarray(FEATURES)
    found = contract("ij,kj,kl->il", x, x, x)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), FEATURES @ FEATURES.T @ FEATURES, rtol=1e-3)


def test_pandas_takes_and_gives_them() -> None:
    pandas = pytest.importorskip("pandas")
    x = np.array(FEATURES)
    frame = pandas.DataFrame(x, columns=list("abcde"))
    onp.testing.assert_array_equal(frame.to_numpy(), FEATURES)
    assert pandas.Series(x[0]).sum() == pytest.approx(FEATURES[0].sum(), rel=1e-5)
    onp.testing.assert_array_equal(np.array(frame).asnumpy(), FEATURES)


def test_torch_shares_their_memory() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(3.0)
    x = np.from_dlpack(tensor)
    x[0] = 9
    assert tensor.tolist() == [9, 1, 2]
    torch.from_dlpack(x)[1] = 8
    assert x.tolist() == [9, 8, 2]
    assert xp.asarray(tensor).tolist() == [9, 8, 2]
    for dtype in (torch.uint16, torch.int16, torch.complex64, torch.bfloat16, torch.bool):
        values = torch.tensor([1, 0]).to(dtype)
        assert torch.from_dlpack(np.from_dlpack(values)).dtype is dtype


def test_iterating_over_no_axes_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="has no axes, and so no length"):
        iter(np.array(1.0))
    assert not onp.iterable(np.array(1.0))
