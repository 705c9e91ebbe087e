"""Threads that do something at the same time, and what came of it."""

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["ROUNDS", "race"]

ROUNDS = int(os.environ.get("HY_ROUNDS", "20"))
"""How often a race is run; 500 take some minutes."""


def race(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each job gave, all in threads of their own, begun together; raises the first error."""
    start = threading.Barrier(len(jobs))
    results: list[Any] = [None] * len(jobs)
    errors: list[BaseException] = []

    def run(i: int) -> None:
        start.wait()
        try:
            results[i] = jobs[i]()
        except BaseException as error:  # whatever it is, the test is told
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a thread does not end"
    if errors:
        raise errors[0]
    return results
