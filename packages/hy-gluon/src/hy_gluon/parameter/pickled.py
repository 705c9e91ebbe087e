"""Conversion of the state of parameters pickled by MXNet."""

from typing import Any

from hy_gluon.parameter.storage import Values
from hy_ndarray import Context, NDArray, cpu, num_gpus

__all__ = ["own_state"]

_OF_MXNET = {"_var", "_data", "_grad", "_ctx_list", "_ctx_map"}
"""MXNet's attributes that hy replaces."""


def own_state(state: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[NDArray, NDArray]]]:
    """Return hy's attributes of a parameter pickled by hy or by MXNet.

    Values are placed on their saved context, or on the CPU if that GPU does not exist.

    Args:
        state: The pickled state.

    Returns:
        Attributes, and pairs of an array and its saved gradient.
    """
    if "_data" not in state:
        return state, []
    # dict.fromkeys, as absent GPUs may map several contexts to one CPU.
    contexts = dict.fromkeys(map(_present, state["_ctx_list"] or ()))
    copies = state["_data"] or []
    arrays = [array.as_in_context(ctx) for array, ctx in zip(copies, contexts, strict=False)]
    own = {name: value for name, value in state.items() if name not in _OF_MXNET}
    own["_var"] = None
    own["_allocated"] = (Values(arrays), list(contexts)) if arrays else None
    own["_grad_req"] = state["_grad_req"] or "null"
    if state["_deferred_init"]:
        init, waiting, *rest = state["_deferred_init"]
        own["_deferred_init"] = (init, list(dict.fromkeys(map(_present, waiting))), *rest)
    gradients = state["_grad"] or []
    return own, list(zip(arrays, gradients, strict=False))


def _present(context: Context) -> Context:
    absent = context.device_type == "gpu" and context.device_id >= num_gpus()
    return cpu() if absent else Context(context)
