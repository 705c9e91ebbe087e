"""Batching rule of einsum: the sample axis is one more letter of the subscripts."""

from collections.abc import Sequence
from string import ascii_letters

from hy_ndarray.transforms._calls import Inner
from hy_ndarray.transforms.batching.rule import BatchedCall, rule


def _with_samples(subscripts: str, mapped: Sequence[bool]) -> str | None:
    """Return subscripts extended by a sample letter; None with an ellipsis or without ``->``."""
    if "." in subscripts or "->" not in subscripts:
        return None
    letter = next(x for x in ascii_letters if x not in subscripts)
    operands, result = subscripts.replace(" ", "").split("->")
    parts = operands.split(",")
    named = [letter + x if m else x for x, m in zip(parts, mapped, strict=True)]
    return f"{','.join(named)}->{letter}{result}"


@rule("_npi_einsum")
def _einsum(call: BatchedCall) -> Sequence[Inner] | None:
    subscripts = _with_samples(call.params["subscripts"], call.mapped)
    return None if subscripts is None else call.run(call.inputs, subscripts=subscripts)
