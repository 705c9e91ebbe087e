"""MXNet's private names with which programs inspect or replace a block's latest trace."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.execution.cached_op import CachedOp
from hy_gluon.trace.cache import TraceCache, TracedGraph
from hy_gluon.trace.structure import Format
from hy_symbol import setup_lock

__all__ = ["Handmade"]


class Handmade:
    """Mixin of hybridized blocks with MXNet's private attributes of the latest trace."""

    _hy_traces: TraceCache

    def _hy_edit(self, **changes: Any) -> None:
        with setup_lock():
            self._hy_traces.edit(**changes)

    @property
    def _cached_graph(self) -> TracedGraph:
        return self._hy_traces.latest.graph

    @_cached_graph.setter
    def _cached_graph(self, graph: TracedGraph) -> None:
        self._hy_edit(graph=graph)

    @property
    def _cached_op(self) -> CachedOp | None:
        return self._hy_traces.latest.op

    @_cached_op.setter
    def _cached_op(self, op: CachedOp | None) -> None:
        self._hy_edit(op=op)

    @property
    def _cached_op_args(self) -> Sequence[tuple[bool, Any]]:
        return self._hy_traces.latest.order

    @_cached_op_args.setter
    def _cached_op_args(self, order: Sequence[tuple[bool, Any]]) -> None:
        self._hy_edit(order=order)

    @property
    def _in_format(self) -> Format:
        return self._hy_traces.latest.in_format

    @_in_format.setter
    def _in_format(self, form: Format) -> None:
        self._hy_edit(in_format=form)

    @property
    def _out_format(self) -> Format:
        return self._hy_traces.latest.out_format

    @_out_format.setter
    def _out_format(self, form: Format) -> None:
        self._hy_edit(out_format=form)
