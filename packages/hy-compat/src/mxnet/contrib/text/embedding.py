"""Token embeddings: GloVe, fastText, custom files, and combinations."""

import json
import logging
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from hy_gluon import utils
from hy_gluon.contrib.data import Vocabulary
from hy_io import local_path, read_expanded
from hy_ndarray import HyError, NDArray, nd
from hy_ndarray.warning import warn
from mxnet import registry
from mxnet.base import data_dir

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "create",
    "get_pretrained_file_names",
    "register",
]

_log = logging.getLogger(__name__)

_REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/gluon/embeddings"


_Class = TypeVar("_Class", bound="type[_TokenEmbedding]")


class EmbeddingError(HyError, ValueError, AssertionError):
    """A file contains no token vectors, or vectors do not match tokens."""


class UnknownEmbeddingError(HyError, KeyError):
    """An embedding, or a file of an embedding, does not exist."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes


@cache
def _checksums() -> dict[str, dict[str, dict[str, str]]]:
    text = (Path(__file__).parent / "checksums.json").read_text(encoding="utf-8")
    checksums: dict[str, dict[str, dict[str, str]]] = json.loads(text)
    return checksums


class _Checksums:
    """SHA-1 checksums by file name for a class of embeddings, read on first use."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __get__(self, instance: object, owner: type) -> dict[str, str]:
        known = _checksums()
        name = next(kind.__name__ for kind in owner.__mro__ if kind.__name__ in known)
        return known[name][self._kind]


class _TokenEmbedding(Vocabulary):
    """Vocabulary with a vector for each token; base class of embeddings.

    The constructor of a subclass calls ``super().__init__(**kwargs)``, :meth:`_load_embedding` and
    (with a vocabulary) :meth:`_build_embedding_for_vocabulary`.

    Attributes:
        pretrained_file_name_sha1: SHA-1 of each file that can be passed to :func:`create`.
    """

    pretrained_file_name_sha1: ClassVar[Any] = {}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._reserved: list[str] | None = super().reserved_tokens
        self._vectors: NDArray | None = None

    @property
    def reserved_tokens(self) -> list[str] | None:
        """Return the reserved tokens of the vocabulary."""
        return self._reserved

    @property
    def vec_len(self) -> int:
        """Return the size of a vector; 0 if there are no vectors yet."""
        return 0 if self._vectors is None else int(self._vectors.shape[1])

    @property
    def idx_to_vec(self) -> NDArray | None:
        """Return the vectors by token index, ``[tokens, vec_len]``; the unknown token is first."""
        return self._vectors

    def _replace(self, tokens: Sequence[str], unknown: str, vectors: npt.NDArray[Any]) -> None:
        """Replace tokens and vectors; the unknown token gets index 0."""
        Vocabulary.__init__(self, unknown_token=unknown, reserved_tokens=tokens)
        self._vectors = nd.array(vectors, dtype="float32")

    def _load_embedding(
        self,
        pretrained_file_path: str,
        elem_delim: str,
        init_unknown_vec: Callable[..., NDArray] | None,
        encoding: str = "utf8",
    ) -> None:
        """Read tokens and vectors from a file with a token and its numbers per line."""
        vectors = _read_vectors(local_path(pretrained_file_path), elem_delim, encoding)
        unknown = vectors.pop(self.unknown_token, None)
        size = len(next(iter(vectors.values()), unknown if unknown is not None else ()))
        if unknown is None:
            unknown = (init_unknown_vec or nd.zeros)(shape=size).asnumpy()
        self._replace(list(vectors), self.unknown_token, np.array([unknown, *vectors.values()]))

    def _build_embedding_for_vocabulary(self, vocabulary: Vocabulary | None) -> None:
        """Keep only a vocabulary's tokens; missing ones get the unknown token's vector."""
        if vocabulary is None:
            return
        _check_vocabulary(vocabulary)
        unknown, *tokens = vocabulary.idx_to_token
        vectors = self.get_vecs_by_tokens([self.unknown_token, *tokens]).asnumpy()
        self._replace(tokens, unknown, vectors)
        self._reserved = vocabulary.reserved_tokens

    def get_vecs_by_tokens(
        self, tokens: str | Sequence[str], lower_case_backup: bool = False
    ) -> NDArray:
        """Return the vector of a token, ``[vec_len]``, or of several tokens, ``[N, vec_len]``.

        Args:
            tokens: One token, or several.
            lower_case_backup: Look up missing tokens in lower case.
        """
        several = [tokens] if isinstance(tokens, str) else list(tokens)
        if lower_case_backup:
            known = self.token_to_idx
            several = [token if token in known else token.lower() for token in several]
        rows: NDArray = nd.take(self._known(), nd.array(self.to_indices(several), dtype="int64"))
        return rows[0] if isinstance(tokens, str) else rows

    def update_token_vectors(self, tokens: str | Sequence[str], new_vectors: NDArray) -> None:
        """Replace the vectors of tokens.

        Args:
            tokens: One token, or several; the unknown token must be named explicitly.
            new_vectors: ``[vec_len]``, or ``[N, vec_len]``.

        Raises:
            EmbeddingError: A token is missing, or the vectors have another shape.
        """
        several = [tokens] if isinstance(tokens, str) else list(tokens)
        for token in several:
            if token not in self.token_to_idx:
                raise EmbeddingError(
                    f"Token {token} is unknown. To update the embedding vector for an unknown "
                    f"token, please specify it explicitly as {self.unknown_token}"
                )
        vectors = new_vectors.asnumpy()
        rows = vectors[None] if vectors.ndim == 1 else vectors
        if rows.shape != (len(several), self.vec_len):
            raise EmbeddingError(
                f"new_vectors{new_vectors.shape} must be ({len(several)}, {self.vec_len}): the "
                "number of tokens and the size of a vector"
            )
        # Assigned as one array: a write by each token would be a call each.
        changed = self._known().asnumpy()
        changed[self.to_indices(several)] = rows
        self._known()[:] = changed

    def _known(self) -> NDArray:
        if self._vectors is None:
            raise EmbeddingError(f"{type(self).__name__} has no vectors yet")
        return self._vectors


