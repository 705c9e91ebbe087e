"""Variables: the inputs of graphs, and their declared attributes."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import FLAGS, ArgumentError, DTypeError, dtype_name
from hy_symbol._errors import GraphError
from hy_symbol.graph import compose
from hy_symbol.graph.node import STORAGES
from hy_symbol.symbol.symbol import Symbol

__all__ = ["Variable", "var"]


def var(
    name: str,
    attr: Mapping[str, str] | None = None,
    shape: Sequence[int] | int | None = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: object = None,
    init: Any = None,
    stype: str | None = None,
    profiler_scope: str | None = None,
    **kwargs: str,
) -> Symbol:
    """Create a variable, an input or parameter of graphs.

    Args:
        name: Name of the variable.
        attr: Attributes by name; values are strings.
        shape: Declared shape, for inference; 0 is an unknown size.
        lr_mult: Multiplier of the learning rate.
        wd_mult: Multiplier of the weight decay.
        dtype: Declared dtype, for inference.
        init: Initializer: an instance, a class, or its text form.
        stype: Storage type of the array that ``simple_bind`` creates: ``"default"``,
            ``"row_sparse"`` or ``"csr"``.
        profiler_scope: Stored as an attribute.
        kwargs: More attributes, of the form ``__name__``.

    Raises:
        ArgumentError: The name is not a string.
        GraphError: An attribute is not a string, a keyword is not of the form ``__name__``,
            ``shape`` is not of integers, the storage type is unknown, or ``init`` has no text form.
        DTypeError: There is no such dtype.

    Example:
        >>> var("weight", shape=(10, 0), lr_mult=2).attr("lr_mult")
        '2'
    """
    if not isinstance(name, str):
        raise ArgumentError(f"the name of a variable must be a string, not {name!r}")
    if stype is not None and stype not in STORAGES:
        raise GraphError(f"variable {name!r}: stype={stype!r} is not one of {', '.join(STORAGES)}")
    for key, value in (attr or {}).items():
        if not isinstance(value, str):
            raise GraphError(f"variable {name!r}: attribute {key}={value!r} must be a string")
    # As in MXNet: other keywords are mistyped parameters.
    for key in kwargs:
        if not (key.startswith("__") and key.endswith("__")):
            raise GraphError(f"variable {name!r}: attribute {key!r} must be of the form '__name__'")
    declared = {
        "__shape__": None if shape is None else _shape_text(name, shape),
        "__lr_mult__": lr_mult,
        "__wd_mult__": wd_mult,
        "__dtype__": None if dtype is None else _flag_of(name, dtype),
        "__init__": init if init is None or isinstance(init, str) else _text_of(name, init),
        "__storage_type__": None if stype is None else STORAGES.index(stype),
        "__profiler_scope__": profiler_scope,
    }
    attrs = {**(attr or {}), **{k: str(v) for k, v in declared.items() if v is not None}}
    attrs.update({key: str(value) for key, value in kwargs.items()})
    return Symbol.of((compose.variable_node(name, attrs), 0))


Variable = var


def _flag_of(name: str, dtype: Any) -> int:
    """Return MXNet's number for a dtype, which graphs store.

    Raises:
        DTypeError: The dtype has no number.
    """
    kind = dtype_name(dtype)
    if kind not in FLAGS:
        raise DTypeError(f"variable {name!r}: graphs have no tensors of {kind}")
    return FLAGS[kind]


def _text_of(name: str, init: Any) -> str:
    """Return the text form of an initializer, which graphs store."""
    kind = init.__name__ if isinstance(init, type) else type(init).__name__
    try:
        dumps = getattr(init() if isinstance(init, type) else init, "dumps", None)
    except TypeError as error:  # a class that takes arguments
        # Graphs are text in files, so an initializer that has none cannot be declared.
        raise GraphError(f"variable {name!r}: init={kind}: {error}") from error
    text = dumps() if callable(dumps) else None
    if not isinstance(text, str):
        raise GraphError(
            f"variable {name!r}: init={kind} has no text form (dumps), which an attribute of a "
            "graph is; give it to init_params or initialize instead, or give an Initializer or the "
            "name of one here"
        )
    return text


def _shape_text(name: str, shape: Sequence[int] | int) -> str:
    """Return the text form of a shape, which graphs store."""
    if isinstance(shape, int):
        return str(shape)
    try:
        return str(tuple(map(int, shape)))
    except (TypeError, ValueError):
        raise GraphError(
            f"variable {name!r}: shape={shape!r} must be a tuple of integers"
        ) from None
