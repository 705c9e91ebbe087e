"""Gradients: marking variables, and the backward pass that fills their gradient arrays."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from hy_ndarray._errors import ArgumentError, AutogradError, GradRequestError, SymbolOperandError
from hy_ndarray.core import _dispatch, _migration
from hy_ndarray.core._array import Array, Leaf
from hy_ndarray.core._calls import call
from hy_ndarray.core._copying import as_dtype
from hy_ndarray.core._scopes import pause, record
from hy_ndarray.core._tape import record_function, run
from hy_ndarray.core.casting import without_casting
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._protocols import Buffer
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.ops import find

# NumPy's addition, which promotes: a float16 gradient may be added to a float32 array.
_ADD = find("_npi_add")
_ONES = find("ones_like")
_PART = find("slice_axis")
_RESHAPE = find("_np_reshape")
_REQUESTS = ("write", "add", "null")
A = TypeVar("A", bound=Array)


def mark_variables(
    variables: Array | Sequence[Array],
    gradients: Array | Sequence[Array],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Mark arrays as variables whose gradients are written to the given arrays.

    Args:
        variables: The arrays.
        gradients: One array of the same shape for each.
        grad_reqs: ``"write"``, ``"add"`` or ``"null"``, one for all or one for each.

    Raises:
        GradRequestError: A ``grad_req`` is none of these.
        AutogradError: The numbers of variables, gradients and requests differ, or a variable is
            complex.
        ArgumentError: A variable or a gradient is not an array.
    """
    arrays = listed(variables, "mark_variables: variables")
    buffers = listed(gradients, "mark_variables: gradients")
    reqs = grad_reqs if isinstance(grad_reqs, list | tuple) else [grad_reqs] * len(arrays)
    if not len(arrays) == len(buffers) == len(reqs):
        counts = f"{len(arrays)} variables, {len(buffers)} gradients, {len(reqs)} requests"
        raise AutogradError(
            "mark_variables: variables, gradients and grad_reqs must have the same length, got "
            f"{counts}"
        )
    for req in reqs:
        if not isinstance(req, str) or req not in _REQUESTS:
            raise _wrong_request(req)
    for array, gradient, req in zip(arrays, buffers, reqs, strict=True):
        attach(array, gradient, req)


def attach(array: Array, gradient: Array | Callable[[], Array], req: str) -> None:
    """Mark an array as a variable; with ``"null"``, as a constant.

    Args:
        array: The array.
        gradient: Its gradient array, or a function that creates it on first use.
        req: ``"write"``, ``"add"`` or ``"null"``.

    Raises:
        GradRequestError: The request is none of these.
        AutogradError: The variable is complex.
    """
    if req not in _REQUESTS:
        raise _wrong_request(req)
    if req != "null" and array._device.memory.dtype(array._data).startswith("complex"):
        raise AutogradError(
            f"an array {array.shape} of complex numbers cannot have a gradient; "
            "compute with its real and imaginary parts"
        )
    array._entry = None if req == "null" else Leaf(gradient, req)


def _wrong_request(req: object) -> GradRequestError:
    return GradRequestError(f"grad_req {req!r} is not 'write', 'add' or 'null'")


def listed(arrays: Any, what: str) -> list[Any]:
    """Return one array, or several, as a list.

    Args:
        arrays: An array, or several.
        what: The name of the argument in messages.

    Raises:
        ArgumentError: An element is not an array; for a symbol, `SymbolOperandError`.
    """
    if isinstance(arrays, Array):
        return [arrays]
    as_list = list(arrays) if isinstance(arrays, list | tuple | Iterable) else [arrays]
    for x in as_list:
        if isinstance(x, Array):
            continue
        kind = SymbolOperandError if hasattr(type(x), "apply_operator") else ArgumentError
        symbols = "; gradients of symbols are computed by the executor that they are bound to"
        advice = symbols if kind is SymbolOperandError else conversion(x)
        raise kind(f"{what}: expected an NDArray, got {kind_of(x)}{advice}")
    return as_list


