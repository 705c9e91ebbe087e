"""Implementation of :meth:`HybridBlock.explain`."""

from collections.abc import Sequence
from typing import Any

from hy_gluon._errors import BlockError
from hy_gluon.trace.traceable import Traceable
from hy_gluon.trace.tracer import prepared
from hy_symbol import Explanation

__all__ = ["explain_block"]


def explain_block(block: Traceable, args: Sequence[Any], profile: bool) -> Explanation:
    """Return a report of how a block runs on arguments; see :meth:`HybridBlock.explain`.

    Raises:
        BlockError: The block is not hybridized, or cannot be traced.
    """
    # Eager code has no program; explaining would trace a block that nobody hybridized. A graph that
    # was given runs as one all the same.
    if not block._active and block._hy_traces.fixed is None:
        raise BlockError(f"{block.name}: call hybridize() before explain")
    block(*args)
    if block._hy_traces.why_eager is not None:
        raise BlockError(
            f"{block.name} runs operator by operator, so there is no program: "
            f"{block._hy_traces.why_eager}"
        )
    trace, arrays = prepared(block, args)
    assert trace.op is not None
    return trace.op.explain(*arrays, profile=profile)
