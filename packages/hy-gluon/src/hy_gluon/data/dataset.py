"""Datasets: sequences of items with ``__getitem__`` and ``__len__``."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hy_gluon._home import expanded
from hy_gluon.data._errors import DataError
from hy_gluon.data.sampler import FilterSampler, Sampler, SequentialSampler
from hy_io import MXIndexedRecordIO, local_path
from hy_ndarray import NDArray
from hy_ndarray.suggestion import Suggesting

__all__ = [
    "ArrayDataset",
    "Dataset",
    "RecordFileDataset",
    "SimpleDataset",
    "_DownloadedDataset",
]


class Dataset(Suggesting):
    """Base class of all datasets; subclasses define ``__getitem__`` and ``__len__``.

    Example:
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 5
        ...     def __getitem__(self, idx):
        ...         return idx, idx * idx
        >>> list(Squares().filter(lambda item: item[0] % 2).transform_first(str))
        [('1', 1), ('3', 9)]
    """

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def __iter__(self) -> Iterator[Any]:
        for idx in range(len(self)):
            yield self[idx]

    def filter(self, fn: Callable[[Any], Any]) -> "Dataset":
        """Return a dataset of the items for which ``fn(item)`` is true; evaluates all items now."""
        return _SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> "Dataset":
        """Return shard ``index`` of ``num_shards`` disjoint parts, whose sizes differ by at most 1.

        Raises:
            DataError: ``index`` is not below ``num_shards``.
        """
        if not 0 <= index < num_shards:
            raise DataError(
                f"shard: index={index} must be at least 0 and below num_shards={num_shards}"
            )
        size, rest = divmod(len(self), num_shards)
        # Sizes differ by at most one; the first `rest` parts are larger, as in MXNet 2.
        start = index * size + min(index, rest)
        return _SampledDataset(self, SequentialSampler(size + (index < rest), start))

    def take(self, count: int | None) -> "Dataset":
        """Return a dataset of the first ``count`` items; of all items if None.

        Raises:
            DataError: ``count`` is negative.
        """
        if count is not None and count < 0:
            raise DataError(f"take: count {count} is negative")
        size = len(self) if count is None else min(count, len(self))
        return _SampledDataset(self, SequentialSampler(size))

    def sample(self, sampler: Sampler) -> "Dataset":
        """Return a dataset of the items selected by a sampler, in its order; evaluated now.

        Raises:
            DataError: ``sampler`` is not a :class:`Sampler`.
        """
        if not isinstance(sampler, Sampler):
            raise DataError(f"sample takes a Sampler, not a {type(sampler).__name__}")
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> "Dataset":
        """Return a dataset of ``fn(item)``; a tuple is passed as separate arguments.

        Args:
            fn: Function that returns the new item.
            lazy: Call ``fn`` at each access of an item; otherwise once for every item, now.
        """
        dataset = _LazyTransformDataset(self, fn)
        # ``lazy=False`` runs the transform once for all epochs.
        return dataset if lazy else SimpleDataset(list(dataset))

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> "Dataset":
        """Return a dataset with ``fn`` applied to the first element of each item."""
        return self.transform(_TransformFirstClosure(fn), lazy)


class _TransformFirstClosure:
    """Callable that applies a function to its first argument; a class, to be picklable.

    The class name is the one in MXNet's pickles.
    """

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, first: Any, *rest: Any) -> Any:
        return (self._fn(first), *rest) if rest else self._fn(first)


class SimpleDataset(Dataset):
    """Dataset of the items of a list or another sequence.

    Args:
        data: The sequence.

    Example:
        >>> SimpleDataset([3, 4, 5]).transform(lambda x: 2 * x)[1]
        8
    """

    def __init__(self, data: Sequence[Any]) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        return self._data[idx]


class _LazyTransformDataset(Dataset):
    def __init__(self, data: Dataset, fn: Callable[..., Any]) -> None:
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


class _SampledDataset(Dataset):
    def __init__(self, dataset: Dataset, sampler: Sampler) -> None:
        self._dataset = dataset
        self._indices = list(sampler)

    def __len__(self) -> int:
        return len(self._indices)

    # Numbers, not items: the list is fixed when the dataset is made.
    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]


class ArrayDataset(Dataset):
    """Dataset that combines arrays, lists or datasets; items are tuples of their items.

    Args:
        args: Sequences of the same length. With a single one, items are not tuples.

    Raises:
        DataError: The lengths differ, or there are no arguments.

    Example:
        >>> pairs = ArrayDataset([1, 2, 3], ["a", "b", "c"])
        >>> pairs[1], len(pairs)
        ((2, 'b'), 3)
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise DataError("ArrayDataset needs at least one array")
        self._length = len(args[0])
        self._data: list[Any] = []
        for i, data in enumerate(args):
            if len(data) != self._length:
                raise DataError(
                    f"ArrayDataset: array 0 has {self._length} items, array {i} has {len(data)}"
                )
            flat = isinstance(data, NDArray) and len(data.shape) == 1
            # Items of a vector are numbers: an NDArray would make an array of one for each.
            self._data.append(data.asnumpy() if flat else data)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, idx: Any) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(data[idx] for data in self._data)


class RecordFileDataset(Dataset):
    """Dataset of the records, as bytes, of a ``.rec`` file with its ``.idx`` index.

    Args:
        filename: The ``.rec`` file.

    Raises:
        OSError: One of the two files cannot be read.
        FileFormatError: The index is damaged.
    """

    def __init__(self, filename: str | os.PathLike[str]) -> None:
        self.filename = os.fspath(filename)
        self.idx_file = str(local_path(filename).with_suffix(".idx"))
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: int) -> object:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)


class _DownloadedDataset(Dataset):  # MXNet's name: programs derive data sets of their own
    """Base class of datasets read from a folder; subclasses override :meth:`_get_data`.

    Args:
        root: Folder with the files, created if missing.
        transform: Function of data and label that returns an item; None for the unchanged pair.
    """

    def __init__(self, root: str, transform: Callable[..., Any] | None) -> None:
        self._transform = transform
        self._data: Any = None
        self._label: Any = None
        folder = expanded(root)
        folder.mkdir(parents=True, exist_ok=True)
        self._root = str(folder)
        self._get_data()

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx], self._label[idx]
        return item if self._transform is None else self._transform(*item)

    def __len__(self) -> int:
        return len(self._label)

    def _get_data(self) -> None:
        """Read the files, and set ``_data`` and ``_label`` to sequences of equal length."""
        raise NotImplementedError