def _heads(heads: Array | Iterable[Array], head_grads: Any) -> tuple[list[Array], list[Array]]:
    """Return the heads and their head gradients, ones by default."""
    arrays = listed(heads, "heads")
    if head_grads is None:
        listed_grads: Sequence[Any] = [None] * len(arrays)
    else:
        listed_grads = head_grads if isinstance(head_grads, list | tuple) else [head_grads]
    if not arrays:
        raise AutogradError("backward: no arrays to differentiate were given")
    if len(listed_grads) != len(arrays):
        raise AutogradError(
            f"got {len(arrays)} heads but {len(listed_grads)} head gradients; pass one for each "
            "head"
        )
    return arrays, [
        _checked_head(i, *pair) for i, pair in enumerate(zip(arrays, listed_grads, strict=True))
    ]


def _checked_head(i: int, array: Array, gradient: Any) -> Array:
    """Return the head gradient of head ``i``, checked, in the head's shape and dtype."""
    if array._entry is None:
        raise AutogradError(
            "cannot differentiate an array that was not computed from variables inside "
            "autograd.record(); call attach_grad() on the inputs and compute under record(); "
            "arrays of a graph that backward() freed are constants: pass retain_graph=True"
        )
    if gradient is None:
        return _ones_like(array)
    if not isinstance(gradient, Array):
        raise AutogradError(
            f"head gradient {i} must be an NDArray, got {kind_of(gradient)}{conversion(gradient)}"
        )
    if gradient.shape == array.shape:
        return _in_dtype_of(array, gradient)
    if gradient.size < array.size:
        raise AutogradError(
            f"head gradient {gradient.shape} must have the shape of its head, {array.shape}"
        )
    # MXNet reads the first elements of the gradient's memory, whatever its shape.
    flat = call(_RESHAPE, (gradient,), {"newshape": (-1,)})
    part = call(_PART, (flat,), {"axis": 0, "begin": 0, "end": array.size})
    return _in_dtype_of(array, call(_RESHAPE, (part,), {"newshape": array.shape}))


_CASTING = {
    *("sum", "mean", "Reshape", "reshape_like", "expand_dims", "Flatten", "squeeze"),
    *("Cast", "_copy", "make_loss"),
}
"""Operators whose gradient accepts a head gradient of any dtype, as in MXNet."""


def _in_dtype_of(array: Array, gradient: Array) -> Array:
    """Return a head gradient cast to the dtype of its head.

    Raises:
        AutogradError: The dtypes differ, and the head's operator is not one of ``_CASTING``.
    """
    dtype, own = (x._device.memory.dtype(x._data) for x in (array, gradient))
    # No gradient flows through integers, so that any dtype will do.
    if "float" not in dtype:
        return gradient
    if dtype != own:
        entry: Any = array._entry
        op = None if isinstance(entry, Leaf) else entry[0].op
        if op is not None and op.name not in _CASTING:
            raise AutogradError(
                f"the head {array.shape} of {op.name} is {dtype}, but its head gradient is {own}; "
                f"convert it with astype('{dtype}')"
            )
    return as_dtype(gradient, dtype, copy=False)


def _ones_like(array: Array) -> Array:
    # Calls the kernel directly, which is faster than invoking the operator.
    data, device = array._data, array._device
    if array._dense and device.serves:
        try:
            return array.from_buffer(device.kernels[_ONES.kernel](data), device)
        except Exception:  # noqa: S110  # the usual way says what is wrong
            pass
    ones: Array = _dispatch.invoke(_ONES, (array.detach(),), _ONES.defaults)
    return ones


