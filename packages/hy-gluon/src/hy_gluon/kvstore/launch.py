"""Launch settings of this process, from the variables of torchrun or of MXNet's launcher."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from hy_gluon.kvstore.errors import KVStoreError

__all__ = ["Launch", "launch", "timeout_of"]

_TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_DMLC = ("DMLC_PS_ROOT_URI", "DMLC_PS_ROOT_PORT", "DMLC_NUM_WORKER")
_ROLES = ("worker", "server", "scheduler")
_TIMEOUT = "HY_KVSTORE_TIMEOUT"
_SECONDS = 1800.0


class Launch(NamedTuple):
    """Rank and address by which the processes of a training job find each other."""

    workers: int
    """Number of worker processes."""
    host: str
    """Host name or address of the rendezvous."""
    port: int
    role: str = "worker"
    """``"worker"``, ``"server"`` or ``"scheduler"``; the last two only wait for the workers."""
    rank: int | None = None
    """Index of this worker; None if the rendezvous assigns it."""
    servers: int = 0
    """Number of server processes that MXNet's launcher started."""
    torchrun: bool = False
    """Whether torchrun started this process."""


def launch(env: Mapping[str, str] = os.environ) -> Launch:
    """Return the launch settings in an environment.

    Raises:
        KVStoreError: Variables are missing or invalid.

    Example:
        >>> launch({"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "h", "MASTER_PORT": "1234"})
        Launch(workers=2, host='h', port=1234, role='worker', rank=1, servers=0, torchrun=True)
    """
    # torchrun's variables win: it sets all four.
    if all(name in env for name in _TORCHRUN):
        workers = _integer_of(env, "WORLD_SIZE", 1)
        rank = _integer_of(env, "RANK", 0, workers - 1)
        port = _integer_of(env, "MASTER_PORT", 1, 65535)
        return Launch(workers, host=env["MASTER_ADDR"], port=port, rank=rank, torchrun=True)
    missing = [name for name in _DMLC if name not in env]
    if missing:
        raise KVStoreError(
            "a store of several workers needs processes that know each other: start them with "
            "`torchrun --nproc-per-node=N program.py`, or with MXNet's launcher, which sets "
            f"{', '.join(_DMLC)} ({missing[0]} is not set)"
        )
    role = env.get("DMLC_ROLE", "worker")
    if role not in _ROLES:
        raise KVStoreError(f"DMLC_ROLE={role!r} must be one of {', '.join(_ROLES)}")
    workers = _integer_of(env, "DMLC_NUM_WORKER", 1)
    known = "DMLC_WORKER_ID" in env
    worker_id = _integer_of(env, "DMLC_WORKER_ID", 0, workers - 1) if known else None
    port = _integer_of(env, "DMLC_PS_ROOT_PORT", 1, 65535)
    servers = _integer_of(env, "DMLC_NUM_SERVER", 0) if "DMLC_NUM_SERVER" in env else 0
    return Launch(
        workers, host=env["DMLC_PS_ROOT_URI"], port=port, role=role, rank=worker_id, servers=servers
    )


def timeout_of(timeout: float | None, env: Mapping[str, str] = os.environ) -> float:
    """Return the seconds to wait for workers: ``timeout``, ``HY_KVSTORE_TIMEOUT``, or 1800.

    Raises:
        KVStoreError: The value is not a positive number.
    """
    text = env.get(_TIMEOUT, _SECONDS) if timeout is None else timeout
    try:
        seconds = float(text)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        what = f"timeout (or {_TIMEOUT})"
        raise KVStoreError(f"{what} is a positive number of seconds, not {text!r}")
    return seconds


def _integer_of(env: Mapping[str, str], name: str, low: int, high: int | None = None) -> int:
    try:
        number = int(env[name])
    except ValueError:
        number = low - 1
    if number < low or (high is not None and number > high):
        bound = "" if high is None else f" and at most {high}"
        raise KVStoreError(f"{name} is {env[name]!r}; it must be a number, at least {low}{bound}")
    return number
