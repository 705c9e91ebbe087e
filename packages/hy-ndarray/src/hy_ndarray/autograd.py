"""Automatic differentiation: scopes, the tape, backward, gradients of gradients, user functions."""

from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Literal, TypeAlias

from hy_ndarray import _dispatch, _state
from hy_ndarray._errors import AutogradError
from hy_ndarray._protocols import Buffer, Params
from hy_ndarray._tables import Device
from hy_ndarray.ndarray import NDArray
from hy_ndarray.ops._schema import Operator, Saved, find

__all__ = [
    "Function",
    "backward",
    "grad",
    "is_fresh",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "record_function",
    "set_recording",
    "set_stale",
    "set_training",
    "train_mode",
]

GradReq: TypeAlias = Literal["write", "add", "null"]
Backward: TypeAlias = Callable[[Sequence[NDArray]], Sequence[NDArray | None]]


class Leaf:
    """A variable: an array whose gradient is kept."""

    __slots__ = ("fresh", "grad", "req")

    def __init__(self, grad: NDArray, req: str) -> None:
        self.grad = grad
        self.req = req
        self.fresh = False


class Node:
    """One recorded call: an operator with its operands, or a function with its own backward."""

    __slots__ = (
        "backward",
        "device",
        "entries",
        "freed",
        "inputs",
        "is_train",
        "kind",
        "op",
        "outputs",
        "params",
        "shapes",
        "visible",
    )

    def __init__(
        self,
        op: Operator | None,
        inputs: Sequence[NDArray | None],
        params: Params,
        outputs: Sequence[NDArray],
        is_train: bool,
        backward: Backward | None = None,
    ) -> None:
        self.op = op
        self.inputs: tuple[NDArray | None, ...] = tuple(inputs)
        self.entries = tuple(None if x is None else x._entry for x in inputs)
        self.params = params
        # Buffers, not arrays: arrays refer to the node, and a cycle would keep both alive.
        self.outputs: tuple[Buffer, ...] = tuple(y._data for y in outputs)
        self.device: Device = outputs[0]._device
        self.kind = type(outputs[0])
        self.visible = len(outputs) if op is None else op.num_visible(params)
        self.is_train = is_train
        self.backward = backward
        self.freed = False

    @property
    def name(self) -> str:
        """What messages call it."""
        return "function" if self.op is None else self.op.name

    def output(self, index: int) -> NDArray:
        """The array that output ``index`` was, still part of the graph."""
        array = self.kind.from_buffer(self.outputs[index], self.device)
        array._entry = (self, index)
        return array

    def gradients(self, dys: Sequence[NDArray], linked: bool) -> Sequence[NDArray | None]:
        """Gradients of the inputs; with ``linked`` they can be differentiated again."""
        if self.backward is not None:
            return self.backward(dys)
        assert self.op is not None
        if self.op.grad is None:
            raise AutogradError(f"{self.op.name} is not differentiable")
        inputs = self.inputs
        if linked:
            inputs = tuple(map(_relinked, self.inputs, self.entries))
        outputs = tuple(self.output(i) for i in range(len(self.outputs)))
        wanted = tuple(entry is not None for entry in self.entries)
        return self.op.grad(Saved(inputs, outputs, self.params, self.is_train, wanted), *dys)

    def free(self) -> None:
        """Let go of everything saved; a second backward pass then raises."""
        self.freed = True
        self.inputs = self.entries = self.outputs = ()
        self.backward = None


Entry: TypeAlias = Leaf | tuple[Node, int]


def _relinked(array: NDArray | None, entry: Entry | None) -> NDArray | None:
    if array is None or array._entry is entry:
        return array
    twin = type(array).from_buffer(array._data, array._device)
    twin._entry = entry
    return twin


def _record(
    op: Operator,
    inputs: Sequence[NDArray | None],
    params: Params,
    outputs: Sequence[NDArray],
    is_train: bool,
) -> None:
    for x in inputs:
        if x is not None and x._entry is not None:
            break
    else:
        return
    node = Node(op, inputs, params, outputs, is_train)
    for i, y in enumerate(outputs):
        y._entry = (node, i)


_dispatch.hooks.record = _record


