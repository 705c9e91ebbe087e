"""Constants and tables of MXNet's modules."""

import ctypes
from importlib import import_module
from typing import Any

import numpy as np

from mxnet._c_types import DLManagedTensor
from mxnet._private.absent import Absent

_BFLOAT16 = np.dtype([("bfloat16", np.uint16)])
bfloat16 = _BFLOAT16
"""The dtype that MXNet's bfloat16 arrays have in NumPy."""

_DTYPE_NP_TO_MX: dict[Any, int] = {
    None: -1,
    np.float32: 0,
    np.float64: 1,
    np.float16: 2,
    np.uint8: 3,
    np.int32: 4,
    np.int8: 5,
    np.int64: 6,
    np.bool_: 7,
    _BFLOAT16: 12,
}
"""Numbers of dtypes in MXNet's files and C interface."""
_DTYPE_MX_TO_NP: dict[int, Any] = {number: dtype for dtype, number in _DTYPE_NP_TO_MX.items()}
_DTYPE_CPP_TO_NP: dict[str, Any] = {
    "float": np.float32,
    "double": np.float64,
    "__half": np.float16,
    "uint8_t": np.uint8,
    "int": np.int32,
    "int32_t": np.int32,
    "int8_t": np.int8,
    "char": np.int8,
    "int64_t": np.int64,
}
_STR_2_DTYPE_: dict[str, Any] = {
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "float": np.float64,
    "uint8": np.uint8,
    "int8": np.int8,
    "int32": np.int32,
    "int64": np.int64,
    "int": np.int64,
    "bool": np.bool_,
    "bool_": np.bool_,
    "None": None,
}

_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}
"""Numbers of what is done with gradients, in MXNet's C interface."""

# Codes of MXNet's C interface.
_STORAGE_TYPE_UNDEFINED = -1
_STORAGE_TYPE_DEFAULT = 0
_STORAGE_TYPE_ROW_SPARSE = 1
_STORAGE_TYPE_CSR = 2
_STORAGE_TYPE_STR_TO_ID = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
_STORAGE_TYPE_ID_TO_STR = {number: name for name, number in _STORAGE_TYPE_STR_TO_ID.items()}
_STORAGE_AUX_TYPES: dict[str, list[type]] = {
    "row_sparse": [np.int64],
    "csr": [np.int64, np.int64],
}

# Kinds of keys, by MXNet's codes.
_NDARRAY_UNSUPPORTED_INDEXING = -1
_NDARRAY_BASIC_INDEXING = 0
_NDARRAY_ADVANCED_INDEXING = 1
_NDARRAY_EMPTY_TUPLE_INDEXING = 2
_NDARRAY_NO_ZERO_DIM_BOOL_ARRAY = -1
_NDARRAY_ZERO_DIM_BOOL_ARRAY_FALSE = 0
_NDARRAY_ZERO_DIM_BOOL_ARRAY_TRUE = 1
_SIGNED_INT32_UPPER_LIMIT = 2**31 - 1
_INT64_TENSOR_SIZE_ENABLED: bool | None = None

_OP_NAME_PREFIX_LIST = ["_contrib_", "_linalg_", "_sparse_", "_image_", "_random_"]
_NP_OP_PREFIX = "_np_"
_NP_OP_SUBMODULE_LIST = ["_random_", "_linalg_"]
_NP_EXT_OP_PREFIX = "_npx_"
_NP_EXT_OP_SUBMODULE_LIST = ["_image_", "_random_"]
_NP_INTERNAL_OP_PREFIX = "_npi_"
_NP_OUTPUT_IS_LIST_OPERATORS = {"_npi_split", "_npi_hsplit"}

_np_ufunc_default_kwargs: dict[str, Any] = {
    "where": True,
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
}
_set_np_shape_logged = False
_set_np_array_logged = False
_ONP_OP_MODULES = [np, np.linalg, np.random, np.fft]

_IR_FORMAT = "IfQQ"
"""The header of a record: flag, label, id, id2."""
_IR_SIZE = 24

_CUDA_SUCCESS = 0  # code of the driver
_LUAJIT = None
_url_format = "{repo_url}gluon/models/{file_name}.zip"
_worker_dataset = None
_amp_loss_scale_initialized = False
_loss_scaler = None

_c_str_dltensor = ctypes.c_char_p(b"dltensor")
_c_str_used_dltensor = ctypes.c_char_p(b"used_dltensor")
PyCapsuleDestructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
DeleterFunc = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
_CAPSULES = "arrays make and free their capsules themselves: a.__dlpack__(), mx.nd.from_dlpack(c)"
_c_dlpack_deleter = Absent("_c_dlpack_deleter", _CAPSULES)
_dlpack_deleter = Absent("_dlpack_deleter", _CAPSULES)
dl_managed_tensor_deleter = Absent("dl_managed_tensor_deleter", _CAPSULES)
profiler_kvstore_handle = ctypes.c_void_p()


def __getattr__(name: str) -> Any:
    if name == "_features":  # asking for them loads the kernels
        return import_module("mxnet.runtime").Features()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
