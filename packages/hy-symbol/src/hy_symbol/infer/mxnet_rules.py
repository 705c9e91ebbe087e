"""MXNet's inference rules, where they infer less, or accept more, than an operator's rule.

``Symbol.infer_shape`` and ``infer_type`` give the results of MXNet 1.9.1, on which programs may
depend. Everything that runs (bind, blocks, programs) uses the operators' rules only, which infer
more and reject graphs that cannot run.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from hy_ndarray import DTypeError, HyError, Params, ShapeError, is_np_shape
from hy_ndarray.ops import Operator, PartialShape, TensorType
from hy_ndarray.ops.shaping.reshape import coded_shape
from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.purity import is_user_code
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.inference_cache import Known
from hy_symbol.infer.open_sizes import FORWARD_ONLY, waits_for, wanted_size

__all__ = ["failure_of", "known_forward", "mxnet_types"]

_UNKNOWN: Known = (None, None)
_Results: TypeAlias = dict[Hashable, tuple[Params, list[Known]]]
_CACHED_RESULTS: WeakKeyDictionary[Node, _Results] = WeakKeyDictionary()
_MAX_ENTRIES = 8  # cached for a node; a net sees few sets of types


def mxnet_types(
    node: Node, known: Sequence[Known], *, shapes: bool
) -> tuple[list[Known], HyError | None]:
    """Return the types of a node's inputs and outputs by MXNet's rules, cached.

    The cache is for Keras, which infers shapes after each node it adds to a graph. Rules of custom
    operators run each time.

    Args:
        node: The node, which has an operator.
        known: Known types of the inputs, then of the outputs.
        shapes: Whether shapes are inferred, or else dtypes.

    Returns:
        The types after inference, and the error of a custom rule that lacks types.

    Raises:
        ShapeError, DTypeError: MXNet rejects the types.
    """
    if is_user_code(node):
        return _apply_rule(node, known, shapes)
    params = node.params
    # By id, as parameters may be unhashable; the cached value keeps them alive.
    key = node.op, id(params), shapes, is_np_shape(), *known
    cached_results = _CACHED_RESULTS.get(node)
    if cached_results is None:
        cached_results = _CACHED_RESULTS.setdefault(node, {})
    cached_result = cached_results.get(key)
    if cached_result is None:
        types_now, _ = _apply_rule(node, known, shapes)
        if len(cached_results) >= _MAX_ENTRIES:
            cached_results.clear()
        cached_result = cached_results[key] = params, types_now  # holds on to what has the id
    return cached_result[1], None


def _apply_rule(
    node: Node, known_types: Sequence[Known], shapes: bool
) -> tuple[list[Known], HyError | None]:
    """Apply MXNet's rule; return the types of inputs and outputs, and a custom rule's error."""
    by_entry: dict[Entry, TensorType] = {}  # inputs that are one entry learn together
    inputs = [
        by_entry.setdefault(entry, TensorType(*known, name=name))
        for entry, known, name in zip(node.inputs, known_types, node.input_names, strict=False)
    ]
    outputs = [TensorType(*known) for known in known_types[len(inputs) :]]
    operands = node.operands(inputs)
    results = infer_as_mxnet(node, operands, outputs, shapes=shapes)
    types = [*inputs, *results]
    types_now: list[Known] = [(t.shape, None) if shapes else (None, t.dtype) for t in types]
    return types_now, failure_of(node, operands, results)


def failure_of(
    node: Node, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> HyError | None:
    """Return the error of a custom operator's rule that lacks types, with the node's name."""
    failure = outputs[0].failure if outputs else None
    return (
        None if failure is None or node.op is None else node.op.explain(failure, inputs, node.name)
    )


def known_forward(
    nodes: Iterable[Node], known: Mapping[Entry, Known], *, shapes: bool
) -> dict[Entry, Known] | None:
    """Infer all nodes in one forward sweep; return None if that does not suffice.

    It suffices if no node's rule infers its inputs, as in most graphs.
    """
    types = dict(known)
    for node in nodes:
        outputs = outputs_of(node)
        inputs = [types.get(entry, _UNKNOWN) for entry in node.inputs]
        # Known outputs may tell rules about their inputs, which needs backward sweeps.
        if node.bodies or any(entry in types for entry in outputs):
            return None
        try:
            types_now, failure = mxnet_types(
                node, [*inputs, *[_UNKNOWN] * len(outputs)], shapes=shapes
            )
        except HyError:
            return None  # the solver comes to it, too
        if failure is not None or types_now[: len(inputs)] != inputs:
            return None
        cached_results = zip(outputs, types_now[len(inputs) :], strict=True)
        types.update((entry, one) for entry, one in cached_results if one != _UNKNOWN)
    return types


class _Context(NamedTuple):
    """Node with the known types of its inputs (by declared position) and outputs."""

    node: Node
    op: Operator
    inputs: Sequence[TensorType | None]
    outputs: Sequence[TensorType]

    @property
    def known(self) -> list[TensorType]:
        """Types of the inputs that are not omitted."""
        return [t for t in self.inputs if t is not None]

    def inferred(self) -> Sequence[TensorType]:
        """Return the output types by the operator's own rule."""
        return self.op.infer(self.inputs, self.node.params, self.outputs, node=self.node.name)

    def refusal(self, error: HyError) -> HyError:
        """Return the error to raise for a rule's error, with the node's name."""
        return self.op.explain(error, self.inputs, self.node.name)


