"""Symbolic graphs: composition, inference, JSON, passes, execution."""

from hy_symbol import attribute as attribute, name as name, sym as sym
from hy_symbol._errors import (
    GraphError as GraphError,
    GraphFormatError as GraphFormatError,
    NotForSymbolError as NotForSymbolError,
)
from hy_symbol.attribute import AttrScope as AttrScope
from hy_symbol.differentiable import Differentiable as Differentiable
from hy_symbol.executor import Executor as Executor
from hy_symbol.graph import Entry as Entry, Graph as Graph, Node as Node
from hy_symbol.infer import Types as Types, infer_types as infer_types
from hy_symbol.name import NameManager as NameManager, Prefix as Prefix
from hy_symbol.passes import (
    gradient as gradient,
    has_open_shapes as has_open_shapes,
    with_inferred_shapes as with_inferred_shapes,
)
from hy_symbol.program import Program as Program
from hy_symbol.symbol import (
    Group as Group,
    Symbol as Symbol,
    load as load,
    load_json as load_json,
)
from hy_symbol.trace import Trace as Trace, current_trace as current_trace
from hy_symbol.variable import Variable as Variable, var as var
