"""Constant folding during import: planners by operator.

Only these operators are computed during import, and each states the cost of its result before it is
computed, as a file may be malicious.
"""

from hy_onnx.from_onnx.constants import (
    elementwise as elementwise,
    indices as indices,
    products as products,
    quantization as quantization,
    reduce as reduce,
    shapes as shapes,
)
