"""Default number of threads: set by the environment, else what the machine allows."""

import os
from collections.abc import Iterator
from pathlib import Path

_VARIABLES = ("HY_NUM_THREADS", "OMP_NUM_THREADS")
_MOUNT = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def allowed_threads() -> int:
    """Return ``HY_NUM_THREADS``, else ``OMP_NUM_THREADS``, else the cores the process may use.

    These are the cores of its affinity mask, limited by the CPU quota of its control groups (of a
    container, for example), rounded down: with a quota of 2.5 cores, two threads.
    """
    for name in _VARIABLES:
        # OMP_NUM_THREADS may be a list, with a number for each level of nested parallel regions.
        operands = os.environ.get(name, "").partition(",")[0].strip()
        if operands.isdigit() and int(operands):
            return int(operands)
    # cpu_count() also counts cores that taskset or a container's cpuset excludes.
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    # Rounded down: a thread on half a core is throttled in every period, and the other threads
    # wait for it.
    quota = cpu_quota()
    return cores if quota is None else max(1, min(cores, int(quota)))


def cpu_quota(membership: Path = _MEMBERSHIP, mount: Path = _MOUNT) -> float | None:
    """Return the smallest CPU quota of the process's control groups, in cores; None without one.

    Args:
        membership: Linux's file with the control groups of a process, of versions 1 and 2.
        mount: The mount point of the control groups.

    Source:
        Linux, Documentation/admin-guide/cgroup-v2.rst (``cpu.max``) and
        Documentation/scheduler/sched-bwc.rst (``cpu.cfs_quota_us``).
    """
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return None
    quotas: list[float] = []
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        # Version 2 has one hierarchy, whose line "0::/path" names no controllers.
        if not controllers:
            quotas += _quotas_v2(mount, path)
        elif "cpu" in controllers.split(","):
            # Version 1 is mounted by its controllers, "cpu,cpuacct", often with a link of each
            # name.
            for name in (controllers, "cpu"):
                quotas += _quotas_v1(mount / name, path)
    return min(quotas, default=None)


def _with_parents(mount: Path, path: str) -> Iterator[Path]:
    """Yield the folders of a control group and of its parents, whose quotas also apply."""
    folder = mount / path.lstrip("/")
    while folder != mount and mount in folder.parents:
        yield folder
        folder = folder.parent
    # In a container, the path is the host's and may not exist; the mount is the container's group.
    yield mount


def _quotas_v2(mount: Path, path: str) -> Iterator[float]:
    for folder in _with_parents(mount, path):
        words = _words(folder / "cpu.max")
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit():
            yield int(words[0]) / max(int(words[1]), 1)


def _quotas_v1(mount: Path, path: str) -> Iterator[float]:
    for folder in _with_parents(mount, path):
        quota, period = _words(folder / "cpu.cfs_quota_us"), _words(folder / "cpu.cfs_period_us")
        # A quota of -1, or "max", is no limit.
        if quota and period and quota[0].isdigit() and period[0].isdigit():
            yield int(quota[0]) / max(int(period[0]), 1)


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
