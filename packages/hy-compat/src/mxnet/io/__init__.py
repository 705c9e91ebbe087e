"""Iterators over batches from arrays, files, and other iterators."""

import typing as _typing
from importlib import import_module as _import_module

from hy_gluon.batches import DataBatch as DataBatch, DataDesc as DataDesc, DataIter as DataIter
from hy_ndarray.nd import concat as concat, tile as tile
from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute
from mxnet.io import arrays as _arrays
from mxnet.io.combined import PrefetchingIter as PrefetchingIter, ResizeIter as ResizeIter
from mxnet.io.ndarray_iter import NDArrayIter as NDArrayIter

if _typing.TYPE_CHECKING:
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

utils = _arrays

_MEMBERS = {
    "CSVIter": "csv_iter",
    "ImageDetRecordIter": "image_det_record_iter",
    "ImageRecordInt8Iter": "image_record_iter",
    "ImageRecordIter": "image_record_iter",
    "ImageRecordIter_v1": "image_record_iter",
    "ImageRecordUInt8Iter": "image_record_iter",
    "ImageRecordUInt8Iter_v1": "image_record_iter",
    "LibSVMIter": "libsvm_iter",
    "MNISTIter": "mnist_iter",
    "MXDataIter": "mx_data_iter",
}


def __getattr__(name: str) -> _typing.Any:
    """Return an iterator over files, imported on first use."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name not in _MEMBERS:
        raise _unknown_attribute(f"module {__name__!r}", name, __dir__)
    value = globals()[name] = getattr(_import_module(f"mxnet.io.{_MEMBERS[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MEMBERS})
