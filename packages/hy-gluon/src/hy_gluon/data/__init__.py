"""Datasets, samplers, and the loader that makes batches of them."""

from hy_gluon.data import batchify as batchify, vision as vision
from hy_gluon.data._errors import (
    DataError as DataError,
    ExhaustedError as ExhaustedError,
    WorkerError as WorkerError,
    WorkerTimeoutError as WorkerTimeoutError,
)
from hy_gluon.data.dataloader import DataLoader as DataLoader
from hy_gluon.data.dataset import (
    ArrayDataset as ArrayDataset,
    Dataset as Dataset,
    RecordFileDataset as RecordFileDataset,
    SimpleDataset as SimpleDataset,
)
from hy_gluon.data.sampler import (
    BatchSampler as BatchSampler,
    FilterSampler as FilterSampler,
    IntervalSampler as IntervalSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
