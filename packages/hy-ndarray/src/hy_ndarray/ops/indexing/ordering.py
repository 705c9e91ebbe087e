"""Searching and sorting along an axis."""

from math import prod
from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by, no_gradient
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.rules import check_axis, reduced
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType, show

IndexDType: TypeAlias = Literal["float16", "float32", "float64", "int32", "int64", "uint8"]


def _searched(data: TensorType, axis: int | None, *, keepdims: bool) -> TensorType:
    axes = None if axis is None else (axis,)
    if data.shape is not None:
        where = None if axis is None else check_axis(axis, data)
        if 0 in (data.shape if where is None else data.shape[where : where + 1]):
            raise ShapeError(
                f"cannot reduce {data.label}{show(data.shape)} over axis={axis}: there are no "
                "elements to compare"
            )
    return reduced(data, axes, keepdims=keepdims)


def _of_search(data: TensorType, *, axis: int | None = None, keepdims: bool = False) -> TensorType:
    """Return the type of indices along an axis.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; None searches the flattened array.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Indices in the dtype of ``data``, in its shape without ``axis``; ``(1,)`` if that is empty.

    Raises:
        ShapeError: ``axis`` is out of range, or empty.
    """
    return _searched(data, axis, keepdims=keepdims)


# A small change of the elements leaves positions as they are.
_search = family(_of_search, name="{}", grad=no_gradient)