def _check_vocabulary(vocabulary: object) -> None:
    if not isinstance(vocabulary, Vocabulary):
        raise EmbeddingError(
            f"vocabulary must be a Vocabulary, not {type(vocabulary).__name__}; make one with "
            "Vocabulary(collections.Counter(tokens))"
        )


def _read_vectors(file: Path, delimiter: str, encoding: str) -> dict[str, npt.NDArray[Any]]:
    """Return vectors by token, in the order of the file."""
    if not file.is_file():
        raise EmbeddingError(
            f"`pretrained_file_path` must be a valid path to the pre-trained token embedding file, "
            f"not {file}"
        )
    _log.info("Loading pre-trained token embedding vectors from %s", file)
    vectors: dict[str, npt.NDArray[Any]] = {}
    size = None
    with file.open(encoding=encoding) as lines:
        for number, line in enumerate(lines, start=1):
            token, *texts = line.rstrip().split(delimiter)
            where = f"{file}, line {number}"
            try:
                values = np.array(texts, np.float32)
            except ValueError as error:
                raise EmbeddingError(f"{where}: token {token!r} has no numbers: {error}") from error
            if not texts:
                raise EmbeddingError(f"{where}: no numbers after {token!r}, apart by {delimiter!r}")
            # fastText's files begin with a line of two numbers: how many vectors there are, and
            # their size.
            if len(texts) == 1:
                warn(f"{where}: {token!r} with one number, likely a header, is skipped")
            elif token in vectors:
                warn(f"{where}: token {token!r} is there twice and is skipped")
            elif len(texts) != (size or len(texts)):
                raise EmbeddingError(
                    f"{where}: token {token!r} has {len(texts)} numbers, others have {size}"
                )
            else:
                size = len(texts)
                vectors[token] = values
    return vectors


_register = registry.get_register_func(_TokenEmbedding, "token embedding")
_create = registry.get_create_func(_TokenEmbedding, "token embedding")


def register(embedding_cls: _Class) -> _Class:
    """Register a class of embeddings for :func:`create`, by its name in lower case."""
    return _register(embedding_cls)


