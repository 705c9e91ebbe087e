"""Conversion and checks of a Trainer's arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.parameter import Parameter, ParameterDict
from hy_ndarray import ArgumentError, Context

__all__ = ["common_contexts", "listed", "no_batch", "settings_of", "takes_part"]


def no_batch() -> ArgumentError:
    """Return the error for a ``batch_size`` of 0."""
    return ArgumentError(
        "Trainer divides gradients by batch_size, which must be above 0, not 0; 1 leaves them as "
        "they are"
    )


def settings_of(optimizer_params: Any) -> dict[str, Any]:
    """Return the optimizer's arguments as a new dictionary.

    Raises:
        ArgumentError: ``optimizer_params`` is neither a mapping nor None.
    """
    if not isinstance(optimizer_params, Mapping | None):
        raise ArgumentError(
            "Trainer takes the arguments of the optimizer as a dictionary, such as "
            f"{{'learning_rate': 0.1}}, not {optimizer_params!r}"
        )
    return dict(optimizer_params or {})


def listed(params: Any) -> list[Parameter]:
    """Return a trainer's parameters as a list; those of a dictionary sorted by name.

    Raises:
        ArgumentError: ``params`` is not a collection of parameters.
    """
    if isinstance(params, ParameterDict | Mapping):
        # MXNet sorts the names of a dictionary, so states saved there have the same numbers.
        params = [params[name] for name in sorted(params.keys())]
    if not isinstance(params, list | tuple):
        raise ArgumentError(
            f"Trainer takes a list or dictionary of Parameters, not a {type(params).__name__}; "
            "those of a net are net.collect_params()"
        )
    for parameter in params:
        if not isinstance(parameter, Parameter):
            raise ArgumentError(
                f"Trainer takes Parameters, not a {type(parameter).__name__} among them; those of "
                "a net are net.collect_params()"
            )
    return list(params)


def takes_part(kvstore: Any, contexts: int, sparse: bool) -> bool:
    """Return whether a trainer needs the store: for several contexts, workers, or sparse rows."""
    if isinstance(kvstore, str):
        return contexts > 1 or sparse or "dist" in kvstore.lower() or kvstore.lower() == "sharded"
    return kvstore is not None


def common_contexts(params: Sequence[Parameter]) -> list[Context]:
    """Return the contexts of the parameters, which must be the same for all.

    Raises:
        ArgumentError: The contexts differ.
    """
    common: list[Context] | None = None
    for parameter in params:
        contexts = parameter.list_ctx()
        if common is not None and contexts != common:
            raise ArgumentError(
                f"all parameters must be on the same contexts: {parameter.name!r} is on "
                f"{contexts}, {params[0].name!r} on {common}; use reset_ctx"
            )
        common = contexts
    return common or []