def record_function(
    inputs: Sequence[NDArray], outputs: Sequence[NDArray], backward: Backward
) -> None:
    """Record a computation that brings its own backward; no effect outside :func:`record`.

    Args:
        inputs: What was computed from.
        outputs: What came out; they become part of the graph.
        backward: Takes one gradient per output, returns one (or None) per input.
    """
    if not _state.scope.recording or all(x._entry is None for x in inputs):
        return
    node = Node(None, inputs, {}, outputs, _state.scope.training, backward)
    for i, y in enumerate(outputs):
        y._entry = (node, i)


class _Mode:
    """A scope that sets recording and training mode, and restores both."""

    __slots__ = ("_before", "_recording", "_training")

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording = recording
        self._training = training
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        scope = _state.scope
        self._before.append((scope.recording, scope.training))
        if self._recording is not None:
            scope.recording = self._recording
        if self._training is not None:
            scope.training = self._training

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _state.scope.recording, _state.scope.training = self._before.pop()


def record(train_mode: bool = True) -> _Mode:
    """A scope in which operators are recorded for :func:`backward`; training mode by default."""
    return _Mode(True, train_mode)


def pause(train_mode: bool = False) -> _Mode:
    """A scope inside :func:`record` in which nothing is recorded."""
    return _Mode(False, train_mode)


def train_mode() -> _Mode:
    """A scope in which operators behave as in training, recorded or not."""
    return _Mode(None, True)


def predict_mode() -> _Mode:
    """A scope in which operators behave as in prediction, recorded or not."""
    return _Mode(None, False)


def is_recording() -> bool:
    """Whether this thread records."""
    return _state.scope.recording


def is_training() -> bool:
    """Whether this thread is in training mode."""
    return _state.scope.training


def set_recording(is_recording: bool) -> bool:
    """Switch recording on or off for this thread; returns what it was."""
    before = _state.scope.recording
    _state.scope.recording = bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Switch training mode on or off for this thread; returns what it was."""
    before = _state.scope.training
    _state.scope.training = bool(train_mode)
    return before


def mark_variables(
    variables: NDArray | Sequence[NDArray],
    gradients: NDArray | Sequence[NDArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Make arrays variables whose gradients go to the arrays given.

    Args:
        variables: The arrays.
        gradients: One array of the same shape for each.
        grad_reqs: ``"write"``, ``"add"`` or ``"null"``, one for all or one for each.

    Raises:
        AutogradError: A request is none of these, or there are not as many gradients or requests
            as variables.
    """
    arrays, kept = _listed(variables), _listed(gradients)
    reqs = [grad_reqs] * len(arrays) if isinstance(grad_reqs, str) else grad_reqs
    if not len(arrays) == len(kept) == len(reqs):
        counts = f"{len(arrays)} variables, {len(kept)} gradients, {len(reqs)} requests"
        raise AutogradError(f"mark_variables takes as many of each, not {counts}")
    for array, gradient, req in zip(arrays, kept, reqs, strict=True):
        if req not in ("write", "add", "null"):
            raise AutogradError(f"grad_req {req!r} is not 'write', 'add' or 'null'")
        array._entry = None if req == "null" else Leaf(gradient, req)


def _listed(arrays: NDArray | Iterable[NDArray]) -> list[NDArray]:
    return [arrays] if isinstance(arrays, NDArray) else list(arrays)


def _heads(
    heads: NDArray | Iterable[NDArray], head_grads: Any
) -> tuple[list[NDArray], list[NDArray]]:
    """The heads, and a gradient for each: ones where none is given."""
    arrays = _listed(heads)
    given = [None] * len(arrays) if head_grads is None else head_grads
    grads = list(given) if isinstance(given, list | tuple) else [given]
    if not arrays or len(grads) != len(arrays):
        raise AutogradError(f"{len(arrays)} heads but {len(grads)} head gradients")
    ones = find("ones_like")
    for i, (array, gradient) in enumerate(zip(arrays, grads, strict=True)):
        if array._entry is None:
            raise AutogradError(
                "cannot differentiate an array that was not computed from variables inside "
                "autograd.record(); call attach_grad() on the inputs and compute under record()"
            )
        if gradient is None:
            with pause():
                grads[i] = _dispatch.invoke(ones, (array,), ones.defaults)
        elif not isinstance(gradient, NDArray):
            raise AutogradError(f"head gradient {i} is a {type(gradient).__name__}, not an NDArray")
        elif gradient.shape != array.shape:
            raise AutogradError(f"head {array.shape} has a head gradient {gradient.shape}")
    return arrays, grads


