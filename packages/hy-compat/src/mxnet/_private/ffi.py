"""Stand-ins and helpers for MXNet's foreign-function interface."""

import ctypes
import functools
from collections import OrderedDict
from collections.abc import Callable
from numbers import Integral, Number
from typing import Any

import numpy as np

from hy_ndarray import NDArray
from mxnet._c_types import FunctionHandle, NDArrayHandle, c_array, c_str, c_str_array, py_str
from mxnet._private.absent import Absent, absent_class
from mxnet.base import (
    _LIB,
    check_call,
    get_last_ffi_error,
    integer_types,
    numeric_types,
    string_types,
)
from mxnet.runtime import Features

__all__ = [
    "_LIB",
    "Features",
    "FunctionHandle",
    "Integral",
    "NDArrayHandle",
    "Number",
    "OrderedDict",
    "c_array",
    "c_str",
    "c_str_array",
    "check_call",
    "get_last_ffi_error",
    "integer_types",
    "numeric_types",
    "py_str",
    "string_types",
]

__path__: list[str] = []  # modules below this one are it, by other paths
NDArrayBase = NDArray
ObjectHandle = ctypes.c_void_p
RETURN_SWITCH: dict[int, Callable[[Any], Any]] = {}
"""What is made of results of the C library, by their kind: there are none."""
_np = np

_CALL = "functions of mx.nd, mx.np and mx.sym run operators themselves"
_TVM = "kernels of your own come in a kernel package (entry-point group hy.kernels)"

_init_api = Absent("_init_api", _CALL)
_init_api_prefix = Absent("_init_api_prefix", _CALL)
_get_api = Absent("_get_api", _CALL)
get_global_func = Absent("get_global_func", _CALL)
list_global_func_names = Absent("list_global_func_names", "mx.nd.op lists operators")
_make_mxnet_args = Absent("_make_mxnet_args", _CALL)
_set_class_object = Absent("_set_class_object", _CALL)
_return_object = Absent("_return_object", _CALL)
convert_to_node = Absent("convert_to_node", _CALL)
_scalar_type_inference = Absent("_scalar_type_inference", "numpy.result_type says dtypes")
const = Absent("const", _CALL)
_ADT, _Integer, _nop = (Absent(name, _CALL) for name in ("_ADT", "_Integer", "_nop"))
tensordot = Absent("_api_internal.tensordot", "mx.np.tensordot")
zeros = Absent("_api_internal.zeros", "mx.np.zeros")

Function = FunctionBase = _FunctionBase = absent_class("Function", _CALL)
Object = ObjectBase = _ObjectBase = _CLASS_OBJECT = absent_class("Object", _CALL)
MXNetValue = absent_class("MXNetValue", _CALL)
TVMByteArray = absent_class("TVMByteArray", _TVM)
TypeCode = absent_class("TypeCode", _CALL)

ConfigSpace = absent_class("ConfigSpace", _TVM)
ConfigSpaces = absent_class("ConfigSpaces", _TVM)
OtherOptionEntity = absent_class("OtherOptionEntity", _TVM)
OtherOptionSpace = absent_class("OtherOptionSpace", _TVM)
CConfigSpace = absent_class("CConfigSpace", _TVM)
CConfigSpaces = absent_class("CConfigSpaces", _TVM)
COtherOptionEntity = absent_class("COtherOptionEntity", _TVM)
COtherOptionSpace = absent_class("COtherOptionSpace", _TVM)
_set_tvm_op_config = Absent("_set_tvm_op_config", _TVM)
c_config_space = Absent("c_config_space", _TVM)
c_config_spaces = Absent("c_config_spaces", _TVM)
c_other_option_entity = Absent("c_other_option_entity", _TVM)
c_other_option_space = Absent("c_other_option_space", _TVM)


def decorate(func: Callable[..., Any], fdecorate: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``func`` wrapped so that calls become ``fdecorate(func, *args)``."""

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return fdecorate(func, *args, **kwargs)

    return decorated
