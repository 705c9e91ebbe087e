"""Private classes of ``mxnet.gluon.data.dataset`` and of its text data sets."""

import os
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hy_gluon.data import Dataset
from mxnet.contrib.text.vocab import Vocabulary

if TYPE_CHECKING:

    class _DownloadedDataset(Dataset):
        def __init__(self, root: str, transform: Callable[..., Any] | None) -> None: ...

else:  # a name that programs import by MXNet's path
    _DownloadedDataset = import_module("mxnet.gluon.data.dataset")._DownloadedDataset


class _FilteredDataset(Dataset):
    """Dataset of the items for which ``fn`` returns True.

    Args:
        dataset: The dataset.
        fn: Function of an item.
    """

    def __init__(self, dataset: Dataset, fn: Callable[[Any], Any]) -> None:
        self._dataset = dataset
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]


class _TransformFirstClosure:
    """Callable that applies a function to its first argument, and returns the others unchanged.

    Args:
        fn: Function of the first element of an item.
    """

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        return (self._fn(x), *args) if args else self._fn(x)


class _LanguageModelDataset(_DownloadedDataset):
    """Base class of text datasets; subclasses read the files in ``_get_data``.

    Args:
        root: The folder, which is created.
        namespace: Name of the published dataset.
        vocabulary: Vocabulary of tokens; made from the texts if None.
    """

    def __init__(self, root: str, namespace: str, vocabulary: Vocabulary | None) -> None:
        self._vocab = vocabulary
        self._counter: Counter[str] | None = None
        self._namespace = namespace
        _DownloadedDataset.__init__(self, os.path.expanduser(root), None)  # noqa: PTH111  # a text

    @property
    def vocabulary(self) -> Vocabulary | None:
        """Return the vocabulary."""
        return self._vocab

    @property
    def frequencies(self) -> Counter[str] | None:
        """Return the count of each token."""
        return self._counter

    def _build_vocab(self, content: str) -> None:
        """Count the tokens of a text, and number new ones."""
        if not self._counter:
            self._counter = Counter(token for token in content.split() if token)
        if not self._vocab:
            self._vocab = Vocabulary(counter=self._counter, reserved_tokens=["<eos>"])
