"""Name scopes: the prefixes of new blocks and their parameters."""

from contextvars import ContextVar
from typing import Any, Protocol, Self, TypeAlias

from hy_gluon.parameter import ParameterDict
from hy_symbol.graph import name as naming

__all__ = ["BlockScope"]


# A ContextVar: threads and tasks build blocks at the same time, and each has a scope of its own.
_Entered: TypeAlias = "tuple[BlockScope | None, naming.Prefix | None, Any]"
_entered: "ContextVar[_Entered]" = ContextVar("block_scopes", default=(None, None, None))
"""The thread's innermost scope, its name manager, and the enclosing entry."""


class _Named(Protocol):
    """Protocol of a block with a prefix and parameters."""

    @property
    def prefix(self) -> str: ...

    @property
    def params(self) -> ParameterDict: ...

    @property
    def has_empty_prefix(self) -> bool: ...


class BlockScope:
    """Scope of ``with block.name_scope():``, in which new blocks get the block's prefix.

    Args:
        block: The block.
        numbers: Counters of the automatic names of children; new ones if None.
    """

    def __init__(self, block: _Named, numbers: naming.Numbers | None = None) -> None:
        self._block = block
        self._numbers = naming.Numbers() if numbers is None else numbers

    @property
    def _counter(self) -> dict[str, int]:  # MXNet's name: programs read it
        """Return the next number of automatic names by hint."""
        return {hint: last + 1 for hint, last in self._numbers.last_numbers.items()}

    @staticmethod
    def create(
        prefix: str | None, params: ParameterDict | None, hint: str
    ) -> tuple[str, ParameterDict]:
        """Return the prefix and parameters of a new block.

        Args:
            prefix: Requested prefix, None for an automatic one.
            params: Parameters to share, or None.
            hint: Stem of an automatic prefix.
        """
        scope = _entered.get()[0]
        if scope is None:
            if prefix is None:
                prefix = naming.innermost().get(None, hint) + "_"
            # Parameters of another block lend their prefix, which is how MXNet shares them.
            own = ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
            return prefix, own
        if prefix is None:
            prefix = f"{hint}{scope._numbers.next(hint)}_"
        parent = scope._block
        if params is None:
            own = ParameterDict(parent.params.prefix + prefix, parent.params.shared)
        else:
            own = ParameterDict(params.prefix, params)
        return parent.prefix + prefix, own

    def __enter__(self) -> Self:
        # MXNet opens no scope for ``prefix=""``: names inside continue those outside.
        if self._block.has_empty_prefix:
            return self
        names = naming.Prefix(self._block.prefix)
        _entered.set((self, names, _entered.get()))
        names.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._block.has_empty_prefix:
            return
        # What was entered comes from the variable, not from self: a scope may be entered again
        # inside itself.
        _, names, outer = _entered.get()
        assert names is not None
        _entered.set(outer)
        names.__exit__(*error)