argmax = _search(
    "argmax",
    text="Return the index of the largest element along ``axis``; of equal elements the first.",
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.argmax(nd.array([[1, 3, 2], [4, 0, 0]]), axis=1).asnumpy()
array([1., 0.], dtype=float32)
"""
    },
)
argmin = _search(
    "argmin",
    text="Return the index of the smallest element along ``axis``; of equal elements the first.",
)


@operator("argmax_channel", grad=no_gradient)
def argmax_channel(data: TensorType) -> TensorType:
    """Return ``argmax`` along axis 1, as of the scores of classes.

    Args:
        data: ``[N, C, *rest]``.

    Returns:
        ``[N, *rest]``, in the dtype of ``data``.

    Raises:
        ShapeError: There is no axis 1, or it is empty.
    """
    return _searched(data, 1, keepdims=False)


def _leading(data: TensorType, axis: int | None, k: int) -> TensorType:
    """Return the type of ``data`` with ``k`` elements along ``axis``, or all for ``k`` below 1."""
    if data.shape is None:
        return data.with_shape(None)
    where = None if axis is None else check_axis(axis, data)
    if where is not None:
        total = data.shape[where]
    else:
        total = None if data.sizes is None else prod(data.sizes)
    if total is not None and k > total:
        operand = f"{data.label}{show(data.shape)}"
        raise ShapeError(f"k={k} exceeds the {total} elements of {operand} along axis={axis}")
    left = k if k > 0 else total
    if where is None:
        return data.with_shape((left,))
    return data.with_shape(left if i == where else n for i, n in enumerate(data.shape))


def _grad_sort(saved: Saved, dy: Any) -> tuple[Any]:
    return (leading_backward(dy, saved.inputs[0], k=0, **saved.params),)


@operator(
    "sort", "_npi_sort", outputs=("output0",), grad=_grad_sort, traits=Traits(outputs_in_files=2)
)
def sort(data: TensorType, *, axis: int | None = -1, is_ascend: bool = True) -> TensorType:
    """Return ``data`` sorted along an axis.

    Args:
        data: ``[*shape]``; nan is ordered after every number.
        axis: The axis to sort along; None for the flattened array.
        is_ascend: Sort in ascending order; else in descending order.

    Returns:
        The sorted array, in the shape of ``data``; flat if ``axis`` is None.

    Raises:
        ShapeError: ``axis`` is out of range.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sort(nd.array([3, 1, 2])).asnumpy()
        array([1., 2., 3.], dtype=float32)
    """
    return _leading(data, axis, 0)


@operator("argsort", "_npi_argsort", grad=no_gradient)
def argsort(
    data: TensorType,
    *,
    axis: int | None = -1,
    is_ascend: bool = True,
    dtype: IndexDType = "float32",
) -> TensorType:
    """Return the indices that would sort ``data`` along an axis.

    Args:
        data: ``[*shape]``; nan is ordered after every number.
        axis: The axis to sort along; None for the flattened array.
        is_ascend: Sort in ascending order, else in descending order. The sort is stable.
        dtype: Dtype of the indices.

    Returns:
        Indices along the axis, in the shape of ``data``; flat if ``axis`` is None.

    Raises:
        ShapeError: ``axis`` is out of range.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.argsort(nd.array([3, 1, 2])).asnumpy()
        array([1., 2., 0.], dtype=float32)
    """
    return _leading(data, axis, 0).with_dtype(dtype)


def _grad_topk(saved: Saved, dy: Any, _: Any = None) -> tuple[Any]:
    if saved.params["ret_typ"] not in ("value", "both"):
        return (None,)
    params = {name: saved.params[name] for name in ("axis", "k", "is_ascend")}
    return (leading_backward(dy, saved.inputs[0], **params),)


@operator(
    "topk",
    "_npx_topk",
    outputs=lambda params: {"value": ("output0",), "both": ("output0", "output1")}.get(
        params["ret_typ"], ("output",)
    ),
    grad=_grad_topk,
    traits=Traits(
        outputs_in_files=lambda params: 1 if params["ret_typ"] in ("indices", "mask") else 2
    ),
)
def topk(
    data: TensorType,
    *,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal["both", "indices", "mask", "value"] = "indices",
    is_ascend: bool = False,
    dtype: IndexDType = "float32",
) -> TensorType | tuple[TensorType, TensorType]:
    """Return the ``k`` largest (or smallest) elements along an axis, sorted.

    Args:
        data: ``[*shape]``; nan is ordered after every number.
        axis: The axis to search; None for the flattened array.
        k: Number of elements; all of them if below 1.
        ret_typ: ``"value"`` for the elements, ``"indices"`` for their indices, ``"both"`` for
            the two, ``"mask"`` for an array like ``data`` with 1 where such an element is, else 0.
        is_ascend: Return the smallest elements instead. Of equal elements the first ones are taken.
        dtype: Dtype of the indices.

    Returns:
        The shape of ``data`` with ``k`` elements along the axis; flat if ``axis`` is None.

    Raises:
        ShapeError: ``axis`` is out of range, or there are fewer than ``k`` elements.

    Gradient:
        Flows to the returned elements, with ``ret_typ`` ``"value"`` or ``"both"``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.topk(nd.array([3, 1, 4, 2]), k=2, ret_typ="value").asnumpy()
        array([4., 3.], dtype=float32)
    """
    values = _leading(data, axis, k)
    if ret_typ == "value":
        return values
    if ret_typ == "mask":
        return data
    indices = values.with_dtype(dtype)
    return indices if ret_typ == "indices" else (values, indices)


@operator("_leading_backward", grad=gradient_by("_leading_of", 1))
def leading_backward(
    dy: TensorType, data: TensorType, *, axis: int | None = -1, k: int = 0, is_ascend: bool = True
) -> TensorType:
    """Return ``dy`` at the positions of the ``k`` first elements in sort order, else 0."""
    dy.set_shape(_leading(data, axis, k).shape)
    return data.with_dtype(dy.dtype)


@operator("_leading_of", grad=gradient_by("_leading_backward", 1))
def leading_of(
    values: TensorType,
    data: TensorType,
    *,
    axis: int | None = -1,
    k: int = 0,
    is_ascend: bool = True,
) -> TensorType:
    """Return ``values`` at the positions of the ``k`` first elements of ``data`` in sort order."""
    values.set_shape(data.shape)
    return values.with_shape(_leading(data, axis, k).shape)
