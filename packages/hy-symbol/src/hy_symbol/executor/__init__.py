"""Executor: a graph bound to arrays."""

from hy_symbol.executor.executor import Executor as Executor
