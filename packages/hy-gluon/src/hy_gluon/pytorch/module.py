"""BlockModule: a Gluon block as a PyTorch module."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from hy_gluon._errors import BlockError, StructureError, TracingError
from hy_gluon.block import HybridBlock
from hy_gluon.parameter import Parameter
from hy_gluon.pytorch.function import GraphFunction
from hy_gluon.pytorch.mapping import has_tangents
from hy_gluon.pytorch.tensors import array_of, mapped, tensor_of, torch_device
from hy_gluon.trace.cache import Trace
from hy_gluon.trace.structure import Format, regroup, without_last_none
from hy_gluon.trace.tracer import trace
from hy_ndarray import NDArray, autograd, dtype_name, nd
from hy_symbol import (
    Explanation,
    Graph,
    TypedGraph,
    explained_steps,
    has_open_shapes,
    setup_lock,
    sym,
    with_inferred_shapes,
)

__all__ = ["BlockModule", "module_of"]


class _CompiledForm(NamedTuple):
    """A block's graph as functions of tensors, in one mode, for given shapes or for all."""

    order: tuple[tuple[bool, int], ...]
    """Source of each variable: True and the input's position, or False and the parameter's."""
    learning: GraphFunction
    """Function for inputs that require no gradients."""
    linked: GraphFunction
    """Function for inputs that require gradients."""
    states: tuple[int, ...]
    """Positions of the parameters that the graph updates."""
    in_format: Format
    out_format: Format


class _Called(HybridBlock):
    """Block that calls another one, so that the trace includes what its ``__call__`` adds.

    Recurrent layers create states there.
    """

    def __init__(self, block: HybridBlock) -> None:
        super().__init__(prefix="")
        self.block = block

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **_: Any) -> Any:  # noqa: ARG002
        """Return the result of the inner block."""
        return self.block(x, *args)


class _SharedBlock:
    """A block with its compiled forms, shared by all copies of a module."""

    def __init__(self, block: HybridBlock) -> None:
        self.block = block
        self._called = _Called(block)
        self.by_types = False
        """Whether a graph is valid for given shapes only."""
        self.params: dict[str, Parameter] = block._collect_params_with_prefix()
        self._forms: dict[Any, _CompiledForm] = {}
        self._examples: list[tuple[Any, tuple[bool, ...]]] = []
        """Arguments and modes for which forms were compiled."""

    def __deepcopy__(self, memo: Any) -> "_SharedBlock":
        return self

    # Pickled by its block and example types: kernels and classes made here cannot be pickled.
    def __reduce__(self) -> tuple[Any, ...]:
        return _prepared_source, (self.block, self._examples)

    def form(self, leaves: Sequence[Any], mode: bool) -> _CompiledForm | None:
        """Return the compiled form for tensors and mode, or None."""
        return self._forms.get((mode, *_types(leaves)) if self.by_types else (mode,))

    def prepare(self, args: Any, modes: Sequence[bool]) -> list[Trace]:
        """Trace the block for these arguments in the given modes, and compile the forms."""
        self._examples.append((_example(args), tuple(modes)))
        traces = [self._traced(args, mode) for mode in modes]
        self.by_types |= any(traced.guards.types is not None for traced in traces)
        # Loops and shapes that only inputs tell need one compiled form for each set of types.
        self.by_types |= any(
            traced.graph and has_open_shapes(traced.graph[1].graph) for traced in traces
        )
        leaves = [x for x in _leaves(args) if isinstance(x, NDArray)]
        for mode, traced in zip(modes, traces, strict=True):
            key = (mode, *_types(map(tensor_of, leaves))) if self.by_types else (mode,)
            self._forms[key] = self._compile(traced, leaves, mode)
        return traces

    def _traced(self, args: Any, mode: bool) -> Trace:
        scope = autograd.train_mode() if mode else autograd.predict_mode()
        # Given graphs are used as they are; others are traced in the mode.
        with setup_lock(), scope:
            traced = self.block._hy_traces.fixed or trace(self._called, args)
            if any(p._deferred_init for p in self.params.values()):
                self._called._hy_finish_deferred(*args, graph=traced.graph)
        return traced

    def _compile(self, traced: Trace, leaves: Sequence[NDArray], mode: bool) -> _CompiledForm:
        assert traced.graph
        symbols, out = traced.graph
        params = self._called._hy_graph_params(traced.graph)
        names = [symbol.name for symbol in symbols]
        positions = {id(p): k for k, p in enumerate(self.params.values())}
        graph = self._closed(out.graph, names, params, leaves)
        order, learned, inputs = [], [], []
        for k, node in enumerate(graph.variables):
            if node.name in names:
                order.append((True, names.index(node.name)))
                inputs.append(k)
                continue
            parameter = params[node.name]
            # A constant in the graph would be missing in state_dict.
            if id(parameter) not in positions:
                raise BlockError(f"{self.block.name}: {node.name!r} is no parameter of the block")
            order.append((False, positions[id(parameter)]))
            if parameter.grad_req != "null" and node not in graph.auxiliary:
                learned.append(k)
        learning = GraphFunction(graph, learned, is_train=mode)
        # Two functions, since inputs that need no gradient spare computing theirs.
        linked = GraphFunction(graph, (*learned, *inputs), is_train=mode)
        position = dict(zip(graph.variables, order, strict=True))
        states = tuple(position[node][1] for node, _ in learning.states)
        return _CompiledForm(
            tuple(order),
            learning=learning,
            linked=linked,
            states=states,
            in_format=traced.in_format,
            out_format=traced.out_format,
        )

    def _closed(
        self,
        graph: Graph,
        names: Sequence[str | None],
        params: Mapping[str, Parameter],
        leaves: Sequence[NDArray],
    ) -> Graph:
        """Return the graph with shapes inferred from the inputs, and loops unrolled."""
        if not has_open_shapes(graph):
            return graph
        if not leaves:
            raise TracingError(
                f"to_torch({self.block.name}): its graph depends on the shapes of the inputs; "
                "call it with the inputs as well: to_torch(block, *inputs)"
            )
        known = []
        for node in graph.variables:
            is_input = node.name in names
            one = leaves[names.index(node.name)] if is_input else params[str(node.name)].data()
            known.append((one.shape, dtype_name(one.dtype)))
        return with_inferred_shapes(TypedGraph.of(graph, known)).graph


