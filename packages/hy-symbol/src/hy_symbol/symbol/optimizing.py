"""Optimizing: methods of a symbol that rewrite its graph by a backend."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Self

from hy_ndarray import Context, NDArray
from hy_symbol.graph.node import Graph
from hy_symbol.infer.outputs import Outputs

__all__ = ["Optimizing"]


class Optimizing(Outputs):
    """Methods of a symbol for the backends of :mod:`hy_symbol.backends`."""

    __slots__ = ()

    def optimize_for(
        self,
        backend: str,
        args: Mapping[str, NDArray] | Sequence[NDArray] | None = None,
        aux: Mapping[str, NDArray] | Sequence[NDArray] | None = None,
        ctx: Context | None = None,
        shape_dict: Mapping[str, Sequence[int]] | None = None,
        type_dict: Mapping[str, object] | None = None,
        stype_dict: Mapping[str, str] | None = None,  # noqa: ARG002  # every array is dense
        skip_infer: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Return the graph rewritten by a backend for prediction; see :mod:`hy_symbol.backends`.

        Args:
            backend: Name of the backend.
            args: Values of arguments, by name or in the order of :meth:`list_arguments`. With a
                dict, new parameters that the backend derives from parameters are computed now and
                added to the dict.
            aux: Values of auxiliary states, likewise.
            ctx: Context on which new parameters are computed; that of the arrays if None.
            shape_dict: Shapes by name, in addition to those of the arrays.
            type_dict: Dtypes by name.
            stype_dict: Accepted and ignored; every array is dense.
            skip_infer: Whether to omit shape and dtype inference.
            kwargs: Options of the backend.

        Raises:
            BackendError: There is no such backend, or it cannot run here.
            ShapeError, DTypeError: The arrays do not fit the graph.

        Example:
            >>> from hy_symbol import sym
            >>> dense = sym.FullyConnected(sym.var("data"), num_hidden=4, name="fc")
            >>> net = sym.BatchNorm(dense, name="norm").optimize_for("fold_batch_norm")
            >>> net.graph.outputs[0][0]
            <Node norm (FullyConnected)>
        """
        # loaded when it is first asked for, as are all backends
        graph: Graph = import_module("hy_symbol.backends.optimization").optimized_graph(
            self.graph,
            backend,
            args,
            aux,
            ctx,
            shape_dict,
            type_dict,
            skip_infer=skip_infer,
            options=kwargs,
        )
        return type(self)(graph)

    def get_backend_symbol(self, backend: str) -> Self:
        """Return the graph rewritten by a backend, without values or inferred types."""
        return self.optimize_for(backend, skip_infer=True)
