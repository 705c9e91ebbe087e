"""What of the pointwise operators the Triton table leaves to torch: these, for these reasons."""

from hy_kernels.triton import table
from hy_ndarray import ops

LEFT = {
    "a copy, which the driver makes, and which graphs leave out": {
        *("block_grad", "cast_storage", "copy", "copyto", "gradient_multiplier"),
        *("identity_with_attr_like_rhs", "make_loss", "make_loss_scaled"),
    },
    "one number everywhere, which the driver writes": {"np_full_like", "ones_like", "zeros_like"},
}


def test_every_other_pointwise_operator_has_a_kernel() -> None:
    pointwise = {op.kernel for op in ops.operators() if op.traits.pointwise}
    assert pointwise.difference(table().names()) == set().union(*LEFT.values())