def _prepared_source(
    block: HybridBlock, examples: Sequence[tuple[Any, Sequence[bool]]]
) -> _SharedBlock:
    """Return a new :class:`_SharedBlock`, compiled for the types of example arguments."""
    source = _SharedBlock(block)
    for example, modes in examples:
        # Zero-filled arrays: tracing reads types only.
        source.prepare(mapped(_argument, example), modes)
    return source


@dataclass(frozen=True, slots=True)
class _Example:
    """Shape and dtype of an example argument; for a symbol, its name instead."""

    shape: tuple[int, ...] | None
    dtype: str = "float32"
    name: str = ""


def _example(args: Any) -> Any:
    def one(x: Any) -> _Example:
        if isinstance(x, NDArray):
            return _Example(x.shape, dtype_name(x.dtype))
        return _Example(None, name=x.name)

    return mapped(one, list(args))


def _argument(example: Any) -> Any:
    if example.shape is None:
        return sym.var(example.name)
    return nd.empty(example.shape, dtype=example.dtype)


class BlockModule(torch.nn.Module):
    """Gluon block as a PyTorch module; created by :func:`hy_gluon.to_torch`.

    Args:
        block: The block.
        args: Example arguments: arrays, or symbols of unknown shape.
    """

    def __init__(self, block: HybridBlock, args: Any) -> None:
        super().__init__()
        self._source = _SharedBlock(block)
        traces = self._source.prepare(args, (False, True))
        states = {
            node.name for traced in traces if traced.graph for node in traced.graph[1].graph.states
        }
        self._owners: list[tuple[Any, str]] = []
        for path, parameter in self._source.params.items():
            self._owners.append(self._register(path, parameter, parameter.name in states))

    def _register(self, path: str, parameter: Parameter, is_state: bool) -> tuple[Any, str]:
        """Register a parameter in a submodule for its path; return submodule and attribute name."""
        owner: Any = self
        *folders, name = path.split(".")
        for folder in folders:
            if folder not in owner._modules:
                owner.add_module(folder, torch.nn.Module())
            owner = owner._modules[folder]
        array = parameter.list_data()[0]
        # PyTorch's optimizer writes the parameters, so hy must not keep prepared copies of them.
        array.device.share(array.buffer)
        tensor = tensor_of(array)
        # PyTorch's parameters are floats; states such as running means are buffers there.
        if is_state or not tensor.dtype.is_floating_point:
            owner.register_buffer(name, tensor)
        else:
            learned = parameter.grad_req != "null"
            owner.register_parameter(name, torch.nn.Parameter(tensor, requires_grad=learned))
        return owner, name

    def forward(self, x: Any, *args: Any) -> Any:
        """Return the result of the block's graph on tensors.

        Raises:
            StructureError: The arguments are not nested as the block's.
        """
        form, tensors, own = self._prepared((x, *args))
        pairs = zip(tensors, form.order, strict=True)
        linked = any(x.requires_grad for x, (is_input, _) in pairs if is_input) or has_tangents()
        outputs, states = (form.linked if linked else form.learning)(tensors)
        for k, value in zip(form.states, states, strict=True):
            # copy_ on a detached tensor: `torch.no_grad` would remain in exported programs.
            own[k].copy_(value.detach())
        return outputs[0] if form.out_format == 0 else regroup(outputs, form.out_format)

    def explain(self, x: Any, *args: Any) -> Explanation:
        """Return a report of how the module runs on such tensors in its current mode.

        Raises:
            StructureError: The arguments are not nested as the block's.
        """
        form, tensors, _ = self._prepared((x, *args))
        device = torch_device()
        known = [(tuple(t.shape), device.memory.dtype(t)) for t in tensors]
        why = "PyTorch calls and traces each kernel; torch.compile makes code of them"
        return explained_steps(TypedGraph.of(form.learning.graph, known), device, why)

    def _prepared(self, args: Sequence[Any]) -> tuple[_CompiledForm, list[Any], list[Any]]:
        """Return the compiled form for arguments, its operands, and the module's own tensors."""
        leaves = list(_leaves(args))
        form = self._source.form(leaves, self.training)
        if form is None:
            form = self._compile_for(args, leaves)
        if _format(args) != without_last_none(form.in_format):
            raise StructureError(
                f"{self._source.block.name}: the arguments have the structure {_format(args)}, "
                f"but the block was traced with {form.in_format}; call to_torch with such arguments"
            )
        own = [getattr(owner, name) for owner, name in self._owners]
        return form, [leaves[k] if is_input else own[k] for is_input, k in form.order], own

    def _compile_for(self, args: Any, leaves: Sequence[Any]) -> _CompiledForm:
        """Compile a form for tensors of new shapes, and return it."""
        # A new form would be traced inside of Dynamo's own trace.
        if torch.compiler.is_compiling():
            raise TracingError(
                f"{self._source.block.name}: its graph holds for some shapes only, and code is "
                f"compiled for others: {_types(leaves)}; run the module on such tensors before"
            )
        self._source.prepare(mapped(array_of, list(args)), (self.training,))
        form = self._source.form(leaves, self.training)
        assert form is not None
        return form

    def extra_repr(self) -> str:
        """Return the block's name, for the module's repr."""
        return self._source.block.name


def module_of(block: HybridBlock, inputs: Sequence[Any]) -> BlockModule:
    """Return the module of a block; see :func:`hy_gluon.to_torch`."""
    args: list[Any] = [
        mapped(lambda x: x if isinstance(x, NDArray) else array_of(x), part) for part in inputs
    ]
    return BlockModule(block, args or [sym.var("data")])


def _leaves(nested: Any) -> Iterator[Any]:
    """Yield the tensors in nested arguments."""
    if isinstance(nested, list | tuple):
        for part in nested:
            yield from _leaves(part)
    elif nested is not None:
        yield nested


def _format(args: Any) -> Format:
    """Return the format of nested arguments, without trailing None."""
    if isinstance(args, list | tuple):
        return without_last_none([_format(part) for part in args])
    return -1 if args is None else 0


def _types(tensors: Any) -> tuple[Any, ...]:
    """Return shapes and dtypes of tensors."""
    return tuple([(tuple(tensor.shape), tensor.dtype) for tensor in tensors])
