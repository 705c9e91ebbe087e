"""Visualization: drawings and tables of graphs."""

from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_symbol.viz.dot import plot_network as plot_network
from hy_symbol.viz.drawing import Drawing as Drawing, svg as svg
from hy_symbol.viz.table import print_summary as print_summary, summary as summary

_suggest_members(globals())
