"""Functions of ``mx.np`` that numpy computes on the CPU: which these are, and of which arrays."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as onp
import pytest

from hy_kernels.numpy import table
from hy_ndarray import ContextError, cpu, gpu, np, use_kernels
from hy_ndarray.np import fallback, linalg
from tests.kernels.tiny_table import TinyTable

ON_HOST: dict[ModuleType, str] = {
    fallback: (
        "allclose alltrue apply_along_axis apply_over_axes argpartition argwhere array_equal "
        "array_equiv choose compress corrcoef correlate count_nonzero cov digitize divmod extract "
        "flatnonzero float_power frexp heaviside histogram2d histogram_bin_edges "
        "histogramdd i0 interp intersect1d isclose isin ix_ lexsort min_scalar_type modf nanargmax "
        "nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanprod packbits partition "
        "piecewise poly polyadd polydiv polyfit polyint polymul polysub positive promote_types ptp "
        "real result_type rollaxis roots searchsorted select setdiff1d setxor1d signbit "
        "spacing take_along_axis trapz tril_indices_from trim_zeros triu_indices_from union1d "
        "unpackbits unwrap vander"
    ),
    linalg: "cond lstsq matrix_power matrix_rank multi_dot qr",
}
PAIRS = [(module, name) for module, names in ON_HOST.items() for name in names.split()]
PAIRS += [(fallback, "genfromtxt"), (fallback, "resize")]


class GpuTable(TinyTable):
    device_types = ("gpu",)


@pytest.fixture
def on_gpu() -> Iterator[np.ndarray]:
    with use_kernels(GpuTable("there", tuple(table().names())), device="gpu"):
        yield np.array([[1.0, 2.0], [3.0, 4.0]], ctx=gpu(0))


def is_on_host(function: Any) -> bool:
    return (getattr(function, "__doc__", "") or "").endswith("computed on the host.")


@pytest.mark.parametrize("module", ON_HOST, ids=lambda module: module.__name__)
def test_what_numpy_computes_is_listed(module: ModuleType) -> None:
    found = {name for name in module.__all__ if is_on_host(getattr(module, name))}
    assert found == set(ON_HOST[module].split())


@pytest.mark.parametrize(("module", "name"), PAIRS)
def test_it_refuses_an_array_on_a_gpu(module: ModuleType, name: str, on_gpu: np.ndarray) -> None:
    short = {"alltrue": "all", "trapz": "trapezoid"}.get(name, name)
    message = r"^\w+ is computed by numpy on the CPU, and an array \(2, 2\) is on gpu\(0\); move"
    for given in (on_gpu, [on_gpu]):
        with pytest.raises(ContextError, match=message) as caught:
            getattr(module, name)(given)
        assert str(caught.value).startswith(f"{short} ")


def test_coordinates_of_indices_on_a_gpu_are_refused(on_gpu: np.ndarray) -> None:
    with pytest.raises(ContextError, match="unravel_index is computed by numpy on the CPU"):
        np.unravel_index(on_gpu, (3, 4))


@pytest.mark.parametrize("name", ["nanpercentile", "nanquantile"])
def test_so_do_functions_that_prepare_their_operands(name: str, on_gpu: np.ndarray) -> None:
    with pytest.raises(ContextError, match=f"^{name} is computed by numpy on the CPU"):
        getattr(np, name)(on_gpu, 0.5)


def test_so_do_numpy_s_own_functions_without_one_here(on_gpu: np.ndarray) -> None:
    with pytest.raises(ContextError, match="is computed by numpy on the CPU"):
        onp.nextafter(on_gpu, 0)
    with pytest.raises(ContextError, match="is computed by numpy on the CPU"):
        onp.nanstd(on_gpu)


def test_results_are_where_the_first_array_is() -> None:
    x = np.array([[1.0, 2.0], [2.0, 5.0]], ctx=cpu(1))
    assert np.cov(x).context == cpu(1)
    q, r = np.linalg.qr(x)
    assert {q.context, r.context} == {cpu(1)}
    assert np.select([onp.array([True, False])], [np.ones(2, ctx=cpu(2))]).context == cpu(2)
