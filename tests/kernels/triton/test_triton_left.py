"""What of the pointwise operators the Triton table leaves to torch: these, for these reasons."""

from hy_kernels.triton import table
from hy_ndarray import ops
from tests.kernels.derived import uncomposed

LEFT = {
    "a copy, which the driver makes, and which graphs leave out": {"copy"},
}


def test_every_other_pointwise_operator_has_a_kernel() -> None:
    pointwise = {op.kernel for op in ops.operators() if op.traits.pointwise} & uncomposed()
    assert pointwise.difference(table().names()) == set().union(*LEFT.values())