def _order(entries: Iterable[Entry | None]) -> list[Node]:
    """Nodes that the entries depend on, each behind those it depends on; depth never recurses."""
    order: list[Node] = []
    done: set[int] = set()
    stack: list[tuple[Node, bool]] = [
        (entry[0], False) for entry in entries if isinstance(entry, tuple)
    ]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
            continue
        if id(node) in done:
            continue
        done.add(id(node))
        if node.freed:
            raise AutogradError(
                f"the graph behind {node.name} was freed by an earlier backward pass; "
                "pass retain_graph=True to that one to differentiate again"
            )
        stack.append((node, True))
        stack.extend(
            (entry[0], False)
            for entry in node.entries
            if isinstance(entry, tuple) and id(entry[0]) not in done
        )
    return order


class _Sums:
    """Gradients collected by entry, added up where several paths meet."""

    def __init__(self) -> None:
        self._by_entry: dict[tuple[int, int], NDArray] = {}
        self.leaves: dict[int, Leaf] = {}

    @staticmethod
    def _key(entry: Entry) -> tuple[int, int]:
        return (id(entry[0]), entry[1]) if isinstance(entry, tuple) else (id(entry), -1)

    def add(self, entry: Entry, gradient: NDArray) -> None:
        key = self._key(entry)
        if isinstance(entry, Leaf):
            self.leaves[id(entry)] = entry
        before = self._by_entry.get(key)
        self._by_entry[key] = gradient if before is None else before + gradient

    def get(self, entry: Entry) -> NDArray | None:
        return self._by_entry.get(self._key(entry))


def _run(
    heads: list[NDArray], grads: list[NDArray], linked: bool, retain: bool, train_mode: bool
) -> _Sums:
    entries = [head._entry for head in heads if head._entry is not None]
    order = _order(entries)
    sums = _Sums()
    with record(train_mode) if linked else pause(train_mode):
        for entry, gradient in zip(entries, grads, strict=True):
            sums.add(entry, gradient)
        for node in reversed(order):
            dys = [sums.get((node, i)) for i in range(node.visible)]
            if any(dy is not None for dy in dys):
                _propagate(node, dys, sums, linked)
        _complete(order, sums)
    if not retain:
        for node in order:
            node.free()
    return sums


def _propagate(node: Node, dys: Sequence[NDArray | None], sums: _Sums, linked: bool) -> None:
    zeros = find("zeros_like")
    filled = [
        _dispatch.invoke(zeros, (node.output(i).detach(),), zeros.defaults) if dy is None else dy
        for i, dy in enumerate(dys)
    ]
    gradients = node.gradients(filled, linked)
    for entry, gradient in zip(node.entries, gradients, strict=True):
        if entry is not None and gradient is not None:
            sums.add(entry, gradient)


def _complete(order: Iterable[Node], sums: _Sums) -> None:
    """Zeros for the variables that the heads depend on only where no gradient flows."""
    zeros = find("zeros_like")
    for node in order:
        for x, entry in zip(node.inputs, node.entries, strict=True):
            if isinstance(entry, Leaf) and sums.get(entry) is None:
                sums.add(entry, _dispatch.invoke(zeros, (_relinked(x, entry),), zeros.defaults))


def backward(
    heads: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
    create_graph: bool = False,
) -> None:
    """Compute the gradients of ``heads`` and put them where the variables keep theirs.

    Args:
        heads: Arrays computed under :func:`record`.
        head_grads: Gradient of some scalar in each head; ones where None.
        retain_graph: Keep the graph for another pass.
        train_mode: Whether operators of the backward pass are in training mode.
        create_graph: Record the backward pass, so that gradients can be differentiated.

    Raises:
        AutogradError: A head is not part of a recorded graph, or the graph was freed.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1.0, 2.0])
        >>> x.attach_grad()
        >>> with record():
        ...     y = x * x
        >>> backward(y)
        >>> x.grad.asnumpy()
        array([2., 4.], dtype=float32)
    """
    arrays, grads = _heads(heads, head_grads)
    sums = _run(arrays, grads, create_graph, retain_graph or create_graph, train_mode)
    for leaf in sums.leaves.values():
        gradient = sums.get(leaf)
        assert gradient is not None
        _deliver(leaf, gradient, create_graph)


def _deliver(leaf: Leaf, gradient: NDArray, linked: bool) -> None:
    target = leaf.grad
    if leaf.req == "add":
        with pause():
            gradient = target + gradient
    _dispatch.hand_over([target])
    target._write(gradient)
    leaf.fresh = True
    if linked:
        target._entry = gradient._entry


