# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, overload

import numpy.typing as npt
from hy_ndarray.ops import Operator

__all__ = ["Fluent"]

class Fluent:
    __slots__ = ()

    @classmethod
    def call_operator(
        cls, op: Operator, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any: ...
    def abs(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The absolute value."""
    def arccos(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The angle in ``[0, π]`` whose cosine is ``data``; nan outside of ``[-1, 1]``."""
    def arccosh(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The number, not negative, whose hyperbolic cosine is ``data``; nan below 1."""
    def arcsin(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The angle in ``[-π/2, π/2]`` whose sine is ``data``; nan outside of ``[-1, 1]``."""
    def arcsinh(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The number whose hyperbolic sine is ``data``."""
    def arctan(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The angle in ``[-π/2, π/2]`` whose tangent is ``data``."""
    def arctanh(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The number whose hyperbolic tangent is ``data``; nan outside of ``[-1, 1]``."""
    def argmax(self, axis: int | None = None, keepdims: bool = False, *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the index of the largest element along ``axis``; of equal elements the first."""
    def argmax_channel(self, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return ``argmax`` along axis 1, as of the scores of classes."""
    def argmin(self, axis: int | None = None, keepdims: bool = False, *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the index of the smallest element along ``axis``; of equal elements the first."""
    def argsort(self, axis: int | None = -1, is_ascend: bool = True,
            dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the indices that would sort ``data`` along an axis."""
    def broadcast_axes(self, axis: int | Sequence[int] = (), size: int | Sequence[int] = (), *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the array broadcast along some axes of size 1."""
    def cbrt(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The cube root."""
    def ceil(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The smallest integer not below each element."""
    def clip(self, a_min: float, a_max: float, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return ``data`` with elements clipped to the interval from ``a_min`` to ``a_max``."""
    def cos(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The cosine of angles in radians."""
    def cosh(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The hyperbolic cosine."""
    def degrees(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Angles in radians as degrees."""
    def depth_to_space(self, block_size: int, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return channels rearranged to blocks of pixels, of height and width ``B``."""
    def exp(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """``e`` to the power of ``data``."""
    def expm1(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """``exp(data) - 1``, exact near 0."""
    def fix(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Each element without its fraction; as ``trunc``."""
    def flip(self, axis: int | Sequence[int], *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the elements in reverse order along some axes."""
    def floor(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The largest integer not above each element."""
    def log(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The natural logarithm; -inf at 0, nan below."""
    def log10(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The logarithm to base 10."""
    def log1p(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """``log(1 + data)``, exact near 0."""
    def log2(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The logarithm to base 2."""
    def log_softmax(self, axis: int = -1, temperature: float | None = None,
            dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the logarithm of the softmax along ``axis``, exact also where softmax underflows."""
    def max(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The largest element along some axes; nan if there is one."""
    def mean(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The mean of the elements along some axes."""
    def min(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The smallest element along some axes; nan if there is one."""
    def nanprod(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The product of the elements along some axes, where nan counts as 1."""
    def nansum(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The sum of the elements along some axes, where nan counts as 0."""
    def norm(self, ord: int = 2, axis: int | Sequence[int] | None = None,
            out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
            keepdims: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the L1 or L2 norm of the vectors along some axes."""
    def one_hot(self, depth: int, on_value: float = 1.0, off_value: float = 0.0,
            dtype: npt.DTypeLike = "float32", *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return a one-hot vector for each index."""
    def ones_like(self, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return ones in the shape and dtype of ``data``."""
    def pad(self, mode: Literal["constant", "edge", "reflect"], pad_width: int | Sequence[int],
            constant_value: float = 0.0, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the array padded before and after each axis."""
    def pick(self, index: Self, axis: int | None = -1, keepdims: bool = False,
            mode: Literal["clip", "wrap"] = "clip", *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the element at ``index`` along an axis, for each position of the other axes."""
    def prod(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The product of the elements along some axes."""
    def radians(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Angles in degrees as radians."""
    def rcbrt(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """``1 / cbrt(data)``."""
    def reciprocal(self, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """``1 / data``."""
    def relu(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The ReLU ``max(data, 0)``; its gradient at 0 is 0."""
    def repeat(self, repeats: int, axis: int | None = None, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the array with each element repeated along an axis."""
    def reshape_like(self, rhs: Self, lhs_begin: int | None = None, lhs_end: int | None = None,
            rhs_begin: int | None = None, rhs_end: int | None = None, *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return ``lhs`` in the shape of ``rhs``, or with some axes reshaped to some axes of ``rhs``."""
    def rint(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The nearest integer; of two equally near ones the lower."""
    def round(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The nearest integer; of two equally near ones that farther from 0."""
    def rsqrt(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """``1 / sqrt(data)``."""
    def shape_array(self, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the shape of ``data`` as an int64 vector."""
    def sigmoid(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The logistic function ``1 / (1 + exp(-data))``."""
    def sign(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """-1 for negative elements, 1 for positive ones, 0 for 0 and nan."""
    def sin(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The sine of angles in radians."""
    def sinh(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The hyperbolic sine."""
    def size_array(self, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the number of elements of ``data`` as an int64 vector of length 1."""
    def slice(self, begin: int | None | Sequence[int | None], end: int | None | Sequence[int | None],
            step: int | None | Sequence[int | None] = (), *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return ``data[begin:end:step]``, with the meaning of Python slices."""
    def slice_axis(self, axis: int, begin: int, end: int | None, *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the slice ``begin:end`` along one axis."""
    def slice_like(self, shape_like: Self, axes: int | Sequence[int] = (), *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return ``data`` cut to the sizes of ``shape_like`` along some axes."""
    def softmax(self, length: Self | None = None, axis: int = -1, temperature: float | None = None,
            dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the softmax along ``axis``: exponentials normalized to sum to 1."""
    def softmin(self, axis: int = -1, temperature: float | None = None,
            dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the softmax of ``-data``."""
    def sort(self, axis: int | None = -1, is_ascend: bool = True, *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return ``data`` sorted along an axis."""
    def space_to_depth(self, block_size: int, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return blocks of pixels rearranged to channels; the inverse of ``depth_to_space``."""
    def split(self, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *, out: Any = None,
            name: str | None = None, attr: Mapping[str, str] | None = None) -> Any:
        """Return an array split along an axis into equal parts."""
    def sqrt(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The square root; nan for negative elements."""
    def square(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """``data * data``."""
    def sum(self, axis: int | Sequence[int] | None = None, keepdims: bool = False,
            exclude: bool = False, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """The sum of the elements along some axes."""
    def swapaxes(self, dim1: int = 0, dim2: int = 0, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the array with two axes exchanged."""
    def take(self, indices: Self, axis: int = 0, mode: Literal["clip", "raise", "wrap"] = "clip", *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Return the slices of ``a`` at the given indices along an axis."""
    def tan(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The tangent of angles in radians."""
    def tanh(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """The hyperbolic tangent."""
    def tile(self, reps: int | Sequence[int], *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the array tiled: repeated as a whole along its axes."""
    def topk(self, axis: int | None = -1, k: int = 1,
            ret_typ: Literal["both", "indices", "mask", "value"] = "indices", is_ascend: bool = False,
            dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
            out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Any:
        """Return the ``k`` largest (or smallest) elements along an axis, sorted."""
    def transpose(self, axes: int | Sequence[int] = (), *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return the array with its axes permuted."""
    def trunc(self, *, out: Any = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Self:
        """Each element without its fraction."""
    def zeros_like(self, *, out: Any = None, name: str | None = None,
            attr: Mapping[str, str] | None = None) -> Self:
        """Return zeros in the shape and dtype of ``data``."""
