"""``mx.contrib.text``: counts, vocabularies and vectors of tokens, as MXNet 1.9.1 gives them."""

import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

import mxnet as mx
from hy_gluon import utils
from hy_io import FileLimitError
from mxnet.contrib import text
from mxnet.contrib.text import embedding

VECTORS = "hello 1 2 3\nworld 4 5 6\n<unk> 0.5 0.5 0.5\n"
UNKNOWN, HELLO, WORLD = [0.5, 0.5, 0.5], [1, 2, 3], [4, 5, 6]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "vectors.txt"
    made.write_text(VECTORS, encoding="utf-8")
    return made


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    registered = mx.registry._registry(embedding._TokenEmbedding)
    before = dict(registered)
    yield
    registered.clear()
    registered.update(before)


def rows(array: Any) -> Any:
    return array.asnumpy().tolist()


def test_tokens_are_counted() -> None:
    count = text.utils.count_tokens_from_str
    assert count(" Life is great ! \n life is good . \n", to_lower=True) == Counter(
        {"life": 2, "is": 2, "great": 1, "!": 1, "good": 1, ".": 1}
    )
    known = Counter({"a": 2})
    assert count("a;b|a", ";", r"\|", counter_to_update=known) is known
    assert known == Counter({"a": 4, "b": 1})


def test_a_vocabulary_orders_by_frequency() -> None:
    counter = Counter(["c", "c", "b", "b", "a", "some_word$", "d", "d", "d"])
    vocabulary = text.vocab.Vocabulary(counter)
    assert vocabulary.idx_to_token == ["<unk>", "d", "b", "c", "a", "some_word$"]
    made = text.vocab.Vocabulary(counter, 2, 1, "<u>", ["b", "<pad>"])
    assert made.idx_to_token == ["<u>", "b", "<pad>", "d", "c"]
    assert vocabulary.to_indices(["c", "zz"]) == [3, 0]
    assert vocabulary.to_tokens([0, 2]) == ["<unk>", "b"]
    with pytest.raises(ValueError, match="no token 100: tokens have the numbers 0 to 5"):
        vocabulary.to_tokens(100)


def test_vectors_come_from_a_file(file: Path) -> None:
    vectors = embedding.CustomEmbedding(str(file))
    assert vectors.idx_to_token == ["<unk>", "hello", "world"]
    assert (len(vectors), vectors.vec_len, vectors.reserved_tokens) == (3, 3, None)
    assert rows(vectors.idx_to_vec) == [UNKNOWN, HELLO, WORLD]
    assert rows(vectors.get_vecs_by_tokens("hello")) == HELLO
    assert rows(vectors.get_vecs_by_tokens(["world", "nope"])) == [WORLD, UNKNOWN]
    assert rows(vectors.get_vecs_by_tokens(["HELLO"])) == [UNKNOWN]
    assert rows(vectors.get_vecs_by_tokens(["HELLO"], lower_case_backup=True)) == [HELLO]


def test_vectors_are_updated_by_token(file: Path) -> None:
    vectors = embedding.CustomEmbedding(str(file))
    vectors.update_token_vectors("hello", mx.nd.array([9, 9, 9]))
    vectors.update_token_vectors(["world", "<unk>"], mx.nd.array([[1, 1, 1], [2, 2, 2]]))
    assert rows(vectors.idx_to_vec) == [[2, 2, 2], [9, 9, 9], [1, 1, 1]]
    with pytest.raises(ValueError, match="Token nope is unknown"):
        vectors.update_token_vectors("nope", mx.nd.array([9, 9, 9]))
    for wrong in ([9, 9], [[9, 9, 9]] * 2):
        with pytest.raises(ValueError, match=r"must be \(1, 3\)"):
            vectors.update_token_vectors("hello", mx.nd.array(wrong))
    assert rows(vectors.idx_to_vec)[1] == [9, 9, 9]


def test_headers_and_repeated_tokens_are_skipped_with_a_warning(file: Path) -> None:
    file.write_text("2 3\na:1:2\n".replace(":", " ") + "b 3 4\na 5 6\n", encoding="utf-8")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        vectors = embedding.CustomEmbedding(str(file), init_unknown_vec=mx.nd.ones)
    assert [str(warning.message).partition(", line ")[2] for warning in told] == [
        "1: '2' with one number, likely a header, is skipped",
        "4: token 'a' is there twice and is skipped",
    ]
    assert rows(vectors.idx_to_vec) == [[1, 1], [1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("a 1 2\nb x 3\n", "line 2: token 'b' has no numbers"),
        ("a 1 2\n\n", "line 2: no numbers after ''"),
        ("a 1 2\nb 1 2 3\n", "token 'b' has 3 numbers, others have 2"),
    ],
)
def test_a_file_that_holds_no_vectors_is_refused(file: Path, content: str, match: str) -> None:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=match):
        embedding.CustomEmbedding(str(file))
    with pytest.raises(ValueError, match="must be a valid path"):
        embedding.CustomEmbedding(str(file) + "x")


