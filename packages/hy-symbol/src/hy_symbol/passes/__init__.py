"""Passes: functions from graph to graph, one file each."""

from hy_symbol.passes.gradient import gradient as gradient