def create(embedding_name: str, **kwargs: Any) -> Any:
    """Return an embedding of a class registered under a name.

    Args:
        embedding_name: Name such as ``"glove"``, in any case.
        kwargs: Arguments of the class, such as ``pretrained_file_name``.
    """
    return _create(embedding_name, **kwargs)


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Return the file names of an embedding, or of all embeddings by name.

    Raises:
        UnknownEmbeddingError: There is no such embedding.
    """
    known = registry.get_registry(_TokenEmbedding)
    if embedding_name is None:
        return {name: list(kind.pretrained_file_name_sha1) for name, kind in known.items()}
    if embedding_name.lower() not in known:
        raise UnknownEmbeddingError(
            f"Cannot find `embedding_name` {embedding_name}; known: {', '.join(sorted(known))}"
        )
    return list(known[embedding_name.lower()].pretrained_file_name_sha1)


class _Pretrained(_TokenEmbedding):
    """Base class of embeddings whose files are downloaded if missing."""

    pretrained_file_name_sha1: ClassVar[Any] = _Checksums("files")
    pretrained_archive_name_sha1: ClassVar[Any] = _Checksums("archives")

    def __init__(
        self,
        pretrained_file_name: str,
        embedding_root: str | None,
        init_unknown_vec: Callable[..., NDArray] | None,
        vocabulary: Vocabulary | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        path = self._path(embedding_root or f"{data_dir()}/embeddings", pretrained_file_name)
        self._load_embedding(path, " ", init_unknown_vec)
        self._build_embedding_for_vocabulary(vocabulary)

    @classmethod
    def _archive(cls, file: str) -> str:
        return f"{file.rpartition('.')[0]}.zip"

    @classmethod
    def _path(cls, root: str, file: str) -> str:
        """Return the path of a file, downloaded if missing or if its SHA-1 differs."""
        name = cls.__name__.lower()
        if file not in cls.pretrained_file_name_sha1:
            valid = ", ".join(cls.pretrained_file_name_sha1)
            raise UnknownEmbeddingError(
                f"Cannot find pretrained file {file} for token embedding {name}. Valid pretrained "
                f"files for embedding {name}: {valid}"
            )
        path = Path(root).expanduser() / name / file
        if not path.exists() or _sha1(path) != cls.pretrained_file_name_sha1[file]:
            path.parent.mkdir(parents=True, exist_ok=True)
            archive = cls._archive(file)
            digest = cls.pretrained_archive_name_sha1[archive]
            url = f"{_REPOSITORY}/{name}/{archive}"
            fetched = utils.download(url, path=str(path.parent / archive), sha1_hash=digest)
            with zipfile.ZipFile(fetched) as archived, archived.open(file) as source:
                # Bounded: a small archive may expand to more than the memory.
                path.write_bytes(read_expanded(source, fetched))
        return str(path)


def _sha1(path: Path) -> str:
    # SHA-1 is what MXNet published; OpenSSL in FIPS mode refuses it for security.
    digest = sha1(usedforsecurity=False)
    with path.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@register
class GloVe(_Pretrained):
    """GloVe vectors (Pennington, Socher, Manning 2014).

    Args:
        pretrained_file_name: A name from :func:`get_pretrained_file_names`.
        embedding_root: Folder whose subfolder ``glove`` contains the files; ``embeddings`` in the
            home folder of MXNet if None.
        init_unknown_vec: Function of ``shape`` for the unknown token's vector; zeros if None.
        vocabulary: Vocabulary whose tokens are kept; all if None.
        kwargs: Arguments of :class:`~mxnet.contrib.text.vocab.Vocabulary`.
    """

    def __init__(
        self,
        pretrained_file_name: str = "glove.840B.300d.txt",
        embedding_root: str | None = None,
        init_unknown_vec: Callable[..., NDArray] | None = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, **kwargs
        )

    @classmethod
    def _archive(cls, file: str) -> str:
        """Return the name of the archive for a file; each archive has all vector sizes."""
        archives: dict[str, str] = cls.pretrained_archive_name_sha1
        stem = file.rpartition(".")[0]
        return next(name for name in archives if stem.startswith(name.removesuffix(".zip")))


@register
class FastText(_Pretrained):
    """fastText vectors (Bojanowski, Grave, Joulin, Mikolov 2017).

    The arguments are those of :class:`GloVe`.
    """

    def __init__(
        self,
        pretrained_file_name: str = "wiki.simple.vec",
        embedding_root: str | None = None,
        init_unknown_vec: Callable[..., NDArray] | None = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, **kwargs
        )


class CustomEmbedding(_TokenEmbedding):
    """Vectors from a custom file with a token and its numbers per line.

    Args:
        pretrained_file_path: The file.
        elem_delim: Delimiter between a token and its numbers.
        encoding: Encoding of the file.
        init_unknown_vec: Function of ``shape`` for the unknown token's vector; zeros if None.
        vocabulary: Vocabulary whose tokens are kept; all if None.
        kwargs: Arguments of :class:`~mxnet.contrib.text.vocab.Vocabulary`.

    Raises:
        EmbeddingError: The file is missing, or contains something else.
    """

    def __init__(
        self,
        pretrained_file_path: str,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable[..., NDArray] | None = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._load_embedding(pretrained_file_path, elem_delim, init_unknown_vec, encoding)
        self._build_embedding_for_vocabulary(vocabulary)


class CompositeEmbedding(_TokenEmbedding):
    """Concatenated vectors of several embeddings for the tokens of a vocabulary.

    Args:
        vocabulary: The tokens.
        token_embeddings: One embedding, or several.
    """

    def __init__(
        self, vocabulary: Vocabulary, token_embeddings: _TokenEmbedding | Sequence[_TokenEmbedding]
    ) -> None:
        _check_vocabulary(vocabulary)
        super().__init__()
        parts = (
            [token_embeddings]
            if isinstance(token_embeddings, _TokenEmbedding)
            else list(token_embeddings)
        )
        tokens = vocabulary.idx_to_token
        vectors = [part.get_vecs_by_tokens(tokens).asnumpy() for part in parts]
        # Index 0 is the unknown token.
        self._replace(tokens[1:], vocabulary.unknown_token, np.concatenate(vectors, axis=1))
        self._reserved = vocabulary.reserved_tokens
