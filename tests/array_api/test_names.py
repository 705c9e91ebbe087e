"""The namespace has every name of the standard, and says what it offers."""

import inspect
import subprocess
import sys

import pytest

from hy_ndarray import UnsupportedError, array_api as xp, np

NAMES = {
    "constants": "e inf nan newaxis pi",
    "dtypes": (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 "
        "complex128 astype can_cast finfo iinfo isdtype result_type"
    ),
    "creation": (
        "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones "
        "ones_like tril triu zeros zeros_like"
    ),
    "element by element": (
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift "
        "bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos "
        "cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite "
        "isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not "
        "logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow "
        "real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc"
    ),
    "indexing": "take take_along_axis",
    "products": "matmul matrix_transpose tensordot vecdot",
    "shapes": (
        "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis "
        "permute_dims repeat reshape roll squeeze stack tile unstack"
    ),
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "isin unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "questions": "all any diff",
}
EXTENSIONS = {
    "linalg": (
        "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power "
        "matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace "
        "vecdot vector_norm"
    ),
    "fft": (
        "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"
    ),
}


@pytest.mark.parametrize("group", NAMES)
def test_every_name_is_there(group: str) -> None:
    assert [name for name in NAMES[group].split() if not hasattr(xp, name)] == []


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_extensions_are_complete(extension: str) -> None:
    space = getattr(xp, extension)
    assert [
        name for name in EXTENSIONS[extension].split() if not callable(getattr(space, name))
    ] == []


def test_operands_are_given_by_position_and_options_by_name() -> None:
    kinds = {name: p.kind for name, p in inspect.signature(xp.sum).parameters.items()}
    assert kinds["x"] is inspect.Parameter.POSITIONAL_ONLY
    assert {kinds[name] for name in ("axis", "dtype", "keepdims")} == {
        inspect.Parameter.KEYWORD_ONLY
    }
    assert list(inspect.signature(xp.add).parameters) == ["x1", "x2"]


def test_arrays_know_their_namespace() -> None:
    x = np.ones(2)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(UnsupportedError, match=r"2021\.12 to .* are supported"):
        x.__array_namespace__(api_version="2099.12")


def test_the_namespace_says_what_it_offers() -> None:
    info = xp.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"]
    assert info.default_dtypes()["real floating"] == xp.float32
    assert list(info.dtypes(kind="complex floating")) == ["complex64", "complex128"]
    assert len(info.dtypes()) == 13
    assert xp.zeros(2, device=info.devices()[0]).device == info.default_device()


def test_importing_the_package_does_not_import_the_namespace() -> None:
    code = "import sys, mxnet; sys.exit('hy_ndarray.array_api' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603
