"""Gradients: variables, and the backward pass that fills their gradient arrays."""

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

__all__ = [
    "attach",
    "backward",
    "fresh_gradients",
    "grad",
    "is_fresh",
    "listed",
    "mark_variables",
    "set_fresh",
    "set_stale",
]

# It takes mixed dtypes: a gradient of float16 may be added to an array of float32.
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
    """Make arrays variables whose gradients are written to the given arrays.

    Args:
        variables: The arrays.
        gradients: One array of the same shape for each.
        grad_reqs: ``"write"``, ``"add"`` or ``"null"``, one for all or one for each.

    Raises:
        GradRequestError: A request is none of these.
        AutogradError: There are not as many gradients or requests as variables, or a variable is
            complex.
        ArgumentError: A variable or a gradient is no array.
    """
    arrays = listed(variables, "mark_variables: variables")
    buffers = listed(gradients, "mark_variables: gradients")
    reqs = grad_reqs if isinstance(grad_reqs, list | tuple) else [grad_reqs] * len(arrays)
    if not len(arrays) == len(buffers) == len(reqs):
        counts = f"{len(arrays)} variables, {len(buffers)} gradients, {len(reqs)} requests"
        raise AutogradError(
            f"mark_variables: variables, gradients and grad_reqs must be equally many, not {counts}"
        )
    for req in reqs:
        if not isinstance(req, str) or req not in _REQUESTS:
            raise _wrong_request(req)
    for array, gradient, req in zip(arrays, buffers, reqs, strict=True):
        attach(array, gradient, req)


def attach(array: Array, gradient: Array | Callable[[], Array], req: str) -> None:
    """Make an array a variable.

    Args:
        array: The array.
        gradient: Where its gradient is written, or what makes that when it is first needed.
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
    """Return arrays as a list; a single one as a list of one.

    Args:
        arrays: An array, or several.
        what: Their name in messages.

    Raises:
        ArgumentError: There is something else among them; of a symbol `SymbolOperandError`.
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
        raise kind(f"{what}: {kind_of(x)} is given where an NDArray belongs{advice}")
    return as_list


def _heads(heads: Array | Iterable[Array], head_grads: Any) -> tuple[list[Array], list[Array]]:
    """Return the heads, and a gradient for each: ones by default."""
    arrays = listed(heads, "heads")
    if head_grads is None:
        listed_grads: Sequence[Any] = [None] * len(arrays)
    else:
        listed_grads = head_grads if isinstance(head_grads, list | tuple) else [head_grads]
    if not arrays:
        raise AutogradError("backward: no arrays to differentiate are given")
    if len(listed_grads) != len(arrays):
        raise AutogradError(f"{len(arrays)} heads but {len(listed_grads)} head gradients")
    return arrays, [
        _checked_head(i, *pair) for i, pair in enumerate(zip(arrays, listed_grads, strict=True))
    ]


def _checked_head(i: int, array: Array, gradient: Any) -> Array:
    """Return the gradient of head ``i`` in its shape and dtype."""
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
            f"head gradient {i} is {kind_of(gradient)}, not an NDArray{conversion(gradient)}"
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
"""Operators whose gradient MXNet computes from a head gradient of any dtype."""


def _in_dtype_of(array: Array, gradient: Array) -> Array:
    """Return a head gradient in the dtype of its head.

    Raises:
        AutogradError: It has another, and the gradient of the head's operator does not cast.
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
                f"the head {array.shape} of {op.name} is {dtype}, its head gradient {own}; convert "
                f"that with astype('{dtype}')"
            )
    return as_dtype(gradient, dtype, copy=False)


def _ones_like(array: Array) -> Array:
    # The kernel directly, in fewer steps than a call of the operator.
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
    """Compute the gradients of ``heads`` into the gradient arrays of variables.

    Args:
        heads: Arrays computed under :func:`record`.
        head_grads: Gradient of some scalar in each head; ones where None. One of another shape, or
            with more elements, is taken element by element. Those of an array that is given twice
            are added up, as are those of the two outputs that a hybridized block has for it.
        retain_graph: Keep the graph for another pass.
        train_mode: Whether operators of the backward pass are in training mode.
        create_graph: Record the backward pass, so that gradients can be differentiated.

    Raises:
        AutogradError: A head is not part of a recorded graph, or the graph was freed.
        ArgumentError: A head is no array.

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
    """Return whether a backward pass has written the gradient since :func:`set_stale`.

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
    """Mark the gradients of variables as used; trainers do so after a step."""
    for variable in variables:
        if isinstance(variable._entry, Leaf):
            variable._entry.fresh = False


def set_fresh(*variables: Array) -> None:
    """Mark the gradients of variables as new, as after a backward pass."""
    for variable in variables:
        if isinstance(variable._entry, Leaf):
            variable._entry.fresh = True


def fresh_gradients(variables: Iterable[A]) -> list[A | None]:
    """Return the gradients that were written since :func:`set_stale`, None for others.

    Args:
        variables: Arrays; None for those without a gradient array.

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
    """Return the gradients of ``heads`` to ``variables``, whose gradient arrays stay as they are.

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
        AutogradError: A head is not in a graph, or does not depend on a variable, or there are no
            variables.
        ArgumentError: A head or a variable is no array.

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
        raise AutogradError("grad: no variables are given")
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
    """Return ``gradient`` as part of the graph of ``variable``, also where it is constant in it."""
    if gradient._entry is not None:
        return gradient
    result = gradient.detach()
    # A constant gradient has no node, so that a second backward would refuse it: it gets one.
    with record():
        record_function([variable], [result], lambda _: [None])
    return result
