"""CachedOp: a traced graph that is called and differentiated like an operator."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

import hy_ndarray
from hy_gluon.execution._linked import draws, linked_backward, plain_programs
from hy_ndarray import (
    ArgumentError,
    Buffer,
    Device,
    LiftedError,
    NDArray,
    autograd,
    buffers_of,
    current_context,
    in_graph,
    invoke,
    is_followed,
    ops,
)
from hy_symbol import (
    ExecutableCache,
    Explanation,
    InferenceCache,
    Node,
    Pool,
    Saved,
    Symbol,
    explained,
    inlined,
    interpret,
    is_for_tape,
    no_capture,
    node_outputs,
    run_on_tape,
    setup_lock,
    shown_inputs,
)
from hy_symbol.execution.cache import MAX_SIGNATURES, Mode
from hy_symbol.execution.gradient_buffers import lie_apart
from hy_symbol.execution.own_programs import OwnPrograms, RunOptions, Training
from hy_symbol.execution.recent import Recent
from hy_symbol.execution.tiers import WHY_INTERPRETED, Tier
from hy_symbol.executor.loops import has_long_loops

__all__ = ["CachedOp"]

_Signature: TypeAlias = tuple[Any, ...]


class CachedOp:
    """Runs a symbol's graph on arrays, compiled for each signature of the inputs.

    Programs are compiled on first use for each signature (shapes and dtypes) of the inputs: one for
    prediction, one for training, and a forward and backward pair where gradients are recorded.
    Calls are thread-safe.

    Args:
        sym: The graph; it takes one array per input of ``sym.list_inputs()``.
        flags: Options of ``hybridize`` as pairs; ``data_indices`` names the positions of inputs
            whose shape may change between calls (all, if it is not given); with ``mirror`` cheap
            values are computed again in the backward pass rather than saved; ``kind`` is the class
            of outputs where there are no inputs; ``donated`` names the positions of inputs that
            predictions may overwrite.
        inference_cache: Results of type inference to reuse, such as those of tracing.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> op = CachedOp(sym.broadcast_add(sym.var("a"), sym.var("b")))
        >>> op(nd.array([1, 2]), nd.array([3, 4])).asnumpy()
        array([4., 6.], dtype=float32)
    """

    def __init__(
        self,
        sym: Symbol,
        flags: Sequence[tuple[str, Any]] = (),
        inference_cache: InferenceCache | None = None,
    ) -> None:
        self.symbol = sym
        self.inference_cache = InferenceCache() if inference_cache is None else inference_cache
        """Shared by all signatures: nodes that depend on fixed inputs only are inferred once."""
        self.flags = dict(flags)
        self._donated: tuple[int, ...] = tuple(self.flags.get("donated", ()))
        self._cache = ExecutableCache.of(
            sym.graph, self.flags.get("data_indices", ()), self._donated
        )
        count = len(self._cache.variables)
        self.varying: tuple[int, ...] = tuple(self.flags.get("data_indices", range(count)))
        """Positions of the inputs whose shape may change between calls."""
        self._first = self.varying[0] if self.varying else 0  # its class is that of the outputs
        self._plans: Recent[_Signature, OwnPrograms] = Recent(MAX_SIGNATURES)
        self._monitor: tuple[Callable[[str, str, NDArray], None], bool] | None = None
        self._options = RunOptions(
            Pool(),
            fixed=[i for i in range(count) if i not in self.varying],
            is_static=bool(self.flags.get("static_alloc") and self.flags.get("static_shape")),
            mirror=bool(self.flags.get("mirror")),
        )
        self._count = count
        self._single = len(sym.graph.outputs) == 1
        self._by_steps = has_long_loops(sym.graph)
        """Whether the graph has loops that run step by step instead of being unrolled."""

    def __call__(self, *args: NDArray, out: Any = None, device: Device | None = None) -> Any:
        """Return the output array, or a list of outputs, for one array per input.

        Args:
            args: One array per input.
            out: An array, or one array per output in a list, to write the outputs to and return.
            device: Device to run on; if None, the one that serves the context of the arrays.

        Raises:
            ArgumentError: The number of arrays in ``args`` or ``out`` differs from the graph's.
            ShapeError, DTypeError: Arrays do not match the graph; names the node.
            ContextError: The arrays are on different devices.
        """
        # Rare cases leave first; what follows is the path of every call, without loops over all
        # arguments.
        if out is not None or len(args) != self._count or self._by_steps:
            return self._written(args, out)
        # Only inputs can be sparse; parameters of such a storage make no program.
        for i in self.varying:
            if args[i].stype != "default":  # programs hold dense arrays alone
                return self._with_sparse(args)
        try:
            # One call takes all buffers: under the table of this thread, handed over where another
            # owns them.
            device, buffers = buffers_of(args, device)
            # Types of the varying inputs are the key of plans. A list inside of tuple() is faster
            # than a generator.
            signature = tuple([(buffers[i].shape, buffers[i].dtype) for i in self.varying])
            plans = self._plans.get(signature) or self._new_plans(args, signature)
            if self._monitor is not None:
                return self._monitored(plans.executables.cache, args, *self._monitor)
            if autograd.is_recording():
                mask = in_graph(args)
                # ``in`` on a tuple of bools beats any().
                if True in mask:
                    return self._recorded(plans, args, buffers, device, mask)
            if self._donated:
                values = self._run_donated(plans, device, buffers)
            else:
                values = plans.program(device, autograd.is_training()).run(buffers)
        # vmap, grad and jvp need each operator on its own, as the eager call has it.
        except LiftedError:
            return self._on_tape(args)
        kind = type(args[self._first]) if args else self._kind_of(args)
        outputs = [kind.from_buffer(value, device) for value in values]
        return outputs[0] if self._single else outputs

    def _run_donated(
        self, plans: OwnPrograms, device: Device, buffers: list[Buffer]
    ) -> tuple[Buffer, ...]:
        """Run where the program may overwrite inputs.

        Raises:
            ArgumentError: A donated input shares memory with another input.
        """
        memory = device.memory
        # Weights are not compared: there are many, and nobody donates one by mistake.
        if not lie_apart([(*memory.span(buffers[i]), i in self._donated) for i in self.varying]):
            names = self.symbol.list_inputs()
            donated = ", ".join(names[i] for i in self._donated)
            raise ArgumentError(
                f"donate_argnums: an array that may be overwritten ({donated}) shares its memory "
                "with another input; pass a copy"
            )
        written = [memory.contiguous(buffers[i]) for i in self._donated]
        for i, buffer in zip(self._donated, written, strict=True):
            buffers[i] = buffer
        try:
            return plans.program(device, autograd.is_training()).run(buffers)
        # What was packed of these buffers is packed again.
        finally:
            device.wrote(*written)

    def _kind_of(self, args: Sequence[NDArray]) -> type[NDArray]:
        """Return the array class of the outputs: that of the first varying input."""
        return type(args[self._first]) if args else self.flags.get("kind", NDArray)

    def _in_kind(self, outputs: Sequence[NDArray], args: Sequence[NDArray]) -> Any:
        """Return outputs of operators that ran one by one, in the class of the program's outputs.

        An operator returns the class of its first operand, and arrays that a graph creates, such
        as ``F.np.ones``, are classic.
        """
        if issubclass(self._kind_of(args), hy_ndarray.np.ndarray):
            outputs = [x.as_np_ndarray() for x in outputs]
        return outputs[0] if self._single else outputs

    def _written(self, args: Sequence[NDArray], out: Any) -> Any:
        """Handle rare calls: with ``out``, a wrong number of inputs, or step-by-step loops."""
        if len(args) != self._count:
            names = ", ".join(self.symbol.list_inputs())
            raise ArgumentError(f"CachedOp: {len(args)} arrays for {self._count} inputs: {names}")
        if out is None:
            return self._on_tape(args)
        targets = out if isinstance(out, list | tuple) else [out]
        outputs = len(self.symbol.graph.outputs)
        if len(targets) != outputs or not all(isinstance(x, NDArray) for x in targets):
            raise ArgumentError(f"CachedOp: out={out!r} is not {outputs} arrays for the outputs")
        result = self(*args)
        for target, value in zip(targets, [result] if self._single else result, strict=True):
            # `_copy` records the write, so that gradients flow through ``out``.
            invoke(ops.find("_copy"), (value,), {}, out=target)
        return out

    def _with_sparse(self, args: Sequence[NDArray]) -> Any:
        """Run on sparse inputs operator by operator; control flow gets dense copies instead."""
        if not is_for_tape(self._cache.graph, args):
            return self(*(x.tostype("default") for x in args))
        return self._on_tape(args)

    def _on_tape(self, args: Sequence[NDArray]) -> Any:
        return self._in_kind(run_on_tape(self._cache.graph, args), args)

    def _new_plans(self, args: Sequence[NDArray], signature: _Signature) -> OwnPrograms:
        """Return the programs of a signature, created under the setup lock if missing."""
        # Double-checked: the usual call finds plans without the lock.
        with setup_lock():
            plans = self._plans.get(signature)
            if plans is None:
                known = tuple([(array.shape, np.dtype(array.dtype).name) for array in args])
                plans = OwnPrograms(self._cache.at(known, self.inference_cache), self._options)
                self._plans.add(signature, plans)
            return plans

    def explain(self, *args: NDArray, profile: bool = False) -> Explanation:
        """Return a table of how the graph runs on these arrays.

        While gradients are recorded, it covers the forward and the backward program.

        Args:
            args: One array per input.
            profile: Also run the graph a few times, on copies, and report the time of each step.

        Raises:
            ShapeError, DTypeError: Arrays do not match the graph; names the node.
        """
        device, buffers = buffers_of(args)
        signature = tuple([(buffers[i].shape, buffers[i].dtype) for i in self.varying])
        plans = self._plans.get(signature) or self._new_plans(args, signature)
        is_train = autograd.is_training()
        mask = in_graph(args)
        if autograd.is_recording() and True in mask:
            mode = device, is_train, mask
            tier, why = Tier.COMPILED, None
            if mode not in plans.training:
                tier, why = Tier.INTERPRETED, WHY_INTERPRETED
            both = plans.differentiable(mode)
            explanation = explained(both.programs, buffers if profile else None)
            if explanation.tier is None:
                explanation = replace(explanation, tier=tier, why=why)
        else:
            program = plans.program(device, is_train)
            explanation = explained(program, buffers if profile else None)
        if explanation.why is not None or explanation.tier is not Tier.COMPILED:
            return explanation
        if self._options.is_static:
            return replace(explanation, why=no_capture(device))
        is_offered = no_capture(device) is None
        return replace(explanation, why="shapes are not static" if is_offered else None)

    # --- watching ---------------------------------------------------------------------------

    @property
    def is_watched(self) -> bool:
        """Return whether a monitor is set, so that the graph runs operator by operator."""
        return self._monitor is not None

    def monitor(
        self, callback: Callable[[str, str, NDArray], None], monitor_all: bool = False
    ) -> None:
        """Pass each operator's output to ``callback`` from now on; calls run uncompiled.

        Args:
            callback: Takes the tensor's name, the operator's name, and the array.
            monitor_all: Also pass the inputs of each operator.
        """
        with setup_lock():
            self._monitor = (callback, monitor_all)
            # A callback gets the nodes of every iteration, which a loop that runs step by step has
            # not.
            self._by_steps = False

    def _monitored(
        self,
        cache: ExecutableCache,
        args: Sequence[NDArray],
        callback: Callable[[str, str, NDArray], None],
        every: bool,
    ) -> Any:
        context = args[0].context if args else current_context()
        is_train = autograd.is_training()

        def compute(node: Node, inputs: list[NDArray]) -> Sequence[NDArray]:
            assert node.op is not None
            if every:
                for name, array in zip(shown_inputs(node), inputs, strict=True):
                    callback(name, node.op.name, array)
            results = node_outputs(node, inputs, context, is_train)
            for i, y in enumerate(results[: node.num_visible]):
                callback(node.output_name(i), node.op.name, y)
            return results

        return self._interpreted(cache, args, compute)

    def _interpreted(
        self,
        cache: ExecutableCache,
        args: Sequence[NDArray],
        compute: Callable[[Node, list[NDArray]], Sequence[NDArray]],
    ) -> Any:
        """Return the outputs, with ``compute`` called for each node and recorded."""
        if self._kind_of(args) is not NDArray:
            args = [x.as_np_ndarray() for x in args]
        values = {(node, 0): array for node, array in zip(cache.variables, args, strict=True)}
        graph = inlined(cache.graph) if autograd.is_recording() else cache.graph
        interpret(graph.nodes, values, compute, set(graph.outputs))
        return self._in_kind([values[entry] for entry in graph.outputs], args)

    # --- gradients --------------------------------------------------------------------------

    def _recorded(
        self,
        plans: OwnPrograms,
        args: Sequence[NDArray],
        buffers: Sequence[Buffer],
        device: Device,
        mask: tuple[bool, ...],
    ) -> Any:
        mode = device, autograd.is_training(), mask
        # Random operators under a transform: the tape keeps the drawn numbers for the derivative.
        if is_followed() and draws(self._cache.graph, mode[1]):
            return self._on_tape(args)  # which keeps what was drawn
        training = plans.training.get(mode)
        if training is None:
            if plans.records_first_pass(mode):
                context, is_train = args[0].context, mode[1]
                record = partial(node_outputs, ctx=context, is_train=is_train)
                return self._interpreted(plans.executables.cache, args, record)
            training = plans.differentiable(mode)
        # Saved values live in the pool until the backward pass frees them.
        values, saved = training.programs.run(buffers)
        kind = type(args[self._first])
        outputs = [kind.from_buffer(value, device) for value in values]
        backward = self._backward(plans.executables.cache, training, mode, args, buffers, saved)
        # Outputs that depend on no recorded input are constants for autograd.
        linked = [*map(outputs.__getitem__, training.recorded)]
        autograd.record_function(args, linked, backward, is_program=True)
        return outputs[0] if self._single else outputs

    def _backward(
        self,
        cache: ExecutableCache,
        training: Training,
        mode: Mode,
        args: Sequence[NDArray],
        buffers: Sequence[Buffer],
        saved: Saved,
    ) -> Callable[..., Sequence[NDArray | None]]:
        kind, device, total = type(args[self._first]), mode[0], len(args)
        programs, memory, recorded = training.programs, training.gradients, training.recorded
        count = len(programs.parts.outputs)

        def backward(
            head_grads: Sequence[NDArray], last: bool, targets: Sequence[NDArray | None]
        ) -> Sequence[NDArray | None]:
            dys = dict(zip(recorded, head_grads, strict=True))
            # create_graph=True: the gradients themselves are recorded, so they must be operators.
            if autograd.is_recording():
                return linked_backward(cache, plain_programs(cache, mode), args, dys)
            try:
                head_buffers = buffers_of(head_grads, device)[1]
            except LiftedError:  # a transform follows the gradients
                return linked_backward(cache, plain_programs(cache, mode), args, dys)
            positions = programs.parts.targets
            # Gradients are written, or added, where they accumulate: no second pass over them.
            accumulated = [*map(targets.__getitem__, positions)]
            outs = memory.of(accumulated, buffers, head_buffers)
            heads: Sequence[Buffer | None] = head_buffers
            # Missing head gradients are zero; None spares allocating them.
            if len(dys) < count:
                of_output = dict(zip(recorded, head_buffers, strict=True))
                heads = [of_output.get(k) for k in range(count)]
            values = programs.gradients(heads, buffers, saved, last=last, out=outs.out)
            gradients: list[NDArray | None] = [None] * total
            for k, (i, value) in enumerate(zip(positions, values, strict=True)):
                if isinstance(value, NDArray):  # a sparse one
                    gradients[i] = value
                # A value in its own array is in place already; wrapping it would lose that array's
                # identity.
                elif outs.out and (value is outs.out[k] or memory.is_there(value, outs, k)):
                    gradients[i] = accumulated[k]
                else:
                    gradients[i] = kind.from_buffer(value, device)
            return gradients

        return backward
