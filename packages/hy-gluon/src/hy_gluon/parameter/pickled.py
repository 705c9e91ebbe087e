"""Conversion of parameters that MXNet pickled."""

from typing import Any

from hy_gluon.parameter.storage import Values
from hy_ndarray import Context, NDArray, cpu, num_gpus

__all__ = ["own_state"]

_OF_MXNET = {"_var", "_data", "_grad", "_ctx_list", "_ctx_map"}
"""Attributes of values, which hy keeps in another way; a variable belongs to its process."""


def own_state(state: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[NDArray, NDArray]]]:
    """Return the attributes of a parameter pickled by hy or by MXNet.

    Values go where they were, or to the CPU where there is no such GPU.

    Args:
        state: What the pickle holds.

    Returns:
        Attributes, and arrays with what their gradients were.
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
