"""Server and scheduler processes of MXNet's launcher, which only wait for the workers to end."""

import os
import sys
from typing import Any

from hy_gluon.kvstore.launch import Launch, launch, timeout_of
from hy_gluon.kvstore.rendezvous import Rendezvous, attend, listen

__all__ = ["KVStoreServer", "serve"]


class KVStoreServer:
    """Stand-in for MXNet's parameter server; hy's workers exchange gradients directly.

    Args:
        kvstore: Has no effect.
    """

    def __init__(self, kvstore: Any = None) -> None:
        self.kvstore = kvstore

    def run(self) -> None:
        """Wait until the workers end.

        Raises:
            KVStoreError: The environment does not describe the workers.
            WorkerError: The workers did not start in time.
        """
        _wait(launch())


# MXNet's servers run inside `import mxnet` and never return; a launcher's script stays the same.
def serve() -> None:
    """Wait for the workers and exit, if this process was started as a server or scheduler.

    Called by ``import mxnet``, as MXNet's launcher starts the same program in all roles.
    """
    if os.environ.get("DMLC_ROLE") in ("server", "scheduler"):
        sys.exit(0 if _wait(launch()) else 1)


def _wait(where: Launch) -> bool:
    """Wait until the workers end; return whether all had connected, as far as known."""
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
