"""Rendezvous of the processes of MXNet's launcher: assigns ranks and shares an address.

One process is the coordinator and listens: the scheduler, or worker 0 if there is none. All others
stay connected to it for as long as they live, so that a crash of a worker is noticed at once. A
message is a line of JSON.
"""

import errno
import json
import os
import selectors
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from hy_gluon.kvstore.errors import KVStoreError, WorkerError
from hy_gluon.kvstore.launch import Launch

__all__ = ["Member", "attend", "listen"]

# Bounds a line, so that a stranger who connects cannot fill the memory.
_MAX_MESSAGE_BYTES = 4096  # bytes of a message
_SERVER_GRACE_SECONDS = 30.0
"""Seconds in which servers may still connect after the workers ended."""
_POLL_SECONDS = 0.5
"""Seconds between checks that the parent process is still alive."""


def listen(where: Launch) -> socket.socket | None:
    """Return a listening socket if this process becomes the coordinator, else None."""
    own = where.role == "scheduler"
    if not own and where.rank != 0:
        return None
    # The name first, then any interface: behind NAT the host's name is no address of this machine.
    for host in (where.host, ""):
        try:
            return socket.create_server((host, where.port))
        except OSError as error:
            # Somebody else listens here: this process is a member.
            if error.errno == errno.EADDRINUSE:
                return None
            if not own:  # the address of another machine: the scheduler's
                return None
    raise KVStoreError(f"the scheduler cannot listen at {where.host}:{where.port}")


@dataclass(slots=True, eq=False)
class Member:
    """Connection between the coordinator and a process."""

    connection: socket.socket
    role: str = ""
    rank: int | None = None
    pending: bytes = field(default=b"", repr=False)

    def send(self, **message: Any) -> None:
        """Send a message; does nothing if the other end is closed."""
        try:
            self.connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            return

    def receive(self) -> dict[str, Any] | None:
        """Return the next message, empty if it is incomplete; None if the other end is closed.

        Raises:
            TimeoutError: Nothing arrived within the connection's timeout.
        """
        line, separator, rest = self.pending.partition(b"\n")
        if not separator:
            # Half a line may have come; the rest is waited for by the caller.
            try:
                data = self.connection.recv(_MAX_MESSAGE_BYTES)
            except ConnectionError:
                return None
            # 0 bytes: the other end closed, or died.
            if not data or len(self.pending) + len(data) > _MAX_MESSAGE_BYTES:
                return None
            self.pending += data
            line, separator, rest = self.pending.partition(b"\n")
            if not separator:
                return {}
        self.pending = rest
        try:
            message = json.loads(line)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None


class Rendezvous:
    """Coordinator of a rendezvous: waits for all workers, assigns ranks, and waits for their end.

    Args:
        server: The listening socket.
        workers: Expected number of workers.
        servers: Expected number of server processes; the coordinator waits for late ones, so that
            they learn that the workers have ended.
    """

    def __init__(self, server: socket.socket, workers: int, servers: int = 0) -> None:
        self._server = server
        self._count = workers
        self._servers = servers
        self._selector = selectors.DefaultSelector()
        self._selector.register(server, selectors.EVENT_READ)
        self._members: list[Member] = []
        self._arrived = 0
        self._complete = False

    # The parent is looked at, since a launcher that is killed leaves orphans.
    def run(self) -> bool:
        """Serve until all workers have connected and left; return whether all had connected."""
        parent = os.getppid()
        end = float("inf")
        try:
            while os.getppid() == parent and time.monotonic() < end:
                for key, _ in self._selector.select(_POLL_SECONDS):
                    if key.fileobj is self._server:
                        self._accept()
                    else:
                        self._receive(key.data)
                # Servers of the launcher come late, and must find somebody who tells them to end.
                if self._arrived and not self._workers():
                    end = min(
                        end, time.monotonic() + (_SERVER_GRACE_SECONDS if self._servers > 0 else 0)
                    )
        finally:
            for member in list(self._members):
                self._remove(member)
            self._selector.close()
            self._server.close()
        return self._complete

    def _workers(self) -> list[Member]:
        return [member for member in self._members if member.role == "worker"]

    def _accept(self) -> None:
        connection, _ = self._server.accept()
        member = Member(connection)
        self._members.append(member)
        self._selector.register(connection, selectors.EVENT_READ, member)

    def _remove(self, member: Member) -> None:
        self._selector.unregister(member.connection)
        member.connection.close()
        self._members.remove(member)

    def _receive(self, member: Member) -> None:
        try:
            message = member.receive()
        except OSError:  # the network's, too, of a machine that is gone
            message = None
        # A broken connection before all met would leave the others waiting for the whole timeout.
        if message is None:
            self._remove(member)
            if member.role == "worker" and not self._complete:
                for other in self._workers():
                    other.send(error="a worker ended before all had come")
            return
        # One packet may bring several lines.
        while message:
            if "role" in message:
                self._register(member, message)
            elif "store" in message:
                for other in self._workers():
                    other.send(store=message["store"])
            message = member.receive() if b"\n" in member.pending else None

    def _register(self, member: Member, message: dict[str, Any]) -> None:
        if message["role"] != "worker":
            self._servers -= message["role"] == "server"
            return
        wrong = self._refusal(message)
        if wrong is not None:
            member.send(error=wrong)
            return
        member.role, member.rank = "worker", message.get("rank")
        self._arrived += 1
        workers = self._workers()
        if len(workers) == self._count:
            self._complete = True
            # Wishes first, then free numbers in the order of arrival.
            taken = {x.rank for x in workers}
            free = iter([i for i in range(self._count) if i not in taken])
            for worker in workers:
                worker.rank = next(free) if worker.rank is None else worker.rank
                worker.send(rank=worker.rank)

    def _refusal(self, message: dict[str, Any]) -> str | None:
        """Return the reason why a worker cannot join, or None."""
        rank = message.get("rank")
        if message.get("workers") != self._count:
            return f"it expects {message.get('workers')} workers, the others {self._count}"
        if self._complete:
            return f"all {self._count} workers are here already"
        if rank is not None and rank not in range(self._count):
            return f"it has rank {rank!r} of {self._count}"
        if rank is not None and any(x.rank == rank for x in self._workers()):
            return f"there is a worker {rank} already"
        return None


