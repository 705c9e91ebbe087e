"""Files of trained parameters in a folder, downloaded if missing and checked by SHA-1."""

import logging
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from hy_gluon._home import expanded, home
from hy_gluon.block import Block
from hy_gluon.utils import REPOSITORY, DownloadError, _get_repo_file_url, check_sha1, download
from hy_io import atomic_write
from hy_ndarray import Context, HyError

__all__ = [
    "ROOT",
    "ModelError",
    "get_model_file",
    "load_pretrained",
    "purge",
    "short_hash",
]

apache_repo_url = REPOSITORY
"""Where published files are, unless ``MXNET_GLUON_REPO`` of the environment names a mirror."""

ROOT = str(home() / "models")
"""The folder of the files where none is given."""

_log = logging.getLogger(__name__)

_model_sha1 = {  # MXNet's name: programs add models of their own
    "alexnet": "44335d1f0046b328243b32a26a4fbd62d9057b45",
    "densenet121": "f27dbf2dbd5ce9a80b102d89c7483342cd33cb31",
    "densenet161": "b6c8a95717e3e761bd88d145f4d0a214aaa515dc",
    "densenet169": "2603f878403c6aa5a71a124c4a3307143d6820e9",
    "densenet201": "1cdbc116bc3a1b65832b18cf53e1cb8e7da017eb",
    "inceptionv3": "ed47ec45a937b656fcc94dabde85495bbef5ba1f",
    "mobilenet0.25": "9f83e440996887baf91a6aff1cccc1c903a64274",
    "mobilenet0.5": "8e9d539cc66aa5efa71c4b6af983b936ab8701c3",
    "mobilenet0.75": "529b2c7f4934e6cb851155b22c96c9ab0a7c4dc2",
    "mobilenet1.0": "6b8c5106c730e8750bcd82ceb75220a3351157cd",
    "mobilenetv2_0.25": "ae8f9392789b04822cbb1d98c27283fc5f8aa0a7",
    "mobilenetv2_0.5": "aabd26cd335379fcb72ae6c8fac45a70eab11785",
    "mobilenetv2_0.75": "e2be7b72a79fe4a750d1dd415afedf01c3ea818d",
    "mobilenetv2_1.0": "36da4ff1867abccd32b29592d79fc753bca5a215",
    "resnet101_v1": "d988c13d6159779e907140a638c56f229634cb02",
    "resnet101_v2": "18e93e4f48947e002547f50eabbcc9c83e516aa6",
    "resnet152_v1": "671c637a14387ab9e2654eafd0d493d86b1c8579",
    "resnet152_v2": "f2695542de38cf7e71ed58f02893d82bb409415e",
    "resnet18_v1": "a0666292f0a30ff61f857b0b66efc0228eb6a54b",
    "resnet18_v2": "a81db45fd7b7a2d12ab97cd88ef0a5ac48b8f657",
    "resnet34_v1": "48216ba99a8b1005d75c0f3a0c422301a0473233",
    "resnet34_v2": "9d6b80bbc35169de6b6edecffdd6047c56fdd322",
    "resnet50_v1": "0aee57f96768c0a2d5b23a6ec91eb08dfb0a45ce",
    "resnet50_v2": "ecdde35339c1aadbec4f547857078e734a76fb49",
    "squeezenet1.0": "264ba4970a0cc87a4f15c96e25246a1307caf523",
    "squeezenet1.1": "33ba0f93753c83d86e1eb397f38a667eaf2e9376",
    "vgg11": "dd221b160977f36a53f464cb54648d227c707a05",
    "vgg11_bn": "ee79a8098a91fbe05b7a973fed2017a6117723a8",
    "vgg13": "6bc5de58a05a5e2e7f493e2d75a580d83efde38c",
    "vgg13_bn": "7d97a06c3c7a1aecc88b6e7385c2b373a249e95e",
    "vgg16": "e660d4569ccb679ec68f1fd3cce07a387252a90a",
    "vgg16_bn": "7f01cf050d357127a73826045c245041b0df7363",
    "vgg19": "ad2f660d101905472b83590b59708b71ea22b2e5",
    "vgg19_bn": "f360b758e856f1074a85abd5fd873ed1d98297c3",
}
"""SHA-1 of the file of each model."""