_Rule: TypeAlias = Callable[[_Context], Sequence[TensorType]]


def infer_as_mxnet(
    node: Node,
    inputs: Sequence[TensorType | None],
    outputs: Sequence[TensorType],
    *,
    shapes: bool,
) -> Sequence[TensorType]:
    """Return a node's output types as MXNet infers them; update ``inputs``.

    Args:
        node: The node, which has an operator.
        inputs: One type per declared input, None for those left out.
        outputs: Known types of the outputs.
        shapes: Whether shapes are inferred, or else dtypes.

    Raises:
        ShapeError: MXNet rejects the shapes.
        DTypeError: MXNet rejects the dtypes, or requires one that is unknown.
    """
    assert node.op is not None
    context = _Context(node, node.op, inputs, outputs)
    rule = _SHAPES.get(node.op.name, _infer_partially) if shapes else _require_dtypes
    return rule(context)


# --- dtypes ---------------------------------------------------------------------------------------

_FIRST = (
    "BatchNorm_v1",
    "CTCLoss",
    "Convolution_v1",
    "Dropout",
    "Embedding",
    "GridGenerator",
    "LRN",
    "MakeLoss",
    "Pooling_v1",
    "RNN",
    "SVMOutput",
    "SequenceLast",
    "SequenceMask",
    "SequenceReverse",
    "SwapAxis",
    "UpSampling",
    "_split_v2",
    "multi_sum_sq",
    "one_hot",
    "_contrib_DeformableConvolution",
    "_contrib_ModulatedDeformableConvolution",
    "_contrib_SparseEmbedding",
    "_contrib_SyncBatchNorm",
)
_SECOND = ("pick", "take")
_BOTH = ("ROIPooling", "_contrib_PSROIPooling", "_contrib_ROIAlign", "_contrib_RROIAlign")
_REQUIRED_DTYPES: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(_FIRST, (0,)),
    **dict.fromkeys(_SECOND, (1,)),
    **dict.fromkeys(_BOTH, (0, 1)),
}
"""Positions of the inputs whose dtype MXNet requires, by operator."""


def _require_dtypes(context: _Context) -> Sequence[TensorType]:
    for position in _REQUIRED_DTYPES.get(context.op.name, ()):
        t = context.inputs[position]
        if t is not None and t.dtype is None:
            what = t.label or "its input "
            raise context.refusal(DTypeError(f"the dtype of {what}must be given, it is unknown"))
    return context.inferred()


# --- shapes ---------------------------------------------------------------------------------------


def _infer_partially(context: _Context) -> Sequence[TensorType]:
    """Infer by the operator's rule where MXNet infers, else return or reject like MXNet."""
    name, params = context.op.name, context.node.params
    known = [t.shape for t in context.known]
    wanted = wanted_size(name, params, known)
    if wanted is not None:
        shapes = ", ".join("unknown" if shape is None else _shown(shape) for shape in known)
        raise context.refusal(ShapeError(f"{wanted} must be given: {shapes}"))
    if waits_for(name, params, known):
        return context.outputs
    if name not in FORWARD_ONLY:
        return context.inferred()
    if known[0] is None:
        return context.outputs
    unknown = [TensorType() for _ in context.outputs]
    inferred = context.op.infer(context.inputs, params, unknown, node=context.node.name)
    known_outputs = zip(context.outputs, inferred, strict=True)
    return [
        _assigned(context, TensorType(t.shape, name="output"), y.shape) for t, y in known_outputs
    ]


