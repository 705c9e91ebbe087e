"""Servers and schedulers of MXNet's launcher: they only wait until the workers end."""

import os
import sys
from typing import Any

from hy_gluon.kvstore.launch import Launch, launch, timeout_of
from hy_gluon.kvstore.rendezvous import Rendezvous, attend, listen

__all__ = ["KVStoreServer", "serve"]


class KVStoreServer:
    """Stand-in for MXNet's servers; hy's workers sum and update among themselves.

    Args:
        kvstore: No effect.
    """

    def __init__(self, kvstore: Any = None) -> None:
        self.kvstore = kvstore

    def run(self) -> None:
        """Wait until the workers end.

        Raises:
            KVStoreError: The environment does not say where they are.
            WorkerError: They are not there in time.
        """
        _wait(launch())


# MXNet's servers run inside `import mxnet` and never return; a launcher's script stays the same.
def serve() -> None:
    """Exit after the workers end, if this process was started as server or scheduler.

    ``import mxnet`` calls it, as programs that MXNet's launcher starts expect.
    """
    if os.environ.get("DMLC_ROLE") in ("server", "scheduler"):
        sys.exit(0 if _wait(launch()) else 1)


def _wait(where: Launch) -> bool:
    """Wait until the workers end; return whether all had met, as far as this process knows."""
    server = listen(where)
    if server is not None:
        return Rendezvous(server, where.workers, where.servers).run()
    member = attend(where, timeout_of(None))
    # The launcher may kill this process's parent: then nobody waits for it any more.
    parent = os.getppid()
    member.connection.settimeout(0.5)
    while os.getppid() == parent:
        try:
            if member.receive() is None:
                break
        except TimeoutError:
            continue
    return True
