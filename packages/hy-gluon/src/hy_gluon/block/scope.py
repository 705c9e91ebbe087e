"""Name scopes: which prefix a new block and its parameters get."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hy_gluon.parameter import ParameterDict
from hy_symbol import name as naming

if TYPE_CHECKING:
    from hy_gluon.block.base import Block

__all__ = ["BlockScope"]


class _Current(threading.local):
    scope: "BlockScope | None" = None


_current = _Current()


class BlockScope:
    """The scope ``with block.name_scope():`` opens; blocks made inside get the block's prefix."""

    def __init__(self, block: "Block") -> None:
        self._block = block
        self._counter: dict[str, int] = {}
        self._outer: list[tuple[BlockScope | None, naming.Prefix]] = []

    @staticmethod
    def create(
        prefix: str | None, params: ParameterDict | None, hint: str
    ) -> tuple[str, ParameterDict]:
        """Prefix and parameters of a new block.

        Args:
            prefix: What the user asked for, None for an automatic one.
            params: Parameters to share, or None.
            hint: What an automatic prefix begins with.
        """
        scope = _current.scope
        if scope is None:
            if prefix is None:
                prefix = naming.current().get(None, hint) + "_"
            own = ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
            return prefix, own
        if prefix is None:
            count = scope._counter.get(hint, 0)
            scope._counter[hint] = count + 1
            prefix = f"{hint}{count}_"
        parent = scope._block
        if params is None:
            own = ParameterDict(parent.params.prefix + prefix, parent.params.shared)
        else:
            own = ParameterDict(params.prefix, params)
        return parent.prefix + prefix, own

    def __enter__(self) -> Self:
        if self._block.has_empty_prefix:
            return self
        names = naming.Prefix(self._block.prefix)
        self._outer.append((_current.scope, names))
        _current.scope = self
        names.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._block.has_empty_prefix:
            return
        _current.scope, names = self._outer.pop()
        names.__exit__(kind, value, trace)