def is_fresh(variable: NDArray) -> bool:
    """Whether a backward pass has come to the gradient since :func:`set_stale`.

    Args:
        variable: An array; False if it keeps no gradient.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1.0])
        >>> x.attach_grad()
        >>> is_fresh(x)
        False
    """
    return isinstance(variable._entry, Leaf) and variable._entry.fresh


def set_stale(variable: NDArray) -> None:
    """Note that the gradient of ``variable`` has been used; trainers do so after a step."""
    if isinstance(variable._entry, Leaf):
        variable._entry.fresh = False


def grad(
    heads: NDArray | Sequence[NDArray],
    variables: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """Gradients of ``heads`` with respect to ``variables``, returned instead of kept.

    Args:
        heads: Arrays computed under :func:`record`.
        variables: Arrays the heads depend on.
        head_grads: As for :func:`backward`.
        retain_graph: Keep the graph; as ``create_graph`` if None.
        create_graph: Record, so that the gradients can be differentiated again.
        train_mode: As for :func:`backward`.

    Returns:
        A list with one array per variable.

    Raises:
        AutogradError: A head is not in a graph, or does not depend on a variable.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([3.0])
        >>> x.attach_grad()
        >>> with record():
        ...     (dx,) = grad(x * x * x, x, create_graph=True)
        >>> dx.backward()
        >>> dx.asscalar(), x.grad.asscalar()
        (np.float32(27.0), np.float32(18.0))
    """
    wanted = _listed(variables)
    arrays, grads = _heads(heads, head_grads)
    retain = create_graph if retain_graph is None else retain_graph
    results = []
    sums = _run(arrays, grads, create_graph, retain, train_mode)
    for i, variable in enumerate(wanted):
        entry = variable._entry
        gradient = None if entry is None else sums.get(entry)
        if gradient is None:
            raise AutogradError(f"grad: the heads do not depend on variable {i} {variable.shape}")
        results.append(_constant_in(variable, gradient) if create_graph else gradient)
    return results


def _constant_in(variable: NDArray, gradient: NDArray) -> NDArray:
    """``gradient``, in the graph of ``variable`` even where it does not depend on its value."""
    if gradient._entry is not None:
        return gradient
    twin = gradient.detach()
    with record():
        record_function([variable], [twin], lambda _: [None])
    return twin


class Function:
    """A differentiable function with a hand-written backward.

    Subclasses define ``forward(*arrays)`` and ``backward(*gradients)``; an instance is for one
    call.

    Example:
        >>> from hy_ndarray import nd
        >>> class Double(Function):
        ...     def forward(self, x):
        ...         return x * 2
        ...     def backward(self, dy):
        ...         return dy * 2
        >>> x = nd.array([3.0])
        >>> x.attach_grad()
        >>> with record():
        ...     y = Double()(x)
        >>> y.backward()
        >>> x.grad.asscalar()
        np.float32(2.0)
    """

    def __init__(self) -> None:
        self._used = False
        self._saved: tuple[NDArray, ...] = ()

    def save_for_backward(self, *args: NDArray) -> None:
        """Keep arrays for :meth:`backward`, as ``saved_tensors``."""
        self._saved = args

    @property
    def saved_tensors(self) -> tuple[NDArray, ...]:
        """What :meth:`save_for_backward` kept."""
        return self._saved

    def __call__(self, *inputs: NDArray) -> Any:
        """Run forward, and record backward if recording."""
        if self._used:
            raise AutogradError("a Function instance is for one call; make a new one")
        self._used = True
        with pause(is_training()):
            result = self.forward(*inputs)
        outputs = [x.detach() for x in _listed(result)]

        def backward(dys: Sequence[NDArray]) -> Sequence[NDArray | None]:
            given = self.backward(*dys)
            gradients = list(given) if isinstance(given, list | tuple) else [given]
            if len(gradients) != len(inputs):
                raise AutogradError(
                    f"{type(self).__name__}.backward returned {len(gradients)} gradients, "
                    f"forward took {len(inputs)} arrays"
                )
            return gradients

        record_function(inputs, outputs, backward)
        return outputs[0] if isinstance(result, NDArray) else outputs

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs; runs unrecorded."""
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        """Gradients of the inputs from those of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define backward")
