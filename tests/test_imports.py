"""Modules of Python that take long are imported where they are needed, not with a package."""

import subprocess
import sys

import pytest

LATE = {
    "hy_io": {"concurrent.futures", "hashlib", "secrets", "zipfile"},
    "hy_symbol": {"importlib.metadata", "numpy.random", "statistics"},
    "hy_gluon": {"hy_gluon.data", "hy_gluon.nn", "multiprocessing", "urllib.request"},
}


@pytest.mark.parametrize("package", LATE)
def test_a_package_begins_without_modules_that_few_programs_need(package: str) -> None:
    program = f"import sys, {package}; print(*sorted({LATE[package]!r} & set(sys.modules)))"
    call = [sys.executable, "-c", program]
    done = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603  # ours
    assert done.stdout.split() == []


def test_the_first_array_needs_no_slow_modules() -> None:
    program = "import sys; from hy_ndarray import nd; nd.zeros(1).asnumpy(); "
    late = {"importlib.metadata", "email", "numpy.random"}
    program += f"print(*sorted({late!r} & set(sys.modules)))"
    call = [sys.executable, "-c", program]
    done = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603  # ours
    assert done.stdout.split() == []
