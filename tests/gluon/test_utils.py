"""Splitting batches, clipping gradients, and fetched files."""

import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import utils
from hy_gluon.utils import DownloadError
from hy_ndarray import ArgumentError, ShapeError, autograd, cpu, nd


@pytest.mark.parametrize(
    ("slices", "axis", "shapes"),
    [
        (3, 0, [(2, 5), (2, 5), (2, 5)]),
        (4, 0, [(2, 5), (2, 5), (1, 5), (1, 5)]),
        (7, 0, [(1, 5)] * 6 + [(0, 5)]),
        (2, 1, [(6, 3), (6, 2)]),
        (2, -1, [(6, 3), (6, 2)]),
        (1, 0, [(6, 5)]),
    ],
)
def test_batches_are_cut_along_an_axis(slices: int, axis: int, shapes: list[Any]) -> None:
    values = np.arange(30, dtype=np.float32).reshape(6, 5)
    parts = utils.split_data(nd.array(values), slices, axis, even_split=False)
    assert [part.shape for part in parts] == shapes
    whole = np.concatenate([part.asnumpy() for part in parts], axis)
    assert (whole == values).all()
    for part, other in zip(utils.split_data(values, slices, axis, False), parts, strict=True):
        assert (part == other.asnumpy()).all()


def test_uneven_cuts_are_refused_by_default() -> None:
    message = r"shape \(6, 5\) cannot be evenly split into 4 slices along axis 0.*even_split=False"
    with pytest.raises(ShapeError, match=message):
        utils.split_data(nd.ones((6, 5)), 4)
    with pytest.raises(ShapeError):
        utils.split_and_load(np.ones((5, 2)), [cpu(0), cpu(1)])


def test_slices_go_to_their_contexts() -> None:
    for data in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), nd.array([[1, 2], [3, 4]])):
        parts = utils.split_and_load(data, [cpu(0), cpu(1)])
        assert [part.context for part in parts] == [cpu(0), cpu(1)]
        assert [part.asnumpy().tolist() for part in parts] == [[[1, 2]], [[3, 4]]]
    (whole,) = utils.split_and_load(nd.ones((3,)), [cpu(1)])
    assert whole.context == cpu(1)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_arrays_shrink_to_their_common_norm(check: bool, dtype: str) -> None:
    arrays = [nd.array([3.0], dtype=dtype), nd.array([[4.0, 0.0]], ctx=cpu(1), dtype=dtype)]
    norm = utils.clip_global_norm(arrays, 1.0, check_isfinite=check)
    assert float(norm if check else norm.asscalar()) == pytest.approx(5)
    values = np.concatenate([array.asnumpy().ravel() for array in arrays])
    np.testing.assert_allclose(values, [0.6, 0.8, 0], rtol=1e-3)
    assert (arrays[1].context, np.dtype(arrays[1].dtype).name) == (cpu(1), dtype)


@pytest.mark.parametrize("check", [True, False])
def test_small_arrays_stay_as_they_are(check: bool) -> None:
    array = nd.array([3.0, 4.0])
    with autograd.record():
        utils.clip_global_norm([array], 10.0, check_isfinite=check)
    assert array.asnumpy().tolist() == [3, 4]


def test_norms_of_half_precision_do_not_overflow() -> None:
    array = nd.array([300.0] * 4, dtype="float16")
    assert utils.clip_global_norm([array], 60.0) == pytest.approx(600)
    assert array.asnumpy().tolist() == [30] * 4


def test_a_norm_that_is_no_number_is_told() -> None:
    with pytest.warns(
        UserWarning, match=r"nan or inf is detected\. Clipping results will be undefined"
    ):
        utils.clip_global_norm([nd.array([np.nan])], 1.0)
    with pytest.raises(ArgumentError, match="no arrays to clip"):
        utils.clip_global_norm([], 1.0)


@pytest.mark.parametrize(
    ("shape", "known"),
    [(None, False), ((), False), ((0, 2), False), ((-1,), False), ((1, 2), True)],
)
def test_shapes_are_known_or_not(shape: Any, known: bool) -> None:
    assert utils.shape_is_known(shape) is known


