"""The page of kernels says of each family how near 16-bit floats come, and why no nearer."""

from collections.abc import Mapping
from math import log2
from pathlib import Path

from tests.kernels.triton import (
    parity,
    test_triton_attention as attention,
    test_triton_conv as conv,
    test_triton_deconv as deconv,
    test_triton_embedding as embedding,
    test_triton_matmul as matmul,
    test_triton_multi_update as multi_update,
    test_triton_norm as norm,
    test_triton_pointwise as pointwise,
    test_triton_pool as pool,
    test_triton_reduce as reduce,
    test_triton_regions as regions,
    test_triton_softmax as softmax,
)

PAGE = Path(__file__).parents[3] / "docs" / "kernels.md"
FAMILIES: dict[str, Mapping[str, parity.Tolerance]] = {
    "one pointwise operator, softmax, maxima, `dropout`, `box_nms`": parity.TOLERANCES,
    "several pointwise operators in one": pointwise.WITHOUT_JUMPS,
    "sums, means, lengths": reduce.SUMS,
    "logarithms of softmax": softmax.LOGARITHM,
    "gradients of softmax": softmax.GRADIENT,
    "normalisation": norm.FORWARD,
    "gradients of normalisation": norm.BACKWARD,
    "products of matrices": matmul.TOLERANCES,
    "attention and its gradients": attention.NEAR,
    "convolution": conv.TOLERANCES,
    "transposed convolution": deconv.TOLERANCES,
    "pooling by sums": pool.SUMS,
    "gradients of `embedding`": embedding.SUMS,
    "steps of optimizers": multi_update.ROUNDED,
    "`ROIAlign`": regions.REGIONS,
}


def _power(number: float) -> str:
    return f"2^{log2(number):.0f}" if number else "0"


def _row(name: str, family: Mapping[str, parity.Tolerance]) -> str:
    both = [family[dtype] for dtype in ("float16", "bfloat16")]
    cells = [f"{_power(each.rtol)}, {_power(each.atol)}" for each in both]
    return f"| {name} | {cells[0]} | {cells[1]} | {both[0].why} |"


def test_the_page_says_how_near_they_come() -> None:
    rows = "\n".join(_row(name, family) for name, family in FAMILIES.items())
    assert rows in PAGE.read_text("utf-8"), rows
