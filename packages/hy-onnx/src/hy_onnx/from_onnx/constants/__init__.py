"""Constants of a model, computed while it is read, by operator.

Only these operators run on what a file holds, and each says what its result will cost before
anything of it exists: a file may be hostile.
"""

from hy_onnx.from_onnx.constants import (
    elementwise as elementwise,
    indices as indices,
    products as products,
    quantization as quantization,
    reduce as reduce,
    shapes as shapes,
)
