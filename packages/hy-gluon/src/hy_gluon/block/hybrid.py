"""HybridBlock: a block that runs operator by operator or, hybridized, as a traced graph."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import unwrap
from typing import TYPE_CHECKING, Any, ClassVar, Never, overload

from hy_gluon._errors import BlockError, StructureError, TracingError
from hy_gluon.block import hooks
from hy_gluon.block.base import Block, Operand
from hy_gluon.block.children import no_block, no_operand, not_hybrid
from hy_gluon.block.deferred import DeferredParameters
from hy_gluon.block.explaining import explain_block
from hy_gluon.block.exporting import export, predicting
from hy_gluon.block.overridable import overridable
from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.trace.backends import select_backend
from hy_gluon.trace.cache import Trace, TraceCache, TracedGraph
from hy_gluon.trace.donation import argnums_of
from hy_gluon.trace.fallback import Untraceable
from hy_gluon.trace.guards import ANY, Key, Structure, are_arrays, arguments, key_of
from hy_gluon.trace.handmade import Handmade
from hy_gluon.trace.inference import graph_params
from hy_gluon.trace.scope_path import entered
from hy_gluon.trace.structure import first_operand, flatten, without_last_none
from hy_gluon.trace.tracer import graph_of, prepared, retraced
from hy_ndarray import NDArray, ShapeError, autograd, nd, np
from hy_ndarray.core.casting import casting_policy
from hy_ndarray.suggestion import hint
from hy_symbol import Explanation, Symbol, current_trace, known_backends, setup_lock, sym
from hy_symbol.backends import Choice
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = ["HybridBlock"]

# A version that no counter takes: the first call looks for hooks.
_UNKNOWN = (-1, False)
_OPERANDS = (NDArray, Symbol)
_OTHER: dict[type, type] = {NDArray: Symbol, Symbol: NDArray}
_FLAGS = (
    "static_alloc",
    "static_shape",
    "inline_limit",
    "forward_bulk_size",
    "backward_bulk_size",
    "mirror",
    "donate_argnums",
)


class HybridBlock(Handmade, Block, DeferredParameters):
    """Base class of blocks whose forward computation works on arrays and on symbols.

    Subclasses define ``hybrid_forward(F, x, *args, **params)``, where ``F`` is the namespace of
    operators (on arrays or on symbols) and parameters are passed by their attribute names; or
    ``forward(x, *args)`` with operators of ``nd``. After :meth:`hybridize` the first call traces
    the block into a graph, which later calls run. If the code reads a shape, one graph is traced
    per input shape. A ``forward`` that cannot be traced runs eagerly, with a warning that states
    the reason.

    Example:
        >>> class Scale(HybridBlock):
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         self.factor = self.params.get("factor", shape=(1,), init="ones")
        ...     def hybrid_forward(self, F, x, factor):
        ...         return F.broadcast_mul(x, factor)
        >>> scale = Scale()
        >>> scale.initialize()
        >>> scale.hybridize()
        >>> scale(nd.array([1, 2])).asnumpy()
        array([1., 2.], dtype=float32)
    """

    is_plain: ClassVar[bool] = False
    """Whether the class overrides ``forward`` and not ``hybrid_forward``."""
    _active = False
    _hy_hooked = _UNKNOWN
    _hy_op_hook: tuple[Callable[[str, str, Any], None], bool] | None = None

    if TYPE_CHECKING:

        @overload
        def __call__(self, x: Operand, /, *args: Any) -> Operand: ...

        @overload
        def __call__(self, *args: Any) -> Any: ...

        def __call__(self, *args: Any) -> Any:
            """Return the result on arrays or symbols."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "is_plain" not in cls.__dict__:
            # Computed once for each class: `_run` asks in every call.
            # A decorator, such as use_np, may have wrapped what a class inherits.
            own_forward = unwrap(cls.forward) is not HybridBlock.forward
            inherited = unwrap(cls.hybrid_forward) is HybridBlock.hybrid_forward
            cls.is_plain = own_forward and inherited

    def __init__(
        self, prefix: str | None = None, params: ParameterDict | None = None, **unknown: Never
    ) -> None:
        self._hy_traces = TraceCache()
        super().__init__(prefix=prefix, params=params, **unknown)
        self._flags: list[tuple[str, Any]] = []
        self._hy_backends: list[Choice] = []

    def __getstate__(self) -> dict[str, Any]:
        # Programs belong to this process, and to the parameters that a copy has not.
        # Traces hold compiled programs and locks, which neither pickle nor belong to a copy's
        # parameters.
        return {**self.__dict__, "_hy_traces": self._hy_fresh_traces(), "_hy_hooked": _UNKNOWN}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What MXNet pickled holds none of these.
        none = {
            "_hy_traces": TraceCache(),
            "_hy_backends": [],
        }
        super().__setstate__(none | state)

    def _hy_child_set(self) -> None:
        # A new child invalidates the traces of this block, in which the old one is inlined; once
        # more after register_child, as a thread may have traced the child that was replaced.
        self._clear_cached_op()

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Add ``block``, which must be a HybridBlock, as a child.

        Raises:
            StructureError: ``block`` is not a HybridBlock.
        """
        candidate: object = block
        if not isinstance(candidate, Block):
            raise no_block(self.name, candidate)
        if not isinstance(candidate, HybridBlock):
            raise not_hybrid(block.name, type(block).__name__)
        super().register_child(block, name)
        self._clear_cached_op()

    def hybridize(
        self,
        active: bool = True,
        backend: str | None = None,
        clear: bool = True,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        backend_opts: Mapping[str, Any] | None = None,
        *,
        mirror: bool = False,
        donate_argnums: int | Sequence[int] = (),
        **kwargs: Any,
    ) -> None:
        """Run the block as a traced graph from the next call on, or stop doing so.

        Args:
            active: Whether to run as a graph.
            backend: Name of a backend that optimizes the graph for prediction; in training mode the
                traced graph runs. See :mod:`hy_symbol.backends`.
            clear: Drop earlier backends; otherwise this backend gets the graph that they optimized.
            static_alloc: Required by ``static_shape``, as in MXNet; no other effect, as memory of
                intermediate values is always reused between calls.
            static_shape: Expect the same shapes in every call; others still work. Programs are
                captured if the kernel table can, as on CUDA devices; ``explain`` reports that.
            inline_limit: Has no effect: children are always part of the block's program.
            forward_bulk_size: Has no effect.
            backward_bulk_size: Has no effect.
            backend_opts: Options of the backend.
            mirror: Recompute cheap values, such as activations, in the backward pass if that saves
                memory.
            donate_argnums: Positions of arguments that the caller does not use after a call, as in
                ``jax.jit``: predictions may overwrite their arrays, and return results in their
                memory. So a decoder writes keys and values into its cache, not into a copy of it.
            kwargs: Further options of the backend.

        Raises:
            BackendError: There is no such backend, or it cannot run here.
            BlockError: An option is unknown or wrong, or ``static_shape`` is set without
                ``static_alloc``.
        """
        choice = select_backend(backend, backend_opts, kwargs, _FLAGS)
        for key in kwargs:
            raise BlockError(
                f"hybridize: unknown option {key!r}; known: {', '.join(_FLAGS)}{hint(key, _FLAGS)}"
            )
        if static_shape and not static_alloc:
            raise BlockError("hybridize: static_shape=True needs static_alloc=True")
        bulk_sizes = forward_bulk_size, backward_bulk_size
        donated = argnums_of(donate_argnums)
        values = (static_alloc, static_shape, inline_limit, *bulk_sizes, mirror or None, donated)
        flags_set = zip(_FLAGS, values, strict=True)
        # The whole tree under one lock: no thread traces a net of which one half is hybridized
        # again.
        with setup_lock():
            self._active = active
            self._flags = [(name, value) for name, value in flags_set if value is not None]
            self._hy_backends = [*(() if clear else self._hy_backends), *choice]
            self._clear_cached_op()
            # Children get the flags, too, but not the backend: the outermost graph holds theirs.
            flags = {name: x for name, x in self._flags if name != "donate_argnums"}
            for child in self._children.values():
                child.hybridize(active, **flags)

    def optimize_for(
        self,
        x: Any,
        *args: Any,
        backend: str | None = None,
        clear: bool = False,
        backend_opts: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Hybridize the block with a backend, and trace and optimize its graph without running it.

        :meth:`export` then writes the optimized graph.

        Args:
            x: Array with the shape and dtype of the block's first argument.
            args: Further arguments of a call.
            backend: Name of the backend.
            clear: Drop earlier backends; otherwise this backend gets the graph that they optimized.
            backend_opts: Options of the backend.
            kwargs: See :meth:`hybridize`.

        Raises:
            BackendError: There is no such backend, or it cannot run here.
            BlockError: ``backend`` is missing, or an option of :meth:`hybridize` is invalid.
        """
        if backend is None:
            known = ", ".join(known_backends())
            raise BlockError(f"optimize_for: say for which backend; known are {known}")
        # Traced under the lock, so that no call of another thread runs a graph before the backend
        # has it.
        with setup_lock():
            self.hybridize(True, backend, clear, backend_opts=backend_opts, **kwargs)
            prepared(self, (x, *args))

    def cast(self, dtype: object) -> None:
        """Cast all parameters to ``dtype``, in which the block then computes.

        Concurrent calls of a hybridized block see all parameters before or all after the cast.
        """
        with setup_lock():
            self._clear_cached_op()
            super().cast(dtype)

    def _clear_cached_op(self) -> None:
        """Drop all traces; calls in progress keep using theirs."""
        # A new cache rather than a cleared one: calls in other threads go on with the old one.
        self._hy_traces = self._hy_fresh_traces()
        self._hy_hooked = _UNKNOWN

    def _hy_fresh_traces(self) -> TraceCache:
        return TraceCache()

    def _hy_variant(self) -> Hashable:
        """Return a key that distinguishes graphs beyond the arguments; None by default.

        Subclasses whose graph depends on other settings override this.
        """
        return None

    # --- tracing ----------------------------------------------------------------------------

    def _get_graph(self, *args: Any) -> tuple[list[Symbol], Symbol]:
        """Return the traced graph for arguments: input symbols, and the outputs as a group."""
        with setup_lock():
            traced = graph_of(self, args)
            if traced is not self._hy_traces.latest:
                self._hy_traces.latest = traced
            assert traced.graph
            return traced.graph

    def _hy_graph_params(self, graph: TracedGraph) -> dict[str, Parameter]:
        """Return the parameters by name; raise an error for other variables of the graph."""
        params = ParameterDict()
        self._hy_add_params(params)
        return graph_params(self.name, dict(params.items()), graph)

    def _call_cached_op(self, *args: Any) -> Any:
        # Read once: another thread may put a new cache here at any time.
        traces = self._hy_traces
        data, guards = self._hy_guards(traces, args)
        latest = traces.latest
        # The same guards as in the last call skip the lookup; hybridized loops repeat them.
        again = latest.guards == guards and latest.op is not None and not traces.by_types
        traced = latest if again else traces.find(guards, data)
        arrays = None if traced is None else traced.inputs.known(data, data[0].context)
        if traced is None or arrays is None:
            traced, arrays = prepared(self, args)
        assert traced.op is not None
        try:
            out = traced.op(*arrays)
        # A trace for any shapes assumed no broadcasting; these operands may need it, so trace for
        # their shapes.
        except ShapeError:
            if not traced.compared or traced.guards.types is not None:
                raise
            return retraced(self, args)
        return out if traced.out_format == 0 and not traced.classic else traced.regrouped(out)

    def _hy_hooked_below(self) -> bool:
        """Return whether a descendant has a hook; it then must be called, not run in a graph."""
        # Walking the tree takes longer than a small net; the version says whether any hook changed.
        version, hooked = self._hy_hooked
        now = hooks.version()
        if version != now:
            hooked = any(map(hooks.has_hooks, self._children.values()))
            self._hy_hooked = now, hooked
        return hooked

    def _hy_guards(self, traces: TraceCache, args: Sequence[Any]) -> tuple[Sequence[Any], Key]:
        """Return the arrays in a call's arguments, and the call's guards without types.

        Raises:
            StructureError: An argument is not an array, or does not match a given (fixed) graph.
            Untraceable: An argument is not an array, and the block overrides ``forward``.
        """
        # A graph that was given (SymbolBlock, `_edit`) is right for every call.
        if traces.fixed is not None:
            return self._hy_data_of(traces.fixed, args), ANY
        # Without nesting the classes alone are the structure: this saves `flatten` in nearly every
        # call.
        structure: Structure = (type(args[0]),) if len(args) == 1 else tuple(map(type, args))
        data = args
        if not are_arrays(structure):
            try:
                data, structure = arguments(args)
            except StructureError as error:
                if not self.is_plain:
                    raise
                refused = TracingError(str(error)).with_traceback(error.__traceback__)
                raise Untraceable(traces, refused) from error
        policy = casting_policy()
        key = None if policy is None else key_of(policy)
        # A plain forward may ask is_training(), so it has a graph for each mode; hybrid_forward
        # reads it in operators.
        training = autograd.is_training() if self.is_plain else None
        return data, (structure, self._hy_variant(), key, training, None)

    def _hy_run(self, *args: Any) -> Any:
        if not (self.is_plain and self._active) or self._hy_hooked_below():
            return self.forward(*args)
        if self._hy_traces.why_eager is not None:
            return self.forward(*args)
        # Inside the trace of an outer block: add nodes to that graph, under this block's scope
        # path.
        if current_trace() is not None:
            with entered(self):
                return self.forward(*args)
        if not isinstance(first_operand(args), NDArray):
            return self.forward(*args)
        # The exception is kept, and the block runs outside of the handler: errors of the eager run
        # must not carry the tracing error as their context.
        try:
            return self._call_cached_op(*args)
        except Untraceable as error:
            failure = error
        out = self.forward(*args)
        failure.stop_tracing(self.name)
        return out

    def _hy_data_of(self, trace: Trace, args: Sequence[Any]) -> Sequence[NDArray]:
        """Return the arrays in arguments, which must be nested as in the trace."""
        flat, form = flatten(args, "input")
        # MXNet takes arguments left out at the end for None.
        if form != trace.in_format and without_last_none(form) != without_last_none(
            trace.in_format
        ):
            raise StructureError(
                f"{self.name}: the arguments have the structure {form}, but the block was traced "
                f"with {trace.in_format}; call hybridize() again to retrace"
            )
        return [x for x in flat if x is not None]

    def explain(self, *args: Any, profile: bool = False) -> Explanation:
        """Return a report of how the hybridized block runs on these arguments.

        Runs the block once. Inside ``autograd.record()`` the report covers the forward and the
        backward program, otherwise the prediction program.

        Args:
            args: Arguments to call the block with.
            profile: Run the block a few more times, on copies, and report the time of each step.

        Returns:
            Steps, fusions, buffers and sizes in bytes; printed as a table.

        Raises:
            BlockError: The block is not hybridized, or cannot be traced.

        Example:
            >>> from hy_gluon import nn
            >>> net = nn.Dense(2, in_units=3, prefix="net_")
            >>> net.initialize()
            >>> net.hybridize()
            >>> [row.nodes for row in net.explain(nd.ones((1, 3))).rows]
            [('net_fwd',)]
        """
        return explain_block(self, args, profile)

    # --- running ----------------------------------------------------------------------------

    @overridable
    def forward(self, x: Any, *args: Any) -> Any:
        """Return the output on arrays or symbols; hybridized blocks run their trace on arrays.

        Raises:
            StructureError: The arguments contain neither arrays nor symbols.
        """
        one = x if isinstance(x, _OPERANDS) else first_operand((x, *args))
        other = _OTHER.get(type(one), ())
        # A list, not any(): a generator costs more than the usual one or two arguments.
        if args and [arg for arg in args if isinstance(arg, other)]:
            raise TracingError(f"{self.name}: the arguments mix NDArrays and Symbols")
        if isinstance(one, NDArray):
            if self._active and not self._hy_hooked_below():
                return self._call_cached_op(x, *args)
            ctx = one.context
            params = self._hy_own_arrays(ctx, x, *args) if self._reg_params else {}
            if isinstance(one, np.ndarray):
                params = {name: array.as_np_ndarray() for name, array in params.items()}
            return self.hybrid_forward(nd, x, *args, **params)
        if isinstance(one, Symbol):
            variables = {name: p.var() for name, p in self._reg_params.items()}
            if isinstance(one, NumpySymbol):
                variables = {name: v.as_np_ndarray() for name, v in variables.items()}
            with self.name_scope(), entered(self):
                return self.hybrid_forward(sym, x, *args, **variables)
        raise no_operand(self.name, x)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the output, computed with operators of ``F``; subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} must define forward or hybrid_forward")

    # --- files and hooks --------------------------------------------------------------------

    def export(
        self, path: str, epoch: int = 0, remove_amp_cast: bool = True
    ) -> tuple[str, str | None]:
        """Write the graph to ``path-symbol.json`` and the parameters to ``path-0000.params``.

        Both files are replaced atomically, as a pair. MXNet 1.9.1 and :meth:`SymbolBlock.imports`
        can load them. A single input is named ``data``, several ``data0``, ``data1`` …; the nesting
        of arguments and results is restored when hy imports the files. With a backend that rewrites
        graphs, the optimized prediction graph is written; regions run by an engine are written as
        their original operators.

        Args:
            path: Prefix of the two file names.
            epoch: Number in the name of the parameter file.
            remove_amp_cast: Omit casts inserted by mixed precision.

        Returns:
            The two file names.

        Raises:
            BlockError: The block has not been traced yet.
        """
        return export(self, path, epoch, remove_amp_cast)

    def _hy_graph_description(self) -> dict[str, Any]:
        latest = self._hy_traces.latest
        if not (self._active and latest.graph):
            return {"hybridized": False}
        inputs, out = latest.graph
        return {
            "hybridized": True,
            "in_format": latest.in_format,
            "out_format": latest.out_format,
            # Symbols are written whole: MXNet's model files hold the JSON of graphs as text.
            "inputs": [symbol.tojson() for symbol in inputs],
            "symbol": out.tojson(),
        }

    def _hy_to_export(self) -> tuple[Symbol, dict[str, NDArray]]:
        """Return the prediction graph, and its parameters' values by name."""
        return predicting(self)

    def register_op_hook(
        self, callback: Callable[[str, str, Any], None], monitor_all: bool = False
    ) -> None:
        """Call ``callback(tensor_name, operator_name, array)`` after each operator, if hybridized.

        Args:
            callback: Called with each output (and, with ``monitor_all``, each input).
            monitor_all: Also call ``callback`` with inputs.
        """
        with setup_lock():
            self._hy_op_hook = (callback, monitor_all)
            for traced in self._hy_traces:
                if traced.op is not None:
                    traced.op.monitor(callback, monitor_all)
        super().register_op_hook(callback, monitor_all)
