"""MXNet's descriptions of parameter types, such as ``int, required``, which tools parse."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from hy_ndarray._dtypes import DTYPES
from hy_ndarray.ops.record.params import REQUIRED, Ctx, Dims, DType, Floats, Param, Shape

__all__ = ["documentation", "mxnet_description"]

_UNSIGNED = """
num_filter num_group state_size num_layers kernel_size max_displacement stride1 stride2 pad_size
nsize num_deformable_group im2col_step
"""
_DOUBLES = """
scalar start step stop constant_value value on_value off_value val fill_value base nan rcond
initial temperature posinf neginf lstm_state_clip_min lstm_state_clip_max
"""
_OF_C = {"workspace": "long (non-negative)"}
_OF_C |= dict.fromkeys(_UNSIGNED.split(), "int (non-negative)")
_OF_C |= dict.fromkeys(_DOUBLES.split(), "double")
"""MXNet's C types by parameter name, where one Python type stands for several C types."""


def mxnet_description(param: Param) -> str:
    """Return a parameter's type and default as MXNet describes them.

    Example:
        >>> from hy_ndarray.ops import find
        >>> for name in ("kernel", "num_filter", "no_bias", "layout"):
        ...     print(mxnet_description(find("Convolution").params[name]))
        Shape(tuple), required
        int (non-negative), required
        boolean, optional, default=0
        {None, 'NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'},optional, default='None'
    """
    kind, optional = _type_words(param)
    if kind.startswith("{"):
        end = ", required" if param.default is REQUIRED else f",optional, default='{param.default}'"
        return kind + end
    if optional and param.name != "shape":  # that of a draw, which MXNet calls no option
        kind = f"{'Shape' if kind == 'Shape(tuple)' else kind} or None"
    if param.default is REQUIRED:
        return f"{kind}, required"
    return f"{kind}, optional, default={_default(kind, param.default)}"


def documentation(doc: str, params: Mapping[str, Param]) -> str:
    """Return an operator's docstring with a section on the types of its parameters.

    Example:
        >>> from hy_ndarray.ops import find
        >>> documentation("Bend.", find("Activation").params).splitlines()[3].strip()
        "act_type: {'relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'}, required"
    """
    if not params:
        return doc
    kinds = (f"    {name}: {mxnet_description(param)}" for name, param in params.items())
    return "\n".join([doc, "", "Kinds of parameters:", *kinds])


def _type_words(param: Param) -> tuple[str, bool]:
    """Return MXNet's name of a parameter's type, and whether the parameter may be None."""
    annotation, optional = param.annotation, False
    if get_origin(annotation) in (Union, UnionType):
        optional = NoneType in get_args(annotation)
        (annotation,) = (part for part in get_args(annotation) if part is not NoneType)
    if get_origin(annotation) is Literal or annotation is DType:
        options = DTYPES if annotation is DType else get_args(annotation)
        shown = [*(["None"] if optional else []), *(f"'{option}'" for option in sorted(options))]
        return f"{{{', '.join(shown)}}}", optional
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if annotation in (int, float):
        return _OF_C.get(param.name, annotation.__name__), optional
    if annotation == Dims:
        return "Shape(tuple)", False
    names = {bool: "boolean", Shape: "Shape(tuple)", Ctx: "string"}
    names |= {str: "string", Floats: "tuple of <float>"}
    return names.get(annotation, "string"), optional


def _default(kind: str, default: Any) -> str:
    if isinstance(default, bool):
        return str(int(default))
    if isinstance(default, tuple):
        return f"[{','.join(f'{x:g}' for x in default)}]"
    if kind == "double":
        return f"{default:.17g}"
    if isinstance(default, float):
        return f"{float(np.float32(default)):.9g}"
    quoted = kind in ("int", "int or None", "string", "string or None")
    return f"'{default}'" if quoted else str(default)
