"""Slices for several contexts, gradient clipping, downloads (MXNet's ``gluon.utils``)."""

import errno
import hashlib
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import numpy.typing as npt

from hy_gluon._home import expanded
from hy_gluon.block.hooks import HookHandle
from hy_io import atomic_write, map_file
from hy_ndarray import (
    ArgumentError,
    Context,
    HyError,
    NDArray,
    ShapeError,
    autograd,
    is_np_array,
    is_np_shape,
    nd,
    np,
)
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_ndarray.warning import warn

__all__ = [
    "DownloadError",
    "HookHandle",
    "_brief_print_list",
    "_indent",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "shape_is_known",
    "split_and_load",
    "split_data",
]

REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"
"""Where Apache has published trained parameters and datasets."""

_Array = TypeVar("_Array", NDArray, npt.NDArray[Any])


class DownloadError(HyError, OSError):
    """A file could not be downloaded, or has another checksum."""


def split_data(
    data: _Array, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[_Array]:
    """Return an array split into slices along the batch axis.

    Args:
        data: ``[*shape]``: an array of hy or of numpy.
        num_slice: Number of slices.
        batch_axis: The axis to split.
        even_split: Raise an error if sizes differ; otherwise, the first slices have one more.

    Returns:
        ``num_slice`` arrays.

    Raises:
        ShapeError: The sizes of the slices would differ.
        ArgumentError: ``num_slice`` is below 1.

    Example:
        >>> batch = nd.array([[1], [2], [3], [4], [5]])
        >>> [part.shape for part in split_data(batch, 2, even_split=False)]
        [(3, 1), (2, 1)]
    """
    if num_slice < 1:
        raise ArgumentError(f"split_data: num_slice={num_slice} must be 1 or more")
    size = data.shape[batch_axis]
    small, rest = divmod(size, num_slice)
    if even_split and rest:
        raise ShapeError(
            f"data with shape {tuple(data.shape)} cannot be evenly split into {num_slice} slices "
            f"along axis {batch_axis}. Use a batch size that's multiple of {num_slice} or set "
            "even_split=False"
        )
    before: tuple[Any, ...] = (slice(None),) * (batch_axis % len(data.shape))
    slices = []
    start = 0
    for i in range(num_slice):
        # As numpy.array_split: the first slices are longer by one.
        stop = start + small + (i < rest)
        slices.append(data[(*before, slice(start, stop))])
        start = stop
    return slices


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Split a batch into one slice per context, and return the slices on the contexts.

    Args:
        data: An array, or an argument of :func:`hy_ndarray.nd.array`.
        ctx_list: The contexts.
        batch_axis: See :func:`split_data`.
        even_split: See :func:`split_data`.

    Returns:
        One array for each context.

    Raises:
        ShapeError: See :func:`split_data`.
        ArgumentError: There are no contexts.
    """
    if not ctx_list:
        raise ArgumentError("split_and_load: ctx_list is empty; give contexts, such as [mx.cpu()]")
    make = np.array if is_np_array() else nd.array
    array: NDArray = data if isinstance(data, NDArray) else make(data, ctx=ctx_list[0])
    if len(ctx_list) == 1:
        return [array.as_in_context(ctx_list[0])]
    slices = split_data(array, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(slices, ctx_list, strict=True)]


def clip_global_norm(
    arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True
) -> Any:
    """Scale arrays in place by one factor, such that their global norm is at most ``max_norm``.

    Args:
        arrays: The arrays, on any contexts; usually gradients.
        max_norm: Largest square root of the sum of all squares.
        check_isfinite: Wait for the norm, and warn if it is infinite or not a number.

    Returns:
        The norm before scaling: numpy float32, or an array ``[1]`` if ``check_isfinite`` is False.

    Raises:
        ArgumentError: ``arrays`` is empty, or contains something other than NDArrays.

    Example:
        >>> gradient = nd.array([3.0, 4.0])
        >>> round(float(clip_global_norm([gradient], 1.0)), 4), gradient.asnumpy().round(4).tolist()
        (5.0, [0.6000000238418579, 0.800000011920929])
    """
    if not arrays:
        raise ArgumentError("clip_global_norm: there are no arrays to clip")
    for array in arrays:
        if not isinstance(array, NDArray):
            raise ArgumentError(
                f"clip_global_norm: {kind_of(array)} is no NDArray{conversion(array)}"
            )
    with autograd.pause():
        norm = nd.sqrt(sum_of_squares(arrays, arrays[0].context))
        if check_isfinite:
            value = norm.asscalar()
            if not math.isfinite(value):
                warn(
                    "nan or inf is detected. Clipping results will be undefined. "
                    f"clip_global_norm: the norm is {value}"
                )
            factor = max_norm / (value + 1e-8)
            # Written so that a factor of nan takes this way, too.
            if not factor >= 1.0:
                for array in arrays:
                    array[:] = array * factor
            return value
        # All on the device: nobody waits for the norm.
        scale_to(arrays, norm, max_norm)
        return norm


def sum_of_squares(arrays: Sequence[NDArray], context: Context) -> NDArray:
    """Return the sum of all elements' squares, ``[1]``, in float32.

    Args:
        arrays: The arrays, on any contexts.
        context: Where the sum is.
    """
    total: Any = None
    for array in arrays:
        # In float32: squares of float16 overflow from 256 on, and sums of 16-bit numbers lose
        # digits.
        own = nd.sum(nd.square(array.astype("float32", copy=False))).as_in_context(context)
        total = own if total is None else total + own
    return nd.zeros((1,), ctx=context) if total is None else total


def scale_to(arrays: Sequence[NDArray], norm: NDArray, max_norm: float) -> None:
    """Scale arrays in place by one factor, so that a norm becomes at most ``max_norm``.

    Args:
        arrays: The arrays.
        norm: The norm, ``[1]``: of these arrays, or of more.
        max_norm: The largest norm.
    """
    scale = nd.minimum(max_norm / (norm + 1e-8), 1.0)
    for array in arrays:
        array[:] = nd.broadcast_mul(array, scale.as_in_context(array.context).astype(array.dtype))


def shape_is_known(shape: Sequence[int] | None) -> bool:
    """Return whether a shape has no unknown sizes: 0 or -1, under ``np_shape`` -1 alone."""
    if shape is None:
        return False
    if is_np_shape():
        return min(shape, default=0) >= 0
    return len(shape) > 0 and min(shape) > 0


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Return whether the SHA-1 of a file is ``sha1_hash`` (40 hexadecimal digits)."""
    # SHA-1 is what Apache published; OpenSSL in FIPS mode refuses it for security.
    digest = hashlib.sha1(map_file(filename), usedforsecurity=False)
    return digest.hexdigest() == sha1_hash.lower()


def replace_file(src: str, dst: str) -> None:
    """Move a file to another path, and replace a file there atomically."""
    Path(src).replace(dst)


def _get_repo_url() -> str:
    """Return the URL of Apache's server, or of the mirror in ``MXNET_GLUON_REPO``."""
    return os.environ.get("MXNET_GLUON_REPO", REPOSITORY).rstrip("/") + "/"


def _get_repo_file_url(namespace: str, filename: str) -> str:
    """Return the URL of a published file.

    Args:
        namespace: Folder on the server, such as ``"gluon/models"``.
        filename: Name in the folder.
    """
    return f"{_get_repo_url()}{namespace}/{filename}"


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Download a file unless it exists, and return the path.

    If the environment variable ``MXNET_GLUON_REPO`` is set, files of Apache's server come from the
    mirror at that URL.

    Args:
        url: Begins with ``http://`` or ``https://``.
        path: Target file or folder; the current folder if None.
        overwrite: Download the file even if it exists.
        sha1_hash: Expected SHA-1 of the file.
        retries: Number of attempts; 0 means 1.
        verify_ssl: Must be True: hy does not download from servers without valid certificates.

    Returns:
        The path of the file.

    Raises:
        ArgumentError: ``url`` has another scheme, ``retries`` is negative, or ``verify_ssl`` is
            False.
        DownloadError: The download failed, or the SHA-1 differs; names the path for a manual copy.
    """
    if url.startswith(REPOSITORY):
        url = _get_repo_url() + url.removeprefix(REPOSITORY)
    if urlsplit(url).scheme not in ("http", "https"):
        raise ArgumentError(f"download: {url!r} does not begin with http:// or https://")
    if not verify_ssl:
        raise ArgumentError("download: verify_ssl must be True; fetch the file by other means")
    if retries < 0:
        raise ArgumentError(f"Number of retries should be at least 0, currently it's {retries}")
    target = _target(url, path)
    if not overwrite and target.is_file() and _matches(target, sha1_hash):
        return str(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    problem = _try_download(url, target, sha1_hash, max(retries, 1))
    if problem is None:
        return str(target)
    failure = DownloadError(f"download of {url} failed: {problem}")
    failure.add_note(
        f"without a network, fetch it by other means and put it at {target}: a file that is there "
        "is not fetched"
    )
    raise failure


def _try_download(url: str, target: Path, sha1_hash: str | None, times: int) -> str | None:
    """Try to download a file, and return the last reason for failure, or None on success."""
    problem = None
    for left in reversed(range(times)):
        print(f"Downloading {target} from {url}...")  # noqa: T201  # as MXNet: it may take long
        try:
            _fetch(url, target)
        except OSError as error:
            problem = str(error)
            if _is_unreachable(error):
                break
        else:
            if _matches(target, sha1_hash):
                return None
            problem = f"its SHA-1 is not {sha1_hash}"
        if left:
            attempts = f"{left} attempt{'s' * (left > 1)}"
            print(f"download failed due to {problem}, retrying, {attempts} left")  # noqa: T201
    return problem


def _is_unreachable(error: OSError) -> bool:
    """Return whether retries are useless: unknown host, no route, or connection refused."""
    from socket import gaierror  # noqa: PLC0415  # loaded with urllib, which few need

    reason = getattr(error, "reason", error)
    return isinstance(reason, gaierror | ConnectionRefusedError) or (
        getattr(reason, "errno", None) in (errno.ENETUNREACH, errno.EHOSTUNREACH)
    )


def _matches(file: Path, sha1_hash: str | None) -> bool:
    return sha1_hash is None or check_sha1(str(file), sha1_hash)


def _target(url: str, path: str | None) -> Path:
    # The last part alone, so that an address cannot name a folder.
    name = unquote(Path(urlsplit(url).path).name)
    if path is None:
        return Path(name)
    requested = expanded(path)
    return requested / name if requested.is_dir() else requested


def _fetch(url: str, target: Path) -> None:
    from urllib.error import HTTPError  # noqa: PLC0415  # 7 ms, and few fetch files
    from urllib.request import Request, urlopen  # noqa: PLC0415

    request = Request(url, headers={"User-Agent": "hy"})  # noqa: S310  # checked by the caller
    try:
        opened = urlopen(request, timeout=60)  # noqa: S310
    except HTTPError as error:
        error.close()  # it is the server's answer as well
        raise
    # Written beside and renamed: a broken download leaves nothing under the name.
    with opened as answer, atomic_write(target) as file:
        total = int(answer.headers.get("Content-Length") or 0)
        while block := answer.read(1 << 20):
            file.write(block)
            _show_progress(file.tell(), total)


def _show_progress(done: int, total: int) -> None:
    """Print the received percentage of a file on a terminal."""
    if sys.stderr.isatty():
        of = f" of {total / 1e6:.1f} MB ({done / total:.0%})" if total else " MB"
        end = "\n" if done == total else ""
        print(f"\r{done / 1e6:.1f}{of}", end=end, file=sys.stderr, flush=True)  # noqa: T201


def _indent(s_: str, numSpaces: int) -> str:  # noqa: N803  # MXNet's names: programs print blocks with it
    """Return a text with all lines except the first indented by ``numSpaces``."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def _brief_print_list(lst: Sequence[object], limit: int = 7) -> str:
    """Return names in quotes; the middle is omitted if there are more than ``limit``."""
    if len(lst) > limit:
        ends = lst[: limit // 2], lst[-((limit + 1) // 2) :]
        return ", ..., ".join(_brief_print_list(end, limit) for end in ends)
    return ", ".join(f"'{name}'" for name in lst)


_suggest_members(globals())