def _is_complete(t: TensorType) -> bool:
    return t.sizes is not None


def _has_rank(t: TensorType) -> bool:
    return t.rank is not None


def _require(context: _Context, ready: Callable[[TensorType], bool], count: int = 1) -> None:
    for t in context.known[:count]:
        if not ready(t):
            name = t.label or "the input "
            known = "nothing" if t.shape is None else f"only {_shown(t.shape)}"
            raise context.refusal(
                ShapeError(f"the shape of {name}must be given, {known} is known of it")
            )


def _shown(shape: PartialShape) -> str:
    return f"({', '.join('?' if n is None else str(n) for n in shape)})"


def _assigned(context: _Context, t: TensorType, shape: PartialShape | None) -> TensorType:
    """Merge ``shape`` into ``t`` and return it; a conflict is an error of the node."""
    try:
        t.set_shape(shape)
    except ShapeError as error:
        raise context.refusal(error) from None
    return t


def _output(context: _Context, shape: PartialShape | None) -> Sequence[TensorType]:
    """Return the type of the only output: its known type merged with ``shape``."""
    return [_assigned(context, TensorType(context.outputs[0].shape, name="output"), shape)]


def _waiting_for(ready: Callable[[TensorType], bool], count: int = 1) -> _Rule:
    """Return the operator's rule, which infers once the first ``count`` inputs are ``ready``."""

    def infer(context: _Context) -> Sequence[TensorType]:
        return context.inferred() if all(map(ready, context.known[:count])) else context.outputs

    return infer


def _demanding(ready: Callable[[TensorType], bool], count: int = 1) -> _Rule:
    """Return the operator's rule, an error unless the first ``count`` inputs are ``ready``."""

    def infer(context: _Context) -> Sequence[TensorType]:
        _require(context, ready, count)
        return context.inferred()

    return infer


def _dense(context: _Context) -> Sequence[TensorType]:
    """Infer a dense layer; an error if the rank is known but not all flattened sizes."""
    data = context.known[0]
    if context.node.params["flatten"] and data.shape is not None and None in data.shape[1:]:
        shown = f"{data.label}{_shown(data.shape)}"
        raise context.refusal(ShapeError(f"all sizes but the first of {shown} must be given"))
    return context.inferred()


def _batch_norm(context: _Context) -> Sequence[TensorType]:
    """Infer batch normalisation, overwriting the shapes of scale, shift and moments."""
    data, *states = context.known
    if data.shape is None:
        return context.outputs
    axis = context.node.params.get("axis", 1)
    if -len(data.shape) <= axis < len(data.shape):
        for t in states:
            # MXNet overwrites these shapes, even contradicting ones.
            t.replace_shape((data.shape[axis],))
    return context.inferred()


def _broadcast(context: _Context) -> Sequence[TensorType]:
    """Infer broadcasting; an output size is unknown if that of either operand is."""
    lhs, rhs = context.known
    result = context.inferred()[0]
    known = context.outputs[0].shape
    if lhs.shape is None or rhs.shape is None or result.shape is None:
        return [result]
    rank = len(result.shape)
    pairs = zip(
        (1,) * (rank - len(lhs.shape)) + lhs.shape,
        (1,) * (rank - len(rhs.shape)) + rhs.shape,
        known or (None,) * rank,
        result.shape,
        strict=True,
    )
    sizes = [old if x is None or y is None else new for x, y, old, new in pairs]
    return [result.with_shape(sizes)]


def _concat(context: _Context) -> Sequence[TensorType]:
    """Infer ``concat`` from inputs of known rank, and their other axes from each other."""
    parts, known = context.known, context.outputs[0].shape
    ranks = [t.rank for t in (*parts, *context.outputs) if t.rank is not None]
    axis = context.node.params["dim"]
    if len(set(ranks)) != 1 or not -ranks[0] <= axis < ranks[0]:
        return context.inferred()
    ranked = [t.shape[axis] for t in parts if t.shape is not None]
    total = None if None in ranked else sum(n for n in ranked if n is not None)
    if not ranked and known is not None and known[axis] is None:
        total = None
    others = TensorType(known and _with_size(known, axis, None), name="input")
    for t in parts:
        _assigned(context, others, t.shape and _with_size(t.shape, axis, None))
    assert others.shape is not None
    for t in parts:
        _assigned(context, t, others.shape)
    return _output(context, _with_size(others.shape, axis, total))