class ModelError(HyError, TypeError, ValueError, AssertionError):
    """A model or variant does not exist, or has no trained parameters."""


def short_hash(name: str) -> str:
    """Return the first 8 digits of the SHA-1 of a model's file, which are part of its name.

    Raises:
        ModelError: No trained parameters were ever published for this model.

    Example:
        >>> short_hash("resnet18_v1")
        'a0666292'
    """
    if name not in _model_sha1:
        raise ModelError(
            f"there are no trained parameters of {name!r}; of {', '.join(_model_sha1)}"
        )
    return _model_sha1[name][:8]


def get_model_file(name: str, root: str = ROOT) -> str:
    """Return the path of a model's trained parameters, ``<root>/<name>-<short hash>.params``.

    If the file is missing or has another SHA-1, it is downloaded from Apache's server, or from the
    mirror whose URL is in the environment variable ``MXNET_GLUON_REPO``, at
    ``gluon/models/<name>-<short hash>.zip``.

    Args:
        name: Name of the model, such as ``"resnet18_v1"``.
        root: The folder.

    Returns:
        The path of the file.

    Raises:
        ModelError: No trained parameters were ever published for this model.
        DownloadError: The download failed, or its SHA-1 differs.
    """
    base = f"{name}-{short_hash(name)}"
    file = expanded(root) / f"{base}.params"
    if file.is_file():
        if check_sha1(str(file), _model_sha1[name]):
            return str(file)
        _log.warning("%s is not the published file; downloading it again", file)
    url = _get_repo_file_url("gluon/models", f"{base}.zip")
    try:
        _fetch(url, file, _model_sha1[name])
    except (OSError, zipfile.BadZipFile) as error:
        problem = DownloadError(f"the trained parameters of {name} could not be fetched: {error}")
        problem.add_note(
            f"without a network, put the file {file.name} (SHA-1 {_model_sha1[name]}) into "
            f"{file.parent}, or name another folder with root=...; to use a mirror, set "
            "MXNET_GLUON_REPO to its address"
        )
        raise problem from error
    return str(file)


def _fetch(url: str, file: Path, sha1: str) -> None:
    """Download an archive, and extract the member with the name of ``file``."""
    # Not beside the file: a broken download leaves nothing there.
    with tempfile.TemporaryDirectory() as folder:
        archive = download(url, str(Path(folder) / "model.zip"))
        member = Path(folder) / file.name
        with zipfile.ZipFile(archive) as members:
            # By name, and not extracted: the archive cannot choose where it is written.
            if file.name not in members.namelist():
                raise DownloadError(f"{url} has no member {file.name}")
            with members.open(file.name) as source, member.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        if not check_sha1(str(member), sha1):
            raise DownloadError(f"{url} does not hold the file that was published: another SHA-1")
        file.parent.mkdir(parents=True, exist_ok=True)
        # Other processes may load the same model now; they see the whole file or none.
        with member.open("rb") as source, atomic_write(file) as target:
            shutil.copyfileobj(source, target)


def load_pretrained(
    net: Block, name: str, ctx: Context | Sequence[Context] | None = None, root: str = ROOT
) -> None:
    """Load the trained parameters of a model.

    Args:
        net: The model.
        name: Name of the model.
        ctx: Contexts of the parameters.
        root: See :func:`get_model_file`, which also lists the errors.
    """
    contexts = ctx if ctx is None or isinstance(ctx, Context) else list(ctx)
    net.load_parameters(get_model_file(name, root), ctx=contexts)


def purge(root: str = ROOT) -> None:
    """Delete all parameter files in a folder."""
    for file in expanded(root).glob("*.params"):
        file.unlink()
