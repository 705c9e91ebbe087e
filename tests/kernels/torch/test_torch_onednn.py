"""Products of matrices by whichever library is faster give the same, also of views."""

import pytest
import torch

from hy_kernels.torch import table
from hy_kernels.torch.runtime import _onednn
from hy_kernels.torch.runtime._onednn import min_products_for, product


@pytest.mark.parametrize("size", [3, 160])
@pytest.mark.parametrize("with_bias", [False, True])
def test_products_of_views_are_those_of_matrices(size: int, with_bias: bool) -> None:
    generator = torch.Generator().manual_seed(1)
    wide = torch.randn(size, 2 * size, generator=generator)
    a, b = wide[:, ::2], wide.t()[1::2]
    bias = torch.arange(float(size)) if with_bias else None
    wanted = a.double() @ b.double() + (0 if bias is None else bias)
    for left, right in ((a, b), (a.contiguous(), b.contiguous().t().contiguous().t())):
        torch.testing.assert_close(product(left, right, bias).double(), wanted, rtol=0, atol=1e-3)


def test_a_small_product_lies_in_the_memory_given() -> None:
    out = torch.empty(2, 2)
    assert product(torch.eye(2), torch.ones(2, 2), out=out) is out
    assert out.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("shape", [(512, 100, 50), (512, 50, 300)])
def test_products_of_a_transposed_matrix_are_exact_and_contiguous(
    shape: tuple[int, int, int],
) -> None:
    rows, left, right = shape
    generator = torch.Generator().manual_seed(2)
    a = torch.randint(-9, 9, (rows, left), generator=generator).float()
    b = torch.randint(-9, 9, (rows, right), generator=generator).float()
    y = product(a.t(), b)
    assert y.is_contiguous()
    assert torch.equal(y, (a.double().t() @ b.double()).float())


def test_onednn_is_for_cpus_of_which_mkl_does_not_use_all() -> None:
    many = 1000 * 1000 * 1000
    amd, intel = "AuthenticAMD", "vendor_id\t: GenuineIntel\n"
    assert min_products_for("AVX512", amd) < many < min_products_for("AVX512", intel)
    assert many < min_products_for("AVX2", amd)


@pytest.mark.parametrize("blas_is_fast", [False, True])
@pytest.mark.parametrize("rows", [2, 64, 65])
def test_prepared_weights_are_packed_or_turned_round(
    rows: int, blas_is_fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_onednn, "MIN_PRODUCTS", 1 << 62 if blas_is_fast else 1 << 21)
    weight, data, bias = torch.randn(24, 40), torch.randn(rows, 40), torch.randn(24)
    weighing, layer = (table().find(name) for name in ("dense_layer_weight", "dense_layer"))
    assert weighing is not None
    assert layer is not None
    prepared = weighing.function(weight, rows=rows)
    assert prepared.shape == weight.shape
    assert prepared.is_mkldnn != (blas_is_fast and rows <= 64)
    assert prepared.is_mkldnn or prepared.t().is_contiguous()
    params = {"flatten": True, "activation": "relu", "scalars": ()}
    types = [((rows, 40), "float32"), ((24, 40), "float32"), ((24,), "float32")]
    assert layer.specialize is not None
    special = layer.specialize(types, params)
    assert special is not None
    expected = torch.relu(data @ weight.t() + bias)
    for y in (special(data, prepared, bias), layer.function(data, prepared, bias, **params)):
        torch.testing.assert_close(y, expected)