def attend(where: Launch, timeout: float) -> Member:
    """Connect to the coordinator; start one in this process if it shall be the coordinator.

    Args:
        where: Launch settings with the coordinator's address.
        timeout: Seconds to wait for the coordinator and all workers.

    Returns:
        The connection, which must stay open as long as this process lives. A worker's has its rank.

    Raises:
        WorkerError: Nobody listens, or not all workers connected in time.
    """
    server = listen(where)
    if server is not None:
        rendezvous = Rendezvous(server, where.workers)
        # A daemon: it must not keep worker 0 alive after training.
        threading.Thread(target=rendezvous.run, name="kvstore rendezvous", daemon=True).start()
    end = time.monotonic() + timeout
    member = Member(_connected(where, end), where.role, where.rank)
    member.send(role=where.role, rank=where.rank, workers=where.workers)
    # Servers and schedulers get no rank.
    if where.role == "worker":
        try:
            member.rank = int(await_message(member, "rank", where, end))
        except BaseException:
            member.connection.close()
            raise
    return member


def await_message(member: Member, name: str, where: Launch, end: float) -> Any:
    """Wait for a message that contains ``name``, and return that entry.

    Raises:
        WorkerError: The message did not arrive in time, or the rendezvous ended.
    """
    address = f"{where.host}:{where.port}"
    while True:
        member.connection.settimeout(max(end - time.monotonic(), 0.001))
        try:
            message = member.receive()
        except TimeoutError:
            raise WorkerError(
                f"not all {where.workers} workers came to {address} in time; look for one that did "
                "not start, or give them longer with HY_KVSTORE_TIMEOUT"
            ) from None
        if message is None or "error" in message:
            reason = "the other end is gone" if message is None else message["error"]
            raise WorkerError(f"the workers at {address} did not come together: {reason}")
        if name in message:
            member.connection.settimeout(None)
            return message[name]


def _connected(where: Launch, end: float) -> socket.socket:
    """Return a socket connected to the coordinator; retries until the time ``end``."""
    parent = os.getppid()
    while True:
        left = end - time.monotonic()
        try:
            address = where.host, where.port
            connection = socket.create_connection(address, timeout=max(left, 0.001))
        except OSError as error:
            # A worker whose launcher is gone stops trying.
            if left <= 0 or os.getppid() != parent:
                raise WorkerError(
                    f"nobody listens at {where.host}:{where.port}, the workers' rendezvous "
                    f"({error}); is the scheduler, or worker 0, running?"
                ) from error
            time.sleep(min(0.05, max(left, 0)))
        else:
            # A machine that loses power closes nothing; keep-alive notices it.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return connection
