"""Import of image resizing and sampling, and col2im."""

from collections.abc import Sequence

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.layers import pads_of, window
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor, whole_numbers

__all__: list[str] = []


@reader("Resize", "Upsample")
def _resize(call: Call) -> Tensor:
    x = call.x
    if x.rank != 4:  # noqa: PLR2004
        raise call.refused(f"data of {x.rank} axes; the catalogue resizes images, [N, C, H, W]")
    sizes = _new_sizes(call)
    mode = call.attr("mode", "nearest")
    how = call.attr("coordinate_transformation_mode", "half_pixel")
    if call.node.op == "Upsample" or call.opset < 11:  # noqa: PLR2004
        how = "asymmetric"
    # Opset 10's Resize and Upsample have no coordinate mode.
    if call.attr("antialias", 0) or not _is_whole(call, sizes):
        raise call.refused("antialias=1, or scales that give no whole sizes; export with sizes")
    if how == "pytorch_half_pixel" and min(sizes) > 1:
        how = "half_pixel"
    if mode in ("linear", "bilinear") and how in ("align_corners", "half_pixel"):
        size = {**_bilinear_size(call, sizes), "align_corners": how == "align_corners"}
        data = x if x.is_floating else call.cast(x, "float64")  # weights are no integers
        return call.cast(call.op("_contrib_BilinearResize2D", data, **size), x.dtype)
    # Whole factors only: MXNet's UpSampling repeats each element.
    factors = [divmod(m, n) for m, n in zip(sizes, x.shapes[0][2:], strict=True)]
    whole = factors[0] == factors[1] and factors[0][1] == 0
    nearest = call.attr("nearest_mode", "round_prefer_floor").replace("prefer_ceil", "prefer_floor")
    old = call.opset < 11  # noqa: PLR2004
    fits = old or (how, nearest) in _REPEATED
    if mode == "nearest" and whole and fits:
        return call.op("UpSampling", x, scale=factors[0][0], sample_type="nearest")
    raise call.refused(
        f"mode={mode!r} with {how!r} to {tuple(sizes)}; the catalogue enlarges by whole factors "
        "('nearest'), and resizes linearly with 'half_pixel' or 'align_corners'"
    )


def _bilinear_size(call: Call, sizes: Sequence[int]) -> dict[str, float]:
    """Return the target height and width, or scale factors, as parameters of the operator."""
    # Fixed sizes are written as sizes; open ones as scales, which hold for all.
    if call.x.dims[2:] == call.x.shapes[0][2:] or call.has(3):
        return {"height": sizes[0], "width": sizes[1]}
    height, width = _scales(call)[-2:]
    return {"scale_height": height, "scale_width": width}


_REPEATED = (("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"))
"""Coordinate and rounding modes that repeat each element if the factor is an integer."""


def _is_whole(call: Call, sizes: Sequence[int]) -> bool:
    """Return whether scales, if given, equal the ratios of the integer sizes."""
    if call.has(3):
        return True
    scales = _scales(call)
    space = call.x.shapes[0][2:]
    pairs = zip(space, list(scales)[-2:], sizes, strict=True)
    return all(abs(n * float(s) - m) < 1e-4 for n, s, m in pairs)  # noqa: PLR2004


def _scales(call: Call) -> list[float]:
    if "scales" in call.node.attrs:
        return list(call.attr("scales"))
    if "width_scale" in call.node.attrs:  # version 1
        return [1.0, 1.0, call.attr("height_scale"), call.attr("width_scale")]
    position = 2 if call.opset >= 11 and call.node.op == "Resize" else 1  # noqa: PLR2004
    return [float(s) for s in call.known(position, "scales").reshape(-1)[-2:]]


def _new_sizes(call: Call) -> list[int]:
    """Return the height and width of the result."""
    space = call.x.shapes[0][2:]
    if call.has(3):
        return [int(n) for n in call.known(3, "sizes").reshape(-1)[-2:]]
    scales = _scales(call)
    return [int(np.floor(n * float(s))) for n, s in zip(space, list(scales)[-2:], strict=True)]


