"""Sentences as batches: words encoded as numbers, grouped by length."""

import bisect
import logging
import random
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_ndarray import ArgumentError, nd

__all__ = ["BucketSentenceIter", "encode_sentences"]

_Word = TypeVar("_Word", bound=Hashable)
_Array: TypeAlias = npt.NDArray[Any]


def encode_sentences(
    sentences: Sequence[Sequence[_Word]],
    vocab: dict[Any, int] | None = None,
    invalid_label: int = -1,
    invalid_key: Any = "\n",
    start_label: int = 0,
    unknown_token: Any = None,
) -> tuple[list[list[int]], dict[Any, int]]:
    r"""Return sentences with words replaced by numbers, and the vocabulary.

    Args:
        sentences: Lists of words.
        vocab: Numbers by word, to which ``unknown_token`` is added if a word is unknown; if None, a
            new vocabulary.
        invalid_label: Number of the padding word in a new vocabulary.
        invalid_key: Padding word.
        start_label: First number of new words.
        unknown_token: Word that replaces words missing in ``vocab``; if it is missing as well, it
            gets the first unused number from ``start_label`` on.

    Returns:
        The sentences, and the vocabulary.

    Raises:
        ArgumentError: ``vocab`` lacks a word, and there is no ``unknown_token``.

    Example:
        >>> encode_sentences([["a", "b"], ["b", "c"]], start_label=1, invalid_label=0)
        ([[1, 2], [2, 3]], {'\n': 0, 'a': 1, 'b': 2, 'c': 3})
        >>> encode_sentences([["a", "x"]], vocab={"a": 0, "?": 1}, unknown_token="?")[0]
        [[0, 1]]
    """
    grows = vocab is None
    known = {invalid_key: invalid_label} if vocab is None else vocab
    # Numbers of known words, and of the filling, are not used again.
    taken = {invalid_label, *known.values()}
    following = start_label
    encoded = []
    for sentence in sentences:
        row = []
        for word in sentence:
            key: Any = word
            if key not in known and not grows:
                if unknown_token is None:
                    raise ArgumentError(
                        f"encode_sentences: Unknown token {word!r}: vocab does not have it; give "
                        "unknown_token"
                    )
                key = unknown_token
            if key not in known:
                while following in taken:
                    following += 1
                known[key] = following
                taken.add(following)
            row.append(known[key])
        encoded.append(row)
    return encoded, known


class BucketSentenceIter(DataIter):
    """Iterator over sentences for language models, in batches of similar length.

    A sentence is put into the smallest bucket that is long enough, and padded. The label of a word
    is the next word. Incomplete batches, and sentences longer than all buckets, are discarded.

    Args:
        sentences: Lists of numbers, as returned by :func:`encode_sentences`.
        batch_size: Sentences in a batch.
        buckets: Lengths; if None, those with enough sentences for a batch.
        invalid_label: Number of the padding word.
        data_name: Name of the input.
        label_name: Name of the label.
        dtype: Dtype of data and labels.
        layout: ``"NT"``, or ``"TN"`` for time first.

    Raises:
        ArgumentError: ``layout`` is another string, or there is no bucket.

    Example:
        >>> batches = BucketSentenceIter([[1, 2, 3], [4, 5, 6], [7, 8]], 1, buckets=[2, 3])
        >>> sorted(batch.bucket_key for batch in batches)
        [2, 3, 3]
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: int,
        buckets: Sequence[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__(batch_size)
        if layout not in {"NT", "TN"}:
            raise ArgumentError(
                f"Invalid layout {layout!r}: Must by NT (batch major) or TN (time major)"
            )
        # MXNet: as many buckets as there are lengths with a batch of sentences.
        if buckets is None:
            counts = np.bincount([len(sentence) for sentence in sentences])
            buckets = [length for length, n in enumerate(counts) if n >= batch_size]
        if not buckets:
            raise ArgumentError(
                "BucketSentenceIter: no length has enough sentences for a batch of "
                f"{batch_size}; give buckets"
            )
        self.buckets = sorted(int(length) for length in buckets)
        self.data_name, self.label_name = data_name, label_name
        self.dtype, self.invalid_label = dtype, invalid_label
        self.layout, self.major_axis = layout, layout.find("N")
        self.default_bucket_key = self.buckets[-1]
        self.data = self._padded_sentences(sentences)
        self.nddata: list[Any] = []
        self.ndlabel: list[Any] = []
        self.provide_data = [self._desc(data_name, self.default_bucket_key)]
        self.provide_label = [self._desc(label_name, self.default_bucket_key)]
        self.idx = [
            (i, start)
            for i, rows in enumerate(self.data)
            for start in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.curr_idx = 0
        self.reset()

    def _padded_sentences(self, sentences: Sequence[Sequence[int]]) -> list[_Array]:
        """Return the padded sentences of each bucket, ``(N, T)``."""
        by_bucket: list[list[_Array]] = [[] for _ in self.buckets]
        left_out = 0
        for sentence in sentences:
            i = bisect.bisect_left(self.buckets, len(sentence))
            if i == len(self.buckets):
                left_out += 1
                continue
            # The invalid label marks padding for losses and metrics that ignore it.
            row = np.full(self.buckets[i], self.invalid_label, self.dtype)
            row[: len(sentence)] = sentence
            by_bucket[i].append(row)
        if left_out:
            logging.warning("discarded %d sentences longer than the largest bucket.", left_out)
        lengths = zip(by_bucket, self.buckets, strict=True)
        return [np.array(rows, self.dtype).reshape(-1, length) for rows, length in lengths]

    def _desc(self, name: str, length: int) -> DataDesc:
        size = self.batch_size
        shape = (size, length) if self.major_axis == 0 else (length, size)
        return DataDesc(name, shape, layout=self.layout)

    def reset(self) -> None:
        """Restart with shuffled batches and sentences, by ``random`` and ``numpy.random``."""
        self.curr_idx = 0
        # Programs seed both generators, and MXNet draws from both.
        random.shuffle(self.idx)
        self.nddata, self.ndlabel = [], []
        for rows in self.data:
            np.random.shuffle(rows)  # noqa: NPY002  # the generator that programs seed
            # The next word is the label; the last word has none.
            label = np.full_like(rows, self.invalid_label)
            label[:, :-1] = rows[:, 1:]
            self.nddata.append(nd.array(rows, dtype=self.dtype))
            self.ndlabel.append(nd.array(label, dtype=self.dtype))

    def next(self) -> DataBatch:
        """Return the next batch, whose ``bucket_key`` is the length of its sentences.

        Raises:
            StopIteration: There are no more batches.
        """
        if self.curr_idx == len(self.idx):
            raise StopIteration
        i, start = self.idx[self.curr_idx]
        self.curr_idx += 1
        stop = start + self.batch_size
        data, label = self.nddata[i][start:stop], self.ndlabel[i][start:stop]
        # Buckets hold the batch first; the layout TN has time first.
        if self.major_axis == 1:
            data, label = data.T, label.T
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=self.buckets[i],
            provide_data=[self._desc(self.data_name, self.buckets[i])],
            provide_label=[self._desc(self.label_name, self.buckets[i])],
        )
