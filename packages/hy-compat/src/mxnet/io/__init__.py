"""Iterators over batches: of arrays, of files, and of other iterators."""

from hy_gluon.batches import DataBatch as DataBatch, DataDesc as DataDesc, DataIter as DataIter
from mxnet.io.ndarray_iter import NDArrayIter as NDArrayIter
