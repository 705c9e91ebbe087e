"""Files that one side writes and both read: a folder for each side, in a program's current one.

What MXNet 1.9.1 wrote is kept in ``files/``, so that hy reads it wherever the clients run.
"""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.clients.program import Checks

__all__ = ["exchanged", "hand", "keep", "kept"]

MXNET = "mxnet"


def exchanged(
    side: str,
    write: Callable[[Path], object],
    read: Callable[[Path], object],
    resume: Callable[[Path], object] | None = None,
) -> Checks:
    """The checks of a client's files.

    Args:
        side: Which writes.
        write: Writes into an empty folder.
        read: Gives what such a folder's files give.
        resume: Goes on training with them; hy does that with MXNet's states of optimizers, while
            MXNet wants pickles and cannot read those of hy.
    """

    def written() -> object:
        folder = Path(side)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return write(folder)

    found: Checks = {"writes": written}
    for other in ("hy", MXNET):
        found[f"reads {other}"] = partial(read, Path(other))
    return found if resume is None else found | {f"resumes {MXNET}": partial(resume, Path(MXNET))}


def kept(client: str) -> Path:
    """Where the files that MXNet wrote for a client are kept, if it has any."""
    return Path(__file__).parent / "files" / client


def hand(client: str, folder: Path) -> None:
    """Put a client's files of MXNet into a folder."""
    if kept(client).is_dir():
        shutil.rmtree(folder / MXNET, ignore_errors=True)
        shutil.copytree(kept(client), folder / MXNET)


def keep(client: str, folder: Path) -> None:
    """Keep what MXNet wrote into a folder."""
    if (folder / MXNET).is_dir():
        shutil.rmtree(kept(client), ignore_errors=True)
        shutil.copytree(folder / MXNET, kept(client))
