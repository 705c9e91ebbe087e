"""Traceable: the interface of blocks that can be traced."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.trace.cache import TraceCache, TracedGraph
from hy_gluon.trace.guards import Key
from hy_gluon.trace.scope_path import Scoped
from hy_symbol.backends import Choice

__all__ = ["Traceable"]


class Traceable(Scoped, Protocol):
    """Block that can be called with symbols; ``HybridBlock`` implements it."""

    is_plain: ClassVar[bool]
    _active: bool
    _hy_traces: TraceCache
    _flags: list[tuple[str, Any]]
    _hy_backends: list[Choice]
    _hy_op_hook: tuple[Callable[[str, str, Any], None], bool] | None
    _reg_params: dict[str, Parameter]

    @property
    def __call__(self) -> Callable[..., Any]:
        """Function that runs the block on arrays."""

    def forward(self, x: Any, *args: Any) -> Any:
        """Return the output of a block that overrides ``forward`` (``is_plain``)."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the output, computed with operators of ``F``, of other blocks."""

    def apply(self, fn: Callable[[Any], object]) -> object:
        """Call ``fn`` on the block and its descendants."""

    def name_scope(self) -> AbstractContextManager[object]:
        """Return a scope in which new nodes get the block's prefix."""

    def _hy_add_params(self, params: ParameterDict) -> None: ...

    def _hy_graph_params(self, graph: TracedGraph) -> Mapping[str, Parameter]: ...

    def _clear_cached_op(self) -> None: ...

    def _hy_finish_deferred(self, *args: Any, graph: TracedGraph = ()) -> None: ...

    def _hy_guards(self, traces: TraceCache, args: Sequence[Any]) -> tuple[Sequence[Any], Key]: ...
