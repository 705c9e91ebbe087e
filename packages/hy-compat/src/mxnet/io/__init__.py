"""Iterators over batches: of arrays, of files, and of other iterators."""

import sys as _sys
from types import ModuleType as _ModuleType

from hy_gluon.batches import DataBatch as DataBatch, DataDesc as DataDesc, DataIter as DataIter
from hy_ndarray.nd import concat as concat, tile as tile
from mxnet.io import arrays as _arrays
from mxnet.io.combined import PrefetchingIter as PrefetchingIter, ResizeIter as ResizeIter
from mxnet.io.csv_iter import CSVIter as CSVIter
from mxnet.io.image_det_record_iter import ImageDetRecordIter as ImageDetRecordIter
from mxnet.io.image_record_iter import (
    ImageRecordInt8Iter as ImageRecordInt8Iter,
    ImageRecordIter as ImageRecordIter,
    ImageRecordIter_v1 as ImageRecordIter_v1,
    ImageRecordUInt8Iter as ImageRecordUInt8Iter,
    ImageRecordUInt8Iter_v1 as ImageRecordUInt8Iter_v1,
)
from mxnet.io.libsvm_iter import LibSVMIter as LibSVMIter
from mxnet.io.mnist_iter import MNISTIter as MNISTIter
from mxnet.io.mx_data_iter import MXDataIter as MXDataIter
from mxnet.io.ndarray_iter import NDArrayIter as NDArrayIter

utils = _arrays

io: _ModuleType = _sys.modules[__name__]
"""MXNet's module below this one, which here is one with it."""
