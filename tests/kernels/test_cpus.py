"""How many threads compute: what the user says, else the affinity mask and the CPU quota."""

import os
from pathlib import Path

import pytest

from hy_kernels.numpy.runtime import _cpus
from hy_kernels.numpy.runtime._cpus import allowed_threads, cpu_quota


@pytest.fixture(autouse=True)
def _eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HY_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(_cpus, "cpu_quota", lambda: None)


def test_it_is_the_number_of_cores_of_the_affinity_mask() -> None:
    assert allowed_threads() == 8


def test_it_is_the_number_of_all_cores_where_there_is_no_mask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    assert allowed_threads() == 64


@pytest.mark.parametrize(("quota", "threads"), [(2.5, 2), (0.4, 1), (100.0, 8), (None, 8)])
def test_a_quota_of_cpu_time_is_not_exceeded(
    quota: float | None, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cpus, "cpu_quota", lambda: quota)
    assert allowed_threads() == threads


@pytest.mark.parametrize(
    ("hy", "omp", "threads"),
    [("3", "5", 3), ("", "5", 5), ("", "4,2", 4), ("0", "5", 5), ("many", "", 8), ("16", "", 16)],
)
def test_what_the_user_says_goes_first(
    hy: str, omp: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_NUM_THREADS", hy)
    monkeypatch.setenv("OMP_NUM_THREADS", omp)
    assert allowed_threads() == threads


def quota(tmp_path: Path, groups: str, files: dict[str, str]) -> float | None:
    membership, mount = tmp_path / "membership", tmp_path / "mount"
    membership.write_text(groups)
    for name, text in files.items():
        (mount / name).parent.mkdir(parents=True, exist_ok=True)
        (mount / name).write_text(text)
    return cpu_quota(membership, mount)


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),  # as a container sees its own group
        ({"a/b/cpu.max": "300000 100000\n"}, 3.0),
        ({"a/b/cpu.max": "max 100000\n", "a/cpu.max": "200000 100000\n"}, 2.0),
        ({"a/b/cpu.max": "300000 100000\n", "a/cpu.max": "50000 100000\n"}, 0.5),
        ({"a/b/cpu.max": "max 100000\n"}, None),
        ({"a/b/cpu.max": "nonsense"}, None),
        ({}, None),
    ],
)
def test_control_groups_of_version_2_and_those_above_them_have_quotas(
    files: dict[str, str], cores: float | None, tmp_path: Path
) -> None:
    assert quota(tmp_path, "0::/a/b\n", files) == cores


@pytest.mark.parametrize("folder", ["cpu,cpuacct/docker/x", "cpu/docker/x", "cpu"])
def test_control_groups_of_version_1_have_quotas(folder: str, tmp_path: Path) -> None:
    files = {f"{folder}/cpu.cfs_quota_us": "250000\n", f"{folder}/cpu.cfs_period_us": "100000\n"}
    groups = "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n"
    assert quota(tmp_path, groups, files) == 2.5


def test_a_quota_of_minus_one_is_none(tmp_path: Path) -> None:
    files = {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}
    assert quota(tmp_path, "4:cpu:/\n", files) is None


def test_systems_without_control_groups_have_no_quota(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path / "missing", tmp_path) is None
    assert quota(tmp_path, "what is this\n", {}) is None
