"""Products of which a side is short: by panels, the same numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from hy_kernels.numpy.runtime import _blas, _product
from hy_kernels.numpy.runtime._product import product


@pytest.fixture(autouse=True)
def panels(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """As where BLAS copies no factors of small products; the shapes that go by panels."""
    found: list[tuple[int, ...]] = []
    unchanged = _product.by_panels

    def counted(a: np.ndarray, b: np.ndarray, out: np.ndarray, width: int) -> np.ndarray:
        found.append((*a.shape, b.shape[1]))
        return unchanged(a, b, out, width)

    monkeypatch.setattr(_product, "has_small_kernels", lambda: True)
    monkeypatch.setattr(_product, "by_panels", counted)
    return found


def drawn(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(3).uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [
        (2, 1024, 600),
        (7, 512, 300),
        (31, 700, 97),
        (32, 2048, 40),
        (32, 64, 1024),
        (8, 40000, 16),
        (97, 256, 60),
        (101, 2000, 33),
    ],
)
def test_the_numbers_are_the_same(
    rows: int, inner: int, columns: int, dtype: str, panels: list[tuple[int, ...]]
) -> None:
    a, weight = drawn(rows, inner, dtype=dtype), drawn(columns, inner, dtype=dtype)
    bias = drawn(columns, dtype=dtype)
    expected = a.astype("float64") @ weight.T.astype("float64") + bias
    rtol, atol = (1e-4, 2e-3) if dtype == "float32" else (1e-11, 1e-11)
    np.testing.assert_allclose(product(a, weight.T, bias), expected, rtol, atol)
    wide = np.zeros((rows, columns + 5), dtype)
    assert product(a, weight.T, bias, wide[:, :columns]).base is wide
    np.testing.assert_allclose(wide[:, :columns], expected, rtol, atol)
    assert not wide[:, columns:].any()
    assert panels == [(rows, inner, columns)] * 2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(16, 512, 256), (7, 600, 301), (512, 16, 256), (3000, 13, 97), (16, 40000, 33)],
)
@pytest.mark.parametrize("is_transposed", [False, True])
def test_matrices_that_lie_as_they_are_go_by_wide_panels(
    rows: int,
    inner: int,
    columns: int,
    dtype: str,
    is_transposed: bool,
    panels: list[tuple[int, ...]],
) -> None:
    a = drawn(inner, rows, dtype=dtype).T if is_transposed else drawn(rows, inner, dtype=dtype)
    b, bias = drawn(inner, columns, dtype=dtype), drawn(columns, dtype=dtype)
    expected = a.astype("float64") @ b.astype("float64") + bias
    rtol, atol = (1e-4, 2e-3) if dtype == "float32" else (1e-11, 1e-11)
    np.testing.assert_allclose(product(a, b, bias), expected, rtol, atol)
    assert panels == [(rows, inner, columns)]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (drawn(257, 64), drawn(64, 64).T),
        (drawn(1, 2048), drawn(1024, 2048).T),
        (drawn(16, 64), drawn(64, 64).T),
        (drawn(2, 700), drawn(600, 700).T),
        (drawn(33, 512), drawn(512, 256)),
        (drawn(512, 33).T, drawn(256, 512).T),
        (drawn(16, 512), drawn(512, 512)[:, ::2]),
        (drawn(16, 40000), drawn(7, 40000).T),
        (drawn(16, 512), drawn(256, 512, dtype="float64").T),
    ],
    ids=[
        "many rows",
        "one row",
        "small",
        "a small result",
        "no short side",
        "columns",
        "gaps",
        "thin",
        "mixed",
    ],
)
def test_others_are_one_product(
    a: np.ndarray, b: np.ndarray, panels: list[tuple[int, ...]]
) -> None:
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-3, atol=1e-4)
    assert panels == []


@pytest.mark.parametrize(
    ("cores", "fast"),
    [(["Cooperlake"], True), (["Haswell"], False), ([""], False), (["", "SkylakeX"], True)],
)
def test_blas_says_by_its_cpu_whether_small_products_are_fast(
    cores: list[str], fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = [SimpleNamespace(core=core) for core in cores]
    monkeypatch.setattr(_blas, "_libraries", lambda: libraries)
    assert _blas.has_small_kernels.__wrapped__() is fast