@reader("GridSample")
def _grid_sample(call: Call) -> Tensor:
    mode, pad = call.attr("mode", "linear"), call.attr("padding_mode", "zeros")
    # The catalogue's BilinearSampler: -1 and 1 are the middles of the corners.
    if mode not in ("linear", "bilinear") or pad != "zeros" or not call.attr("align_corners", 0):
        raise call.refused(
            f"mode={mode!r}, padding_mode={pad!r}, align_corners={call.attr('align_corners', 0)}; "
            "the catalogue samples linearly, with zeros around and corners aligned"
        )
    return call.op("BilinearSampler", call.x, call.transpose(call.tensor(1), 0, 3, 1, 2))


@reader("DeformConv")
def _deformable(call: Call) -> Tensor:
    weight, offset = call.tensor(1), call.tensor(2)
    kernel = list(weight.shapes[0][2:])
    begin, end = pads_of(call, kernel, call.x.dims[2:])
    if begin != end:
        raise call.refused(f"pads={[*begin, *end]} that differ at the ends of an axis")
    if call.has(4):
        mask = call.tensor(4)
    else:
        half = call.op("slice_axis", offset, axis=1, begin=0, end=offset.shapes[0][1] // 2)
        mask = call.op("ones_like", half)
    bias = [call.tensor(3)] if call.has(3) else []
    return call.op(
        "_contrib_ModulatedDeformableConvolution",
        *(call.x, offset, mask, weight, *bias),
        kernel=kernel,
        pad=begin,
        num_filter=weight.shapes[0][0],
        num_group=call.attr("group", 1),
        num_deformable_group=call.attr("offset_group", 1),
        no_bias=not bias,
        **window(call, len(kernel)),
    )


@reader("MaxRoiPool")
def _max_roi_pool(call: Call) -> Tensor:
    how = {
        "pooled_size": call.attr("pooled_shape"),
        "spatial_scale": call.attr("spatial_scale", 1.0),
    }
    return call.op("ROIPooling", *call.tensors(), **how)


@reader("RoiAlign")
def _roi_align(call: Call) -> Tensor:
    if call.attr("mode", "avg") != "avg":
        raise call.refused(f"mode={call.attr('mode')!r}; the catalogue averages")
    # The default changed with opset 16.
    default = "half_pixel" if call.opset >= 16 else "output_half_pixel"  # noqa: PLR2004
    aligned = call.attr("coordinate_transformation_mode", default) == "half_pixel"
    number = call.op("expand_dims", call.cast(call.tensor(2), call.x.dtype), axis=1)
    return call.op(
        "_contrib_ROIAlign",
        call.x,
        call.op("Concat", number, call.tensor(1), dim=1),
        pooled_size=(call.attr("output_height", 1), call.attr("output_width", 1)),
        sample_ratio=call.attr("sampling_ratio", 0) or -1,
        spatial_scale=call.attr("spatial_scale", 1.0),
        aligned=aligned,
    )


@reader("Col2Im")
def _col2im(call: Call) -> Tensor:
    sizes, kernel = (whole_numbers(call.known(i, "a shape")) for i in (1, 2))
    rank = len(kernel)
    pads = list(call.attr("pads") or [0] * (2 * rank))
    begin, end = pads[:rank], pads[rank:]
    even = begin == end
    whole = [n + a + b for n, a, b in zip(sizes, begin, end, strict=True)]
    y = call.op(
        "col2im",
        call.x,
        output_size=sizes if even else whole,
        kernel=kernel,
        pad=begin if even else [0] * rank,
        **window(call, rank),
    )
    if even:
        return y
    last = [a + n for a, n in zip(begin, sizes, strict=True)]
    return call.op("slice", y, begin=(None, None, *begin), end=(None, None, *last))
