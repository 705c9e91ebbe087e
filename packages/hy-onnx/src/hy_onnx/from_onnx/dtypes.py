"""Conversion of dtypes in ONNX models."""

__all__ = ["DTYPES", "dtype_code"]

DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    16: "bfloat16",
}
"""Dtypes by ONNX's numbers of them."""

_DTYPE_NUMBERS = {
    "FLOAT": 1,
    "UINT8": 2,
    "INT8": 3,
    "INT32": 6,
    "INT64": 7,
    "BOOL": 9,
    "FLOAT16": 10,
    "DOUBLE": 11,
}


def dtype_code(value: object) -> object:
    """Return ONNX's number of a dtype; up to opset 5, attributes hold its name instead."""
    return _DTYPE_NUMBERS.get(value, value) if isinstance(value, str) else value
