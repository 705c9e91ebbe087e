"""Passes: functions from graph to graph, one file each."""

from hy_symbol.passes.gradient import gradient as gradient
from hy_symbol.passes.shapes import (
    has_open_shapes as has_open_shapes,
    with_inferred_shapes as with_inferred_shapes,
)
