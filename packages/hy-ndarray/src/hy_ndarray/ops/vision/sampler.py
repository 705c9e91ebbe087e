"""Sampling of images on computed grids: spatial transformers (Jaderberg et al., 2015)."""

from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.nn._window import check_pixels
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import expect_rank, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType

Transform: TypeAlias = Literal["affine", "warp"]


def _grad_grid(saved: Saved, dy: Any) -> tuple[Any]:
    kind = saved.params["transform_type"]
    return (grid_generator_backward(dy, saved.inputs[0], transform_type=kind),)


def _check_target(target_shape: Shape) -> None:
    if len(target_shape) != 2 or min(target_shape) < 1:
        raise ArgumentError(f"target_shape={target_shape} must have two positive numbers")


@operator("GridGenerator", grad=_grad_grid, traits=Traits(outputs_in_files=2))
def grid_generator(
    data: TensorType, *, transform_type: Transform, target_shape: Shape = (0, 0)
) -> TensorType:
    """Return a sampling grid of x and y coordinates for ``BilinearSampler``.

    Args:
        data: Floating. For ``"affine"`` ``[N, 6]``, the matrix ``[[a, b, c], [d, e, f]]`` that is
            applied to ``(x, y, 1)`` of a regular grid; for ``"warp"`` ``[N, 2, H, W]``, the
            displacement in pixels of each point of a regular grid.
        transform_type: ``"affine"`` or ``"warp"``.
        target_shape: Height and width of the grid, for ``"affine"``.

    Returns:
        ``[N, 2, H, W]``; -1 and 1 are the outermost elements.

    Raises:
        ShapeError: ``data`` has a wrong shape.
        ArgumentError: ``target_shape`` is not two positive numbers.
    """
    if transform_type == "warp":
        expect_rank(data, 4)
        data.set_shape((None, 2, None, None))
        return data
    _check_target(target_shape)
    expect_rank(data, 2)
    data.set_shape((None, 6))
    return data.with_shape((data.shape[0] if data.shape else None, 2, *target_shape))


def _check_grid(grid: TensorType, data: TensorType, kind: Transform) -> None:
    """Check that ``grid`` has the type that ``GridGenerator`` returns for ``data``."""
    same_dtype(grid, data)
    expect_rank(grid, 4)
    sizes = grid.sizes
    if kind == "warp" or sizes is not None:
        target = (0, 0) if sizes is None else sizes[2:]
        like_result(grid, grid_generator, data, transform_type=kind, target_shape=target)


@operator("_grid_generator_backward", grad=gradient_by("_grid_generator_linear", 0))
def grid_generator_backward(
    dy: TensorType, data: TensorType, *, transform_type: Transform
) -> TensorType:
    """Return the gradient of ``GridGenerator`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    same_dtype(dy, data)
    _check_grid(dy, data, transform_type)
    return data


@operator("_grid_generator_linear", grad=gradient_by("_grid_generator_backward", 0))
def grid_linear(data: TensorType, like: TensorType, *, transform_type: Transform) -> TensorType:
    """Return the linear part of ``GridGenerator``, without the constant part."""
    _check_grid(like, data, transform_type)
    return like


def _grad_sampler(saved: Saved, dy: Any) -> tuple[Any, Any]:
    ddata, dgrid = bilinear_sampler_backward(dy, *saved.inputs)
    return ddata, dgrid


@operator("BilinearSampler", grad=_grad_sampler, traits=Traits(outputs_in_files=2))
def bilinear_sampler(
    data: TensorType, grid: TensorType, *, cudnn_off: bool | None = None
) -> TensorType:
    """Return images sampled bilinearly at the points of a grid; zero outside.

    Args:
        data: ``[N, C, H, W]``, floating.
        grid: ``[N, 2, height, width]``: x and y; -1 and 1 are the outermost elements.
        cudnn_off: Accepted and ignored.

    Returns:
        ``[N, C, height, width]``.

    Raises:
        ShapeError: The operands are incompatible.
    """
    same_dtype(data, grid)
    expect_rank(data, 4)
    check_pixels(data)
    expect_rank(grid, 4)
    batch, channels = (None, None) if data.shape is None else data.shape[:2]
    grid.set_shape((batch, 2, None, None))
    size = (None, None) if grid.shape is None else grid.shape[2:]
    return data.with_shape((batch, channels, *size))


@operator("_bilinear_sampler_backward", outputs=("data", "grid"))
def bilinear_sampler_backward(
    dy: TensorType, data: TensorType, grid: TensorType
) -> tuple[TensorType, TensorType]:
    """Return the gradients of ``BilinearSampler`` with respect to data and grid."""
    same_dtype(dy, data, grid)
    like_result(dy, bilinear_sampler, data, grid)
    return data, grid


def _grad_transformer(saved: Saved, dy: Any) -> tuple[Any, Any]:
    data, loc = saved.inputs
    options = {"transform_type": "affine"}
    grid = grid_generator(loc, target_shape=saved.params["target_shape"], **options)
    ddata, dgrid = bilinear_sampler_backward(dy, data, grid)
    return ddata, grid_generator_backward(dgrid, loc, **options)


@operator("SpatialTransformer", grad=_grad_transformer, traits=Traits(outputs_in_files=3))
def spatial_transformer(
    data: TensorType,
    loc: TensorType,
    *,
    target_shape: Shape = (0, 0),
    transform_type: Literal["affine"],
    sampler_type: Literal["bilinear"],
    cudnn_off: bool | None = None,
) -> TensorType:
    """Return images sampled at an affine transformation of a regular grid.

    Args:
        data: ``[N, C, H, W]``, floating.
        loc: ``[N, 6]``, the matrix ``[[a, b, c], [d, e, f]]`` that is applied to ``(x, y, 1)``.
        target_shape: Height and width of the result.
        transform_type: Only ``"affine"``.
        sampler_type: Only ``"bilinear"``.
        cudnn_off: Accepted and ignored.

    Returns:
        ``[N, C, *target_shape]``.

    Raises:
        ShapeError: The operands are incompatible.
        ArgumentError: ``target_shape`` is not two positive numbers.

    Source:
        Jaderberg, Simonyan, Zisserman and Kavukcuoglu, Spatial Transformer Networks, 2015.
    """
    _check_target(target_shape)
    same_dtype(data, loc)
    expect_rank(data, 4)
    check_pixels(data)
    batch, channels = (None, None) if data.shape is None else data.shape[:2]
    loc.set_shape((batch, 6))
    return data.with_shape((batch, channels, *target_shape))