def backward(
    heads: Array | Sequence[Array],
    head_grads: Array | Sequence[Array | None] | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
    create_graph: bool = False,
) -> None:
    """Compute the gradients of ``heads``, and write them to the gradient arrays of variables.

    Args:
        heads: Arrays computed under :func:`record`.
        head_grads: Gradient of a scalar with respect to each head; None means ones. If the shape
            differs, its first elements are used in order, as in MXNet. Gradients of a head that is
            listed twice are summed, as are those of two equal outputs of a hybridized block.
        retain_graph: Keep the graph for another backward pass.
        train_mode: Whether the operators of the backward pass run in training mode.
        create_graph: Record the backward pass, so that gradients can be differentiated.

    Raises:
        AutogradError: A head is not part of a recorded graph, or the graph was freed.
        ArgumentError: A head is not an array.

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
    retain = retain_graph or create_graph
    sums = run(arrays, grads, create_graph, retain, train_mode, keeps=True)
    written: dict[Device, list[Buffer]] = {}
    for entry, gradient in sums.items():
        if entry.__class__ is not Leaf:
            continue
        # A program has computed the gradient in the variable's own array (gradient_buffers).
        if gradient is entry.grad and entry.req == "write":
            written.setdefault(gradient._device, []).append(gradient._data)
            entry.fresh = True
        else:
            _deliver(entry, gradient, create_graph)
    for device, buffers in written.items():
        device.wrote(*buffers)


def _deliver(leaf: Leaf, gradient: Array, create_graph: bool) -> None:
    target = leaf.gradient()
    if leaf.req == "add":
        with pause(), without_casting():
            gradient = _dispatch.invoke(_ADD, (target, gradient), _ADD.defaults)
    _migration.migrate([target])
    target._write(gradient)
    leaf.fresh = True
    if create_graph:
        target._entry = gradient._entry


def is_fresh(variable: Array) -> bool:
    """Return whether a backward pass has written the variable's gradient since :func:`set_stale`.

    Args:
        variable: An array; False if it has no gradient array.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1.0])
        >>> x.attach_grad()
        >>> is_fresh(x)
        False
    """
    return isinstance(variable._entry, Leaf) and variable._entry.fresh


def set_stale(*variables: Array) -> None:
    """Mark gradients as already used by an update; trainers call it after a step."""
    for variable in variables:
        if isinstance(variable._entry, Leaf):
            variable._entry.fresh = False


def set_fresh(*variables: Array) -> None:
    """Mark gradients as not yet used by an update, as a backward pass does."""
    for variable in variables:
        if isinstance(variable._entry, Leaf):
            variable._entry.fresh = True


def fresh_gradients(variables: Iterable[A]) -> list[A | None]:
    """Return the gradients written since :func:`set_stale`; None for the other variables.

    Args:
        variables: Arrays; the result is None for arrays that are not variables.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x, y = nd.array([1.0]), nd.array([2.0])
        >>> x.attach_grad(), y.attach_grad()
        (None, None)
        >>> with autograd.record():
        ...     z = x * 3
        >>> z.backward()
        >>> [gradient is not None for gradient in autograd.fresh_gradients([x, y])]
        [True, False]
    """
    gradients: list[Any] = []
    for variable in variables:
        entry = variable._entry
        if entry.__class__ is not Leaf or not entry.fresh:
            gradients.append(None)
        else:
            gradients.append(entry.gradient() if entry.grad is None else entry.grad)
    return gradients


def grad(
    heads: Array | Sequence[Array],
    variables: A | Sequence[A],
    head_grads: Array | Sequence[Array | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[A]:
    """Return gradients of ``heads`` with respect to ``variables``, without writing gradient arrays.

    Args:
        heads: Arrays computed under :func:`record`.
        variables: Arrays the heads depend on.
        head_grads: As for :func:`backward`.
        retain_graph: Keep the graph; defaults to the value of ``create_graph``.
        create_graph: Record the pass, so that the gradients can be differentiated again.
        train_mode: As for :func:`backward`.

    Returns:
        A list with one array per variable.

    Raises:
        AutogradError: A head is not in a graph, or does not depend on a variable, or there are no
            variables.
        ArgumentError: A head or a variable is not an array.

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
    wanted = listed(variables, "grad: variables")
    if not wanted:
        raise AutogradError("grad: no variables were given")
    arrays, grads = _heads(heads, head_grads)
    retain = create_graph if retain_graph is None else retain_graph
    results: list[A] = []
    sums = run(arrays, grads, create_graph, retain, train_mode)
    for i, variable in enumerate(wanted):
        entry = variable._entry
        gradient = None if entry is None else sums.get(entry)
        if gradient is None:
            raise AutogradError(f"grad: the heads do not depend on variable {i} {variable.shape}")
        gradient_out = _constant_in(variable, gradient) if create_graph else gradient
        results.append(cast("A", gradient_out))  # of the class that the variable has
    return results


def _constant_in(variable: Array, gradient: A) -> A:
    """Return ``gradient`` as part of the recorded graph, even if it is constant."""
    if gradient._entry is not None:
        return gradient
    result = gradient.detach()
    # Without a node, backward() of a constant gradient would raise an error.
    with record():
        record_function([variable], [result], lambda _: [None])
    return result
