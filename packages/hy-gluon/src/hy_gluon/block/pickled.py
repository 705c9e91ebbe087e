"""Conversion of blocks pickled by MXNet."""

from typing import Any

from hy_symbol.graph.name import Numbers

__all__ = ["own_state"]

# Attributes that MXNet's pickles have and hy's blocks do not.
_OF_MXNET = {
    "_scope", "_cached_graph", "_cached_op", "_cached_op_args", "_out_format", "_in_format",
    "_callback", "_monitor_all", "_backend", "_backend_opts",
}  # fmt: skip
"""Attributes of its programs and scopes, which hy keeps in another way."""


def own_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a block pickled by hy or by MXNet.

    Args:
        state: Attributes in the pickle.
    """
    if "_scope" not in state:
        return state
    # The counters of the scope say which numbers new layers get after unpickling.
    numbers = Numbers.of_mxnet(vars(state["_scope"])["_counter"])
    own = {name: value for name, value in state.items() if name not in _OF_MXNET}
    return own | {"_hy_inner_numbers": numbers}
