"""HybridBlock: a block that runs operator by operator, or as one traced graph."""

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
)


class HybridBlock(Handmade, Block, DeferredParameters):
    """Base class of blocks whose computation works on arrays and on symbols.

    Subclasses define ``hybrid_forward(F, x, *args, **params)``, where ``F`` is the namespace of
    operators (on arrays or on symbols) and parameters arrive by their attribute names; or plain
    ``forward(x, *args)`` with operators of ``nd``. After :meth:`hybridize` the first call traces
    it into a graph, which later calls run. Where the code reads a shape, there is a graph for each
    shape it is called with; a plain ``forward`` that cannot be traced runs as it is, and a warning
    says why.

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
    """Whether the class defines ``forward`` and no ``hybrid_forward``."""
    _active = False
    _hy_hooked = _UNKNOWN
    _hy_op_hook: tuple[Callable[[str, str, Any], None], bool] | None = None

    if TYPE_CHECKING:

        @overload
        def __call__(self, x: Operand, /, *args: Any) -> Operand: ...

        @overload
        def __call__(self, *args: Any) -> Any: ...

        def __call__(self, *args: Any) -> Any:
            """Return the result on arrays or symbols; a single one has the argument's class."""

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
        """Make ``block``, which must be a HybridBlock, a child.

        Raises:
            StructureError: It is not.
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
        **kwargs: Any,
    ) -> None:
        """Run as a traced graph from the next call on; with ``active=False`` no longer.

        Args:
            active: On or off.
            backend: Name of a backend that makes a faster graph for prediction; in training mode
                the traced graph runs. See :mod:`hy_symbol.backends`.
            clear: Forget the backends named before; else this one gets what they made.
            static_alloc: What ``static_shape`` needs, as in MXNet; the memory of values inside of
                the net is kept between calls without it, too.
            static_shape: Expect the same shapes in every call; others still work. Programs are
                captured where the kernel table can, on CUDA devices; ``explain`` says whether.
            inline_limit: Has no effect: a graph is one program with all its children anyway.
            forward_bulk_size: Has no effect.
            backward_bulk_size: Has no effect.
            backend_opts: Options of the backend.
            mirror: In the backward pass compute cheap values again, such as those of activations,
                where that saves memory.
            kwargs: Options of the backend as well.

        Raises:
            BackendError: There is no such backend, or it cannot run here.
            BlockError: An option is unknown, or ``static_shape`` comes without ``static_alloc``.
        """
        choice = select_backend(backend, backend_opts, kwargs, _FLAGS)
        for key in kwargs:
            raise BlockError(
                f"hybridize: unknown option {key!r}; known: {', '.join(_FLAGS)}{hint(key, _FLAGS)}"
            )
        if static_shape and not static_alloc:
            raise BlockError("hybridize: static_shape=True needs static_alloc=True")
        bulk_sizes = forward_bulk_size, backward_bulk_size
        values = (static_alloc, static_shape, inline_limit, *bulk_sizes, mirror or None)
        flags_set = zip(_FLAGS, values, strict=True)
        # The whole tree under one lock: no thread traces a net of which one half is hybridized
        # again.
        with setup_lock():
            self._active = active
            self._flags = [(name, value) for name, value in flags_set if value is not None]
            self._hy_backends = [*(() if clear else self._hy_backends), *choice]
            self._clear_cached_op()
            # Children get the flags, too, but not the backend: the outermost graph holds theirs.
            for child in self._children.values():
                child.hybridize(active, **dict(self._flags))

    def optimize_for(
        self,
        x: Any,
        *args: Any,
        backend: str | None = None,
        clear: bool = False,
        backend_opts: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Trace the block and pass its graph to a backend without running it, and hybridize it.

        :meth:`export` writes what the backend made.

        Args:
            x: An array of the shape and dtype that the block will be called with.
            args: Further arguments of such a call.
            backend: Name of the backend.
            clear: Forget the backends named before; else this one gets what they made.
            backend_opts: Options of the backend.
            kwargs: As for :meth:`hybridize`.

        Raises:
            BackendError: There is no such backend, or it cannot run here.
            BlockError: ``backend`` is left out, or an option of :meth:`hybridize` is wrong.
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
        """Cast all parameters, and the computation, to ``dtype``.

        A hybridized block that another thread calls meanwhile gives what it gave before, or what
        it gives afterwards.
        """
        with setup_lock():
            self._clear_cached_op()
            super().cast(dtype)

    def _clear_cached_op(self) -> None:
        """Drop the traces; calls that have begun keep theirs."""
        # A new cache rather than a cleared one: calls in other threads go on with the old one.
        self._hy_traces = self._hy_fresh_traces()
        self._hy_hooked = _UNKNOWN

    def _hy_fresh_traces(self) -> TraceCache:
        return TraceCache()

    def _hy_variant(self) -> Hashable:
        """Return the key that distinguishes a block's graphs for the same arguments."""
        return None

    # --- tracing ----------------------------------------------------------------------------

    def _get_graph(self, *args: Any) -> tuple[list[Symbol], Symbol]:
        """Return the traced graph: symbols of the arguments, and a group of the outputs."""
        with setup_lock():
            traced = graph_of(self, args)
            if traced is not self._hy_traces.latest:
                self._hy_traces.latest = traced
            assert traced.graph
            return traced.graph

    def _hy_graph_params(self, graph: TracedGraph) -> dict[str, Parameter]:
        """Return parameters by name; refuse variables that are neither inputs nor parameters."""
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
        """Return whether a descendant has a hook, which only its own call runs."""
        # Walking the tree takes longer than a small net; the version says whether any hook changed.
        version, hooked = self._hy_hooked
        now = hooks.version()
        if version != now:
            hooked = any(map(hooks.has_hooks, self._children.values()))
            self._hy_hooked = now, hooked
        return hooked

    def _hy_guards(self, traces: TraceCache, args: Sequence[Any]) -> tuple[Sequence[Any], Key]:
        """Return the arrays in a call's arguments, and its guards without types.

        Raises:
            StructureError: Something else is among them, or a graph that is given takes others.
            Untraceable: The same, of a plain forward.
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
        """Return the arrays in arguments, which must be nested as when traced."""
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
        """Return an explanation of how the hybridized block runs on these arguments.

        The block runs once. Inside ``autograd.record()`` the forward and the backward program are
        explained, outside of it the one for prediction.

        Args:
            args: What the block is called with.
            profile: Run it a few times more, on copies, and report the time of each step.

        Returns:
            The steps, which of them are fused, the buffers and bytes; its text is a table.

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
        """Return the output on arrays (by the trace, once hybridized) or symbols.

        Raises:
            StructureError: Neither arrays nor symbols are among the arguments, or both.
        """
        one = x if isinstance(x, _OPERANDS) else first_operand((x, *args))
        other = _OTHER.get(type(one), ())
        # A list, not any(): a generator costs more than the usual one or two arguments.
        if [arg for arg in args if isinstance(arg, other)]:
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
        """Return the output, computed with operators of ``F``; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward or hybrid_forward")

    # --- files and hooks --------------------------------------------------------------------

    def export(
        self, path: str, epoch: int = 0, remove_amp_cast: bool = True
    ) -> tuple[str, str | None]:
        """Write the graph to ``path-symbol.json`` and the parameters to ``path-0000.params``.

        A crash leaves both as they were, or both new. MXNet 1.9.1 loads both, and so does
        :meth:`SymbolBlock.imports`. A single input is called ``data``, several ``data0``, ``data1``
        …; nested arguments and results are nested again in what hy imports. Of a block with a
        backend that rewrites graphs that is the graph for prediction; parts that an engine runs are
        written as the operators they were.

        Args:
            path: Prefix of the two file names.
            epoch: Number in the second name.
            remove_amp_cast: Leave out casts that mixed precision put in.

        Returns:
            The two file names.

        Raises:
            BlockError: The block was not traced yet.
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
        """Return the prediction graph, and the values of its parameters."""
        return predicting(self)

    def register_op_hook(
        self, callback: Callable[[str, str, Any], None], monitor_all: bool = False
    ) -> None:
        """Call ``callback(tensor_name, operator_name, array)`` after operators, once hybridized.

        Args:
            callback: Called with each output; and each input too, with ``monitor_all``.
            monitor_all: Inputs as well.
        """
        with setup_lock():
            self._hy_op_hook = (callback, monitor_all)
            for traced in self._hy_traces:
                if traced.op is not None:
                    traced.op.monitor(callback, monitor_all)
        super().register_op_hook(callback, monitor_all)
