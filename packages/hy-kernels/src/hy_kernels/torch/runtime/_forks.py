"""Check for forks: a process forked after CUDA was used cannot use CUDA."""

import os

import torch


class ForkedError(RuntimeError):
    """A GPU is used in a process that was forked after CUDA was used."""


class _Use:
    """Id of the process that had used CUDA before a fork."""

    process: int | None = None


def _note() -> None:
    # Set in the parent before the fork: in the child CUDA would fail with an error that says
    # nothing of forks.
    if torch.cuda.is_initialized():
        _Use.process = os.getpid()


def check_process() -> None:
    """Raise an error in a process that cannot use CUDA because of a fork.

    Raises:
        ForkedError: The process was forked from one that had used CUDA, so that calls would fail or
            hang.
    """
    if _Use.process is not None and _Use.process != os.getpid():
        raise ForkedError(
            "this process was forked from one that had used a GPU, and cannot use one itself; "
            "begin processes by multiprocessing.set_start_method('spawn'), give a DataLoader "
            "thread_pool=True, or make it before anything is on a GPU"
        )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_note)
