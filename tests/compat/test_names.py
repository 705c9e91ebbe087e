"""Every name of MXNet's is there, also by ``from module import *``, and takes the same calls."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tools.mxnet_names import accepts, exceptions, has, names

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_what_is_missing_of_mxnets_names_is_what_the_list_says() -> None:
    command = [sys.executable, "-m", "tools.mxnet_names", "--check"]
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"`hatch run names` writes the list\n{done.stdout}{done.stderr}"


def test_each_exception_has_a_reason_and_is_of_names_that_are_not_there() -> None:
    every = [name for listed in names().values() for name in listed]
    for pattern, reason in exceptions().items():
        kind, _, full = pattern.rpartition(" ")
        matched = [name for name in every if fnmatchcase(name.full, full)]
        assert matched or full in names(), f"{pattern} is no name of MXNet's"
        assert reason, pattern
        if not kind:
            assert not [name.full for name in matched if has(name)]


TAKES: tuple[Callable[..., None], ...] = (
    lambda a, b=None: None,
    lambda a, b=None, c=0: None,
    lambda a, b=None, *, c=0: None,
    lambda *args, **kwargs: None,
)
REFUSES: tuple[Callable[..., None], ...] = (
    lambda b=None, a=None: None,
    lambda x, b=None: None,
    lambda a, *, b=None: None,
    lambda a, b: None,
    lambda a: None,
    lambda a, b=None, *, c: None,
    lambda **kwargs: None,
)


def test_a_signature_is_accepted_if_it_takes_every_call_that_mxnets_takes() -> None:
    wanted = ("a", "b=")
    for function in TAKES:
        assert accepts(inspect.signature(function).parameters.values(), wanted)
    for function in REFUSES:
        assert not accepts(inspect.signature(function).parameters.values(), wanted)


def test_a_signature_is_accepted_only_with_as_many_arguments_as_mxnets() -> None:
    parameters = inspect.signature(lambda a, b=None: None).parameters.values()
    assert not accepts(parameters, ("a", "*args"))
    assert accepts(parameters, ("a", "*args", "**kwargs"))
    assert accepts(parameters, ("a", "*", "b="))
