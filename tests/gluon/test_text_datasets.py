"""WikiText and Vocabulary give what MXNet 1.9.1 gave for the same files and counts."""

import doctest
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hy_gluon.contrib.data import Vocabulary, WikiText2, WikiText103, vocabulary
from hy_gluon.data import DataError
from hy_gluon.utils import DownloadError
from hy_io import FileFormatError

TRAIN = " \n = Title = \n \n the cat sat \n the dog the\n"
NUMBERED = ["<unk>", "<eos>", "the", "=", "Title", "cat", "dog", "sat"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wiki.train.tokens").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "wiki.valid.tokens").write_text("the bird sat \n", encoding="utf-8")
    (tmp_path / "wiki.test.tokens").write_text("a dog\n", encoding="utf-8")
    return tmp_path


def items(dataset: Any) -> list[Any]:
    return [[part.asnumpy().tolist() for part in dataset[i]] for i in range(len(dataset))]


def test_samples_are_followed_by_the_next_tokens(folder: Path) -> None:
    train = WikiText2(folder, seq_len=3)
    assert items(train) == [[[3, 4, 3], [4, 3, 1]], [[1, 2, 5], [2, 5, 7]], [[7, 1, 2], [1, 2, 6]]]
    assert train[0][0].dtype.__name__ == "int32"
    assert train.vocabulary.idx_to_token == NUMBERED
    assert train.frequencies == {"the": 3, "=": 2, "Title": 1, "cat": 1, "sat": 1, "dog": 1}


def test_a_vocabulary_is_shared_between_segments(folder: Path) -> None:
    train = WikiText103(folder)
    assert len(train) == 0  # less than 35 tokens
    valid = WikiText103(folder, "validation", train.vocabulary, seq_len=2)
    assert items(valid) == [[[2, 0], [0, 7]]]
    assert valid.vocabulary is train.vocabulary
    assert len(WikiText2(folder, "test", seq_len=3)) == 0


def test_the_archive_is_read(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with zipfile.ZipFile(other / "wikitext-2-v1.zip", "w") as archive:
        archive.writestr("wikitext-2/wiki.train.tokens", TRAIN)
    assert items(WikiText2(other, seq_len=3)) == items(WikiText2(folder, seq_len=3))
    with pytest.raises(FileFormatError, match=r"a member wiki\.test\.tokens"):
        WikiText2(other, "test")
    (other / "wikitext-2-v1.zip").write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match="a whole archive"):
        WikiText2(other)


def test_what_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", "http://127.0.0.1:9")
    with pytest.raises(DownloadError, match="wikitext-2 could not be fetched") as caught:
        WikiText2(tmp_path)
    assert "put the file wikitext-2-v1.zip" in caught.value.__notes__[0]
    with pytest.raises(DataError, match="segment 'valid' is not one of train, validation, test"):
        WikiText2(tmp_path, "valid")
    with pytest.raises(DataError, match="seq_len must be at least 1"):
        WikiText2(tmp_path, seq_len=0)


@pytest.mark.parametrize(
    ("kwargs", "tokens"),
    [
        ({}, ["<unk>", "a", "b", "d", "c"]),
        ({"most_freq_count": 2}, ["<unk>", "a", "b"]),
        ({"most_freq_count": 0}, ["<unk>"]),
        ({"most_freq_count": -1, "reserved_tokens": ["c"]}, ["<unk>", "c", "a", "b", "d"]),
        ({"min_freq": 2}, ["<unk>", "a", "b", "d"]),
        ({"most_freq_count": 2, "reserved_tokens": ["a"]}, ["<unk>", "a", "b", "d"]),
        (
            {"unknown_token": "<u>", "reserved_tokens": ["<pad>", "a"]},
            ["<u>", "<pad>", "a", "b", "d", "c"],
        ),
    ],
)
def test_tokens_are_numbered_as_mxnet_numbers_them(kwargs: Any, tokens: list[str]) -> None:
    made = Vocabulary(Counter({"b": 3, "a": 3, "c": 1, "d": 2}), **kwargs)
    assert made.idx_to_token == tokens
    assert made.token_to_idx == {token: i for i, token in enumerate(tokens)}
    assert len(made) == len(tokens)
    assert made.unknown_token == tokens[0]
    assert made.reserved_tokens == kwargs.get("reserved_tokens")


def test_tokens_and_numbers_are_looked_up() -> None:
    made = Vocabulary({"a": 2, "b": 1})
    assert (made.to_indices("b"), made.to_indices(["a", "zzz"])) == (2, [1, 0])
    assert (made.to_tokens(2), made.to_tokens([0, 1])) == ("b", ["<unk>", "a"])
    assert Vocabulary().idx_to_token == ["<unk>"]


WRONG: Any = ["a", 0.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Vocabulary(min_freq=0), "min_freq must be at least 1, not 0"),
        (lambda: Vocabulary(reserved_tokens=["<unk>"]), "must differ .*'<unk>'"),
        (lambda: Vocabulary(reserved_tokens=["x", "x"]), "must differ from each other"),
        (lambda: Vocabulary().to_tokens([0, 99]), "no token 99: tokens have the numbers 0 to 0"),
        (lambda: Vocabulary().to_tokens(WRONG[0]), "there is no token 'a'"),
        (lambda: Vocabulary().to_tokens(WRONG[1]), r"there is no token 0\.0"),
        (
            lambda: Vocabulary(WRONG),
            r"how often each token occurs, such as collections\.Counter\(tokens\), not list",
        ),
    ],
)
def test_what_makes_no_vocabulary_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_docstring_examples_run() -> None:
    assert doctest.testmod(vocabulary).failed == 0