def test_sums_are_checked_and_files_replaced(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"content")
    second.write_bytes(b"other")
    digest = hashlib.sha1(b"content").hexdigest()  # noqa: S324  # what the function checks
    assert utils.check_sha1(str(first), digest.upper())
    assert not utils.check_sha1(str(second), digest)
    utils.replace_file(str(first), str(second))
    assert (second.read_bytes(), first.exists()) == (b"content", False)


@pytest.fixture
def server() -> Iterator[str]:
    """A server whose every file is its own name; ``/missing`` is not there."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404 if self.path == "/missing" else 200)
            self.end_headers()
            self.wfile.write(self.path.encode())

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_a_download_says_what_it_fetches(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = utils.download(f"{server}/x", str(tmp_path))
    assert capsys.readouterr().out == f"Downloading {file} from {server}/x...\n"
    utils.download(f"{server}/x", str(tmp_path))
    assert capsys.readouterr().out == ""


def test_files_are_fetched_once(server: str, tmp_path: Path) -> None:
    digest = hashlib.sha1(b"/a%20b.params").hexdigest()  # noqa: S324  # what the function checks
    file = utils.download(f"{server}/a%20b.params", str(tmp_path), sha1_hash=digest)
    assert Path(file) == tmp_path / "a b.params"
    Path(file).write_text("changed")
    assert utils.download(f"{server}/a%20b.params", str(tmp_path)) == file
    assert Path(file).read_text() == "changed"
    utils.download(f"{server}/a%20b.params", file, sha1_hash=digest)
    assert Path(file).read_text() == "/a%20b.params"
    utils.download(f"{server}/other", file, overwrite=True)
    assert Path(file).read_text() == "/other"
    named = utils.download(f"{server}/x", str(tmp_path / "new" / "y"))
    assert Path(named).read_text() == "/x"


def test_a_mirror_is_asked_instead_of_apaches_server(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apache = utils._get_repo_file_url("gluon/models", "a.zip")
    assert apache.startswith("https://apache-mxnet.")
    monkeypatch.setenv("MXNET_GLUON_REPO", f"{server}/mirror")
    assert utils._get_repo_url() == f"{server}/mirror/"
    file = utils.download(apache, str(tmp_path))
    assert Path(file).read_text() == "/mirror/gluon/models/a.zip"


def test_without_a_network_the_error_says_where_to_put_the_file(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "words.txt"
    with pytest.raises(DownloadError, match=r"words.txt failed: .*refused") as caught:
        utils.download("http://127.0.0.1:9/words.txt", str(file), retries=0)
    (note,) = caught.value.__notes__
    assert f"put it at {file}" in note
    file.write_text("by hand")
    assert utils.download("http://127.0.0.1:9/words.txt", str(file)) == str(file)


def test_a_failed_fetch_is_tried_again(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DownloadError):
        utils.download(f"{server}/missing", str(tmp_path), retries=3)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["Downloading", "download"] * 2 + [
        "Downloading"
    ]
    assert lines[1].startswith("download failed due to ")
    assert lines[1].endswith(", retrying, 2 attempts left")
    assert lines[3].endswith(", retrying, 1 attempt left")


def test_failed_fetches_are_told(server: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"/missing failed: .*404") as caught:
        utils.download(f"{server}/missing", str(tmp_path), retries=1)
    assert isinstance(caught.value, OSError)
    with pytest.raises(DownloadError, match="its SHA-1 is not 00"):
        utils.download(f"{server}/x", str(tmp_path), sha1_hash="00", retries=0)
    with pytest.raises(ArgumentError, match="does not begin with http"):
        utils.download("file:///etc/hostname", str(tmp_path))
    with pytest.raises(ArgumentError, match="Number of retries should be at least 0"):
        utils.download(f"{server}/x", str(tmp_path), retries=-1)
    with pytest.raises(ArgumentError, match="verify_ssl must be True"):
        utils.download(f"{server}/x", str(tmp_path), verify_ssl=False)


def test_splitting_names_a_lack_of_slices() -> None:
    with pytest.raises(ArgumentError, match="num_slice=0 must be 1 or more"):
        utils.split_data(nd.ones((2, 3)), 0)
    with pytest.raises(ArgumentError, match="ctx_list is empty"):
        utils.split_and_load(nd.ones((2, 3)), [])
