"""Products of matrices on the Triton table give numpy's numbers, with bias and activation."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.triton.linalg import matmul
from hy_kernels.triton.linalg.matmul import ACTIVATIONS, by_tiles, product, tiles_for
from hy_kernels.triton.linalg.tiles import Tiles
from hy_kernels.triton.runtime._launch import recorded, watched
from tests.kernels.triton.parity import DEVICE, Tolerance, assert_parity

SHAPES = [(1, 1, 1), (7, 13, 5), (31, 33, 65), (65, 64, 63)]
TOLERANCES = {
    "float32": Tolerance(1e-5, 1e-5, "sums of up to 64 products in another order"),
    "float16": Tolerance(2**-10, 2**-8, "one rounding of a sum in float32"),
    "bfloat16": Tolerance(2**-7, 2**-5, "one rounding of a sum in float32"),
}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape)


@pytest.mark.parametrize(("rows", "inner", "columns"), SHAPES)
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_layers(dtype: str, rows: int, inner: int, columns: int) -> None:
    arrays = [drawn(rows, inner), drawn(columns, inner), drawn(1, columns)[0]]
    how: dict[str, Any] = {"num_hidden": columns, "no_bias": False, "flatten": True}
    tolerance = TOLERANCES[dtype]
    assert_parity("fully_connected", arrays, dtype, how, tolerance=tolerance)
    how["act_type"] = "tanh"
    assert_parity("fully_connected_activation", arrays, dtype, how, tolerance=tolerance)
    dy, x, w = drawn(rows, columns), arrays[0], arrays[1]
    flat = {"flatten": True}
    assert_parity("fully_connected_backward_data", [dy, w, x], dtype, flat, tolerance=tolerance)
    assert_parity("fully_connected_backward_weight", [dy, x, w], dtype, flat, tolerance=tolerance)


def test_a_layer_on_the_last_axis_of_strided_data() -> None:
    arrays = [drawn(3, 5, 7), drawn(4, 7)]
    how = {"flatten": False}
    assert_parity("project", arrays, "float32", how, strided=True, tolerance=TOLERANCES["float32"])


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_dots(dtype: str, turned: tuple[bool, bool]) -> None:
    how = {"transpose_a": turned[0], "transpose_b": turned[1], "forward_stype": None}
    a, b = drawn(17, 33), drawn(33, 9)
    lhs, rhs = (a.T.copy() if turned[0] else a), (b.T.copy() if turned[1] else b)
    assert_parity("dot", [lhs, rhs], dtype, how, tolerance=TOLERANCES[dtype])
    stacks = [np.stack([x, -x, 2 * x]) for x in (lhs, rhs)]
    assert_parity("batch_dot", stacks, dtype, how, tolerance=TOLERANCES[dtype])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations(activation: str) -> None:
    a, b = (torch.from_numpy(drawn(*shape)).to(DEVICE) for shape in ((5, 7), (7, 3)))
    bias = torch.from_numpy(drawn(1, 3)[0]).to(DEVICE)
    z = a @ b + bias
    wanted = {
        "none": z,
        "relu": z.relu(),
        "sigmoid": z.sigmoid(),
        "softrelu": torch.nn.functional.softplus(z),
        "softsign": torch.nn.functional.softsign(z),
        "tanh": z.tanh(),
        "gelu": torch.nn.functional.gelu(z),
    }[activation]
    y = product(a.float(), b.float(), bias.float(), activation)
    torch.testing.assert_close(y.double(), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("tiles", tiles_for(torch.float16, 1), ids=lambda tiles: tiles.name)
def test_every_size_of_tiles_gives_the_same(tiles: Tiles) -> None:
    a, b = (torch.from_numpy(drawn(*shape)).to(DEVICE).half() for shape in ((70, 65), (65, 70)))
    y = torch.empty(70, 70, dtype=torch.float16, device=DEVICE)
    by_tiles(tiles, a, b, None, "none", y)
    torch.testing.assert_close(y.float(), a.float() @ b.float(), rtol=2**-10, atol=2**-8)


def test_there_may_be_more_matrices_than_a_grid_s_other_axes_hold() -> None:
    a, y = torch.empty(1 << 17, 8, 8, device="meta"), torch.empty(1 << 17, 8, 8, device="meta")
    with recorded() as launches:
        product(a, a, y=y)
    assert [each.grid for each in launches] == [(1, 65535), (1, 65535), (1, 2)]


def test_a_stack_in_several_launches_is_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hy_kernels.triton.linalg.matmul._STACK", 2)
    a, b = (torch.from_numpy(drawn(5, n, m)).to(DEVICE).float() for n, m in ((3, 4), (4, 2)))
    torch.testing.assert_close(product(a, b), a @ b)


def test_shapes_that_do_not_fit_and_unknown_activations_are_told() -> None:
    a = torch.ones(2, 3)
    with pytest.raises(ValueError, match=r"\(2, 3\), \(2, 3\)"):
        product(a, a)
    with pytest.raises(ValueError, match="'swish'; there are none, relu"):
        product(a, a.t(), None, "swish")


@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
def test_large_products_of_16_bits_are_over_whole_vectors(
    order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmul, "_MIN_PADDED", 4)
    generator = torch.Generator().manual_seed(1)
    a, b = (
        torch.randn(n, generator=generator).to(DEVICE, torch.float16) for n in ((5, 13), (13, 6))
    )
    left, right = (
        x if k == "n" else x.t().contiguous().t() for x, k in zip((a, b), order, strict=True)
    )
    with watched() as launches:
        found = product(left, right)
    torch.testing.assert_close(found.double(), a.double() @ b.double(), rtol=2e-3, atol=2e-3)
    assert [each.arguments[6] for each in launches] == [16]
    short = product(left[:3], right)
    assert torch.equal(short, found[:3])
