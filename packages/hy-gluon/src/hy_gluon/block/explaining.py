"""Explaining: what a hybridized block runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hy_gluon._errors import BlockError
from hy_gluon.block.structure import flatten
from hy_gluon.block.tracing import signature
from hy_symbol import Explanation

if TYPE_CHECKING:
    from hy_gluon.block.hybrid import HybridBlock

__all__ = ["explain_block"]


def explain_block(block: "HybridBlock", args: Sequence[Any], profile: bool) -> Explanation:
    """How a block runs on these arguments; see :meth:`HybridBlock.explain`.

    Raises:
        BlockError: The block is not hybridized, or cannot be traced.
    """
    if not block._active:
        raise BlockError(f"{block.name}: call hybridize() before explain")
    block(*args)
    op, inputs = block._cached_op, block._graph_inputs()
    if block._keyed and not block._untraceable:
        variant = block._variants[signature(block, args)]
        op, inputs = variant.op, variant.inputs
    if op is None or block._untraceable:
        raise BlockError(f"{block.name} runs operator by operator, so there is no program")
    data = [x for x in flatten(args, "input")[0] if x is not None]
    return op.explain(*inputs.of(data, data[0].context), profile=profile)
