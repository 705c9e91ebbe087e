"""DeferredParameters: inference of shapes and dtypes of a block's parameters from its graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.parameter import DeferredInitializationError, Parameter, ParameterDict
from hy_gluon.parameter.storage import version
from hy_gluon.trace.cache import TracedGraph
from hy_gluon.trace.inference import inferred
from hy_ndarray import Context, HyError
from hy_symbol import Symbol, setup_lock

__all__ = ["DeferredParameters"]


class DeferredParameters:
    """Mixin of traceable blocks that infers and initializes deferred parameters."""

    _reg_params: dict[str, Parameter]

    @property
    def name(self) -> str:
        """Name of the block."""
        raise NotImplementedError

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and its children."""
        raise NotImplementedError

    def _get_graph(self, *args: Any) -> tuple[list[Symbol], Symbol]:
        raise NotImplementedError

    def _hy_graph_params(self, graph: TracedGraph) -> Mapping[str, Parameter]:
        raise NotImplementedError

    def _hy_own_arrays(self, ctx: Context, *args: Any) -> dict[str, Any]:
        """Return the block's own parameters as arrays by name, in a state without partial casts.

        Deferred parameters are initialized first. Concurrent casts and moves are detected by the
        version of all parameters.
        """
        # Seqlock: if the version is the same after reading, no parameter was cast or moved
        # meanwhile.
        before = version()
        try:
            params = {name: p.data(ctx) for name, p in self._reg_params.items()}
            if before == version():
                return params
        except DeferredInitializationError:
            pass  # another thread may be at it
        with setup_lock():
            if any(p._deferred_init for p in self._reg_params.values()):
                self._hy_finish_deferred(*args)
            return {name: p.data(ctx) for name, p in self._reg_params.items()}

    def _hy_finish_deferred(self, *args: Any, graph: TracedGraph = ()) -> None:
        """Infer the shapes of deferred parameters from a call's arguments, and initialize them."""
        with setup_lock():
            # Symbols go through the block once to find shapes, unless its class knows them itself;
            # the graph is given where it was traced already.
            has_rule = type(self).infer_shape is not DeferredParameters.infer_shape
            try:
                if has_rule:
                    self.infer_shape(*args)
                if has_rule and not graph:
                    params: Mapping[str, Parameter] = self._reg_params
                else:
                    params = self._hy_infer_shape(graph or self._get_graph(*args), args)
            except HyError as error:
                error.add_note(
                    f"while inferring the shapes of the parameters of {self.name}; "
                    "give the layers their input sizes to initialize them at once"
                )
                raise
            for parameter in params.values():
                parameter._finish_deferred_init()

    # Public in MXNet: layers override it.
    def infer_shape(self, *args: Any) -> None:
        """Infer the shapes of the parameters from arguments of a call, and set them."""
        with setup_lock():
            self._hy_infer_shape(self._get_graph(*args), args)

    def _hy_infer_shape(self, graph: TracedGraph, args: Sequence[Any]) -> Mapping[str, Parameter]:
        """Set the shapes of the graph's parameters; return all parameters of the block."""
        params = self._hy_graph_params(graph)
        for parameter, (shape, _) in inferred(graph, params, args, dtypes=False):
            if shape is not None:
                parameter.shape = tuple([n or 0 for n in shape])
        return params

    def infer_type(self, *args: Any) -> None:
        """Infer the dtypes of the parameters from arguments of a call, and set them."""
        with setup_lock():
            graph = self._get_graph(*args)
            dtypes = inferred(graph, self._hy_graph_params(graph), args, dtypes=True)
            for parameter, (_, dtype) in dtypes:
                if dtype is not None:
                    parameter.dtype = dtype