def test_a_vocabulary_chooses_tokens_and_embeddings_lie_side_by_side(file: Path) -> None:
    vocabulary = text.vocab.Vocabulary(Counter(["world", "hello", "x"]), None, 1, "<U>", ["<pad>"])
    chosen = embedding.CustomEmbedding(str(file), vocabulary=vocabulary)
    assert chosen.idx_to_token == ["<U>", "<pad>", "hello", "world", "x"]
    assert (chosen.unknown_token, chosen.reserved_tokens) == ("<U>", ["<pad>"])
    assert rows(chosen.idx_to_vec) == [UNKNOWN, UNKNOWN, HELLO, WORLD, UNKNOWN]
    other = file.with_name("other.txt")
    other.write_text("hello:7:8\n", encoding="utf-8")
    second = embedding.CustomEmbedding(str(other), ":")
    both = embedding.CompositeEmbedding(vocabulary, [chosen, second])
    assert (both.vec_len, both.idx_to_token) == (5, chosen.idx_to_token)
    assert rows(both.get_vecs_by_tokens(["hello", "x"])) == [[*HELLO, 7, 8], [*UNKNOWN, 0, 0]]
    assert embedding.CompositeEmbedding(vocabulary, second).vec_len == 2


def test_pretrained_files_have_names_and_checksums() -> None:
    names = embedding.get_pretrained_file_names()
    assert (len(names["glove"]), len(names["fasttext"])) == (10, 327)
    assert embedding.get_pretrained_file_names("GloVe")[1] == "glove.6B.50d.txt"
    with pytest.raises(KeyError, match="Cannot find `embedding_name` x; known: fasttext, glove"):
        embedding.get_pretrained_file_names("x")
    with pytest.raises(KeyError, match=r"Cannot find pretrained file nope.txt .* glove"):
        embedding.create("glove", pretrained_file_name="nope.txt")
    with pytest.raises(mx.MXNetError, match="nope is not registered"):
        embedding.create("nope")


def test_an_archive_is_fetched_once_and_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[tuple[str, str]] = []
    lines = [VECTORS]

    def fetch(url: str, path: str, sha1_hash: str) -> str:
        fetched.append((url.rpartition("embeddings/")[2], sha1_hash))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("glove.6B.50d.txt", "".join(lines))
        return path

    monkeypatch.setattr(utils, "download", fetch)
    options = {"pretrained_file_name": "glove.6B.50d.txt", "embedding_root": str(tmp_path)}
    vectors = embedding.create("glove", **options)
    assert rows(vectors.get_vecs_by_tokens("world")) == WORLD
    assert fetched == [("glove/glove.6B.zip", "b64e54f1877d2f735bdd000c1d7d771e25c7dfdc")]
    same = {"glove.6B.50d.txt": embedding._sha1(tmp_path / "glove" / "glove.6B.50d.txt")}
    monkeypatch.setattr(embedding.GloVe, "pretrained_file_name_sha1", same)
    embedding.create("glove", **options)
    assert len(fetched) == 1
    (tmp_path / "glove" / "glove.6B.50d.txt").unlink()
    lines *= 10_000
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "1000")
    with pytest.raises(FileLimitError):
        embedding.create("glove", **options)


def test_an_embedding_of_ones_own_is_registered(file: Path) -> None:
    @embedding.register
    class Own(embedding._TokenEmbedding):
        pretrained_file_name_sha1: ClassVar[Any] = {"own.txt": ""}

        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            assert self.vec_len == 0
            with pytest.raises(ValueError, match="Own has no vectors yet"):
                self.get_vecs_by_tokens("hello")
            self._load_embedding(str(file), " ", None)

    assert embedding.get_pretrained_file_names("own") == ["own.txt"]
    assert embedding.create("own").vec_len == 3


def test_a_list_is_no_vocabulary(file: Path) -> None:
    tokens: Any = ["hello"]
    with pytest.raises(mx.MXNetError, match="vocabulary must be a Vocabulary, not list"):
        embedding.CustomEmbedding(str(file), vocabulary=tokens)
    with pytest.raises(mx.MXNetError, match="vocabulary must be a Vocabulary, not list"):
        embedding.CompositeEmbedding(tokens, [])