def _with_size(shape: PartialShape, axis: int, size: int | None) -> PartialShape:
    axis %= len(shape)
    return (*shape[:axis], size, *shape[axis + 1 :])


def _stack(context: _Context) -> Sequence[TensorType]:
    """Infer the output of ``stack`` from the first known shape; inputs are not inferred."""
    known = (t.shape for t in context.known if t.shape is not None)
    shape = next((s for s in known if any(n is not None for n in s)), None)
    if shape is None:
        return context.outputs
    sizes = list(shape)
    for t in context.known:
        if t.rank == len(sizes) and t.shape is not None:
            sizes = [b if a is None else a for a, b in zip(sizes, t.shape, strict=True)]
    if None in sizes:
        return context.outputs
    axis = context.node.params["axis"] % (len(sizes) + 1)
    return _output(context, (*sizes[:axis], len(context.known), *sizes[axis:]))


def _transpose(context: _Context) -> Sequence[TensorType]:
    """Infer ``transpose`` from the input, or from ``axes`` and the output's rank."""
    if context.known[0].rank is not None:
        return context.inferred()
    if context.outputs[0].rank is None:
        return context.outputs
    if not context.node.params["axes"]:
        _require(context, _has_rank)
    return context.inferred()


def _reshape(context: _Context) -> Sequence[TensorType]:
    """Infer ``reshape``, accepting shapes with another number of elements, as MXNet does."""
    data = context.known[0]
    if data.sizes is None:
        return context.inferred()
    try:
        shape = coded_shape(data.sizes, context.node.params)
    except ShapeError as error:
        raise context.refusal(error) from None
    before, fixed = prod(data.sizes), prod(n for n in shape if n is not None)
    if None in shape:
        shape = tuple((before // fixed if fixed else 0) if n is None else n for n in shape)
    elif fixed == before:
        return context.inferred()
    return _output(context, shape)


def _like_data(context: _Context) -> Sequence[TensorType]:
    """Infer an output like the only input, without checking that matrices are square."""
    data = _assigned(context, context.known[0], context.outputs[0].shape)
    return _output(context, data.shape)


def _deformable(context: _Context) -> Sequence[TensorType]:
    """Infer deformable convolution only once all sizes of the data are known."""
    if context.known[0].rank is None:
        return context.outputs
    _require(context, _has_rank, 2)
    return context.inferred() if _is_complete(context.known[0]) else context.outputs


_BROADCASTS = (
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "power",
    "maximum",
    "minimum",
    "hypot",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
)


def _infer_draw(context: _Context) -> Sequence[TensorType]:
    """Infer random draws; without the parameter ``shape``, only from the use of the result."""
    return (
        context.outputs if context.node.params.get("shape") is None else _infer_partially(context)
    )


_DISTRIBUTIONS = (
    "uniform",
    "normal",
    "gamma",
    "exponential",
    "poisson",
    "negative_binomial",
    "generalized_negative_binomial",
    "randint",
)

_SHAPES: Mapping[str, _Rule] = {
    **dict.fromkeys((f"_random_{name}" for name in _DISTRIBUTIONS), _infer_draw),
    **dict.fromkeys((f"broadcast_{name}" for name in _BROADCASTS), _broadcast),
    **dict.fromkeys(("BatchNorm", "BatchNorm_v1", "_contrib_BatchNormWithReLU"), _batch_norm),
    **dict.fromkeys(("BilinearSampler", "SpatialTransformer"), _waiting_for(_is_complete, 2)),
    **dict.fromkeys(("_linalg_potrf", "_linalg_potri"), _like_data),
    **dict.fromkeys(("argsort", "sort", "topk"), _demanding(_is_complete)),
    "Concat": _concat,
    "Embedding": _waiting_for(_has_rank),
    "Flatten": _waiting_for(_is_complete),
    "FullyConnected": _dense,
    "Reshape": _reshape,
    "_contrib_DeformableConvolution": _deformable,
    "_contrib_ModulatedDeformableConvolution": _demanding(_has_rank, 3),
    "_contrib_SparseEmbedding": _waiting_for(_has_rank),
    "batch_take": _demanding(_is_complete, 2),
    "stack": _stack,
    "transpose": _transpose,
}
"""MXNet's shape rules by operator, where they differ from the operator's rule."""
