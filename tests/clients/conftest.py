"""The option of the clients' tests."""

import sys

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--python``: which Python the environments are made of."""
    parser.addoption("--python", default=sys.executable, help="the Python that runs the clients")
