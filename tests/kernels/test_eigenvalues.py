"""Eigenvalues of any square matrix, with a numpy that gives complex ones always or when needed."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.np.linalg import np_eig
from hy_ndarray import np as hnp

MATRIX = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)
ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]], np.float32)


def np_eigvals(matrix: np.ndarray[Any, Any]) -> Any:
    """Eigenvalues by the operator, which is composed of ``np_eig``."""
    return hnp.linalg.eigvals(hnp.array(matrix)).asnumpy()


@pytest.fixture(params=["real where they can be", "always complex"])
def _numpy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As numpy answers before 2.5, and from there on."""
    real, real_values = np.linalg.eig, np.linalg.eigvals

    def values(a: Any) -> Any:
        return real_values(a).astype(np.complex64)

    def both(a: Any) -> Any:
        return tuple(x.astype(np.complex64) for x in real(a))

    if request.param == "always complex":
        monkeypatch.setattr(np.linalg, "eig", both)
        monkeypatch.setattr(np.linalg, "eigvals", values)


@pytest.mark.usefixtures("_numpy")
def test_real_ones_are_real() -> None:
    w, v = np_eig(MATRIX)
    assert w.dtype == v.dtype == np_eigvals(MATRIX).dtype == np.float32
    np.testing.assert_allclose(MATRIX @ v, v * w, rtol=1e-6)
    np.testing.assert_allclose(np.sort(np_eigvals(MATRIX)), [1.381966, 3.618034], rtol=1e-6)


@pytest.mark.usefixtures("_numpy")
def test_others_are_refused() -> None:
    for kernel in (np_eig, np_eigvals):
        with pytest.raises(ValueError, match="an eigenvalue is not real"):
            kernel(ROTATION)
