"""Post-training quantization: calibration, and conversion of graphs and blocks to int8."""

from hy_gluon.quantization.collector import (
    CalibrationCollector as CalibrationCollector,
    HistogramCollector as HistogramCollector,
    MinMaxCollector as MinMaxCollector,
    combine_histogram as combine_histogram,
)
from hy_gluon.quantization.model import (
    calib_graph as calib_graph,
    quantize_graph as quantize_graph,
    quantize_model as quantize_model,
    quantize_model_mkldnn as quantize_model_mkldnn,
)
from hy_gluon.quantization.net import (
    quantize_net as quantize_net,
    quantize_net_v2 as quantize_net_v2,
)
from hy_gluon.quantization.options import QuantizationError as QuantizationError
