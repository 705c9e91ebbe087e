"""Sharing of parameters between blocks."""

from collections.abc import Mapping
from typing import Any, Protocol

from hy_gluon.parameter import Parameter, ParameterDict
from hy_ndarray import ArgumentError
from hy_ndarray.foreign import kind_of

__all__ = ["share_into"]


class _Structured(Protocol):
    """Protocol of a block with parameters by attribute and children."""

    @property
    def _reg_params(self) -> dict[str, Parameter]: ...

    def _hy_blocks(self) -> Mapping[str, Any]: ...


def share_into(block: _Structured, shared: Any) -> None:
    """Replace a block's parameters by those in ``shared`` with the same scope paths.

    Args:
        block: Block whose parameters are replaced.
        shared: Parameters by scope path, or a ParameterDict that a block collected; None for none.

    Raises:
        ArgumentError: ``shared`` is neither a mapping nor None.
    """
    if shared is None:
        return
    if not isinstance(shared, Mapping | ParameterDict):
        raise ArgumentError(
            f"share_parameters: takes a dictionary, such as collect_params() of a block, "
            f"not {kind_of(shared)}"
        )
    named = shared.by_structure() if isinstance(shared, ParameterDict) else shared
    _share_by_path(block, named, "")


def _share_by_path(block: _Structured, named: Mapping[str, Parameter], path: str) -> None:
    # A copy of the keys: assigning replaces entries of the dictionary.
    for name in list(block._reg_params):
        if path + name in named:
            setattr(block, name, named[path + name])
    for name, child in block._hy_blocks().items():
        _share_by_path(child, named, f"{path}{name}.")
