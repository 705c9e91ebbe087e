"""Import of ONNX models: one reader per operator, in one file per family."""

from hy_onnx.from_onnx import (
    constants as constants,
    control as control,
    detection as detection,
    images as images,
    indices as indices,
    layers as layers,
    microsoft as microsoft,
    pointwise as pointwise,
    quantization as quantization,
    quantized as quantized,
    random as random,
    recurrent as recurrent,
    reduce as reduce,
    shapes as shapes,
    spectral as spectral,
)
