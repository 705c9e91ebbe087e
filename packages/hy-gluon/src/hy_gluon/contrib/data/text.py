"""WikiText2 and WikiText103: language-model datasets of Wikipedia articles."""

import os
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hy_gluon._home import home
from hy_gluon.contrib.data.vocabulary import Vocabulary
from hy_gluon.data import DataError, Dataset
from hy_gluon.data.vision._published import Published
from hy_ndarray import nd

__all__ = ["WikiText2", "WikiText103"]

_ROOT = home() / "datasets"
_END = "<eos>"
_SEGMENTS = {
    "train": "wiki.train.tokens",
    "validation": "wiki.valid.tokens",
    "test": "wiki.test.tokens",
}


class _WikiText(Dataset):
    """Dataset of pairs of ``seq_len`` tokens and the same tokens shifted by one (the labels)."""

    _published: ClassVar[Published]

    def __init__(
        self, root: str | os.PathLike[str], segment: str, vocab: Vocabulary | None, seq_len: int
    ) -> None:
        if segment not in _SEGMENTS:
            raise DataError(f"segment {segment!r} is not one of {', '.join(_SEGMENTS)}")
        if seq_len < 1:
            raise DataError(f"seq_len must be at least 1, not {seq_len}")
        content, _ = self._published.member(Path(root), _SEGMENTS[segment])
        lines = [line.split() for line in content.decode("utf-8").splitlines()]
        self._counter = Counter(token for line in lines for token in line)
        self._vocab = vocab or Vocabulary(self._counter, reserved_tokens=[_END])
        tokens = [token for line in lines if line for token in (*line, _END)]
        numbers = np.asarray(self._vocab.to_indices(tokens), np.int32)
        # The labels are the data moved by one token, so that the last token has none.
        count = max(0, len(numbers) - 1) // seq_len
        shape = (count, seq_len)
        self._data = nd.array(numbers[: count * seq_len].reshape(shape), dtype="int32")
        self._label = nd.array(numbers[1 : count * seq_len + 1].reshape(shape), dtype="int32")

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of the dataset."""
        return self._vocab

    @property
    def frequencies(self) -> Counter[str]:
        """Counts of the tokens in the segment."""
        return self._counter

    def __getitem__(self, idx: int) -> tuple[Any, Any]:
        return self._data[idx], self._label[idx]

    def __len__(self) -> int:
        return int(self._data.shape[0])


class WikiText2(_WikiText):
    """Language-model dataset of two million tokens of Wikipedia articles.

    The files ``wiki.train.tokens``, ``wiki.valid.tokens`` and ``wiki.test.tokens`` are read from
    ``root``, or from ``wikitext-2-v1.zip`` there, which is downloaded if both are missing. The
    token ``<eos>`` is added at the end of every line that is not empty.

    Args:
        root: Folder with the files.
        segment: ``"train"``, ``"validation"`` or ``"test"``.
        vocab: Vocabulary; built from the segment if None.
        seq_len: Number of tokens per sample.

    Raises:
        DownloadError: The files are missing and cannot be downloaded.
        DataError: The segment is unknown.
    """

    _published = Published(
        "wikitext-2", {"wikitext-2-v1.zip": "3c914d17d80b1459be871a5039ac23e752a53cbe"}
    )

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT / "wikitext-2",
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        super().__init__(root, segment, vocab, seq_len)


class WikiText103(_WikiText):
    """Language-model dataset of 100 million tokens; see the arguments of :class:`WikiText2`.

    The archive is ``wikitext-103-v1.zip``.
    """

    _published = Published(
        "wikitext-103", {"wikitext-103-v1.zip": "0aec09a7537b58d4bb65362fee27650eeaba625a"}
    )

    def __init__(
        self,
        root: str | os.PathLike[str] = _ROOT / "wikitext-103",
        segment: str = "train",
        vocab: Vocabulary | None = None,
        seq_len: int = 35,
    ) -> None:
        super().__init__(root, segment, vocab, seq_len)
