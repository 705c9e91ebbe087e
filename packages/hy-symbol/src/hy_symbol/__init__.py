"""Symbolic graphs: composition, type inference, serialization, passes and execution."""

import typing as _typing
from importlib import import_module as _import_module

from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute
from hy_symbol import sym as sym
from hy_symbol._errors import (
    BackendError as BackendError,
    GraphError as GraphError,
    GraphFormatError as GraphFormatError,
    NotForSymbolError as NotForSymbolError,
    RegionRefused as RegionRefused,
)
from hy_symbol.graph import attribute as attribute, name as name
from hy_symbol.graph.attribute import AttrScope as AttrScope
from hy_symbol.graph.collector import without_collections as without_collections
from hy_symbol.graph.interpreter import interpret as interpret
from hy_symbol.graph.name import NameManager as NameManager, Prefix as Prefix
from hy_symbol.graph.node import (
    Entry as Entry,
    Graph as Graph,
    Node as Node,
    topological as topological,
)
from hy_symbol.graph.rewriting import (
    Rule as Rule,
    extract as extract,
    instantiate as instantiate,
    is_op as is_op,
    new_node as new_node,
    rewrite as rewrite,
    substitute as substitute,
)
from hy_symbol.infer.engine import Known as Known, Types as Types, infer_types as infer_types
from hy_symbol.infer.inference_cache import InferenceCache as InferenceCache
from hy_symbol.infer.shapes import declared_shape as declared_shape, known_shape as known_shape
from hy_symbol.infer.trace import Trace as Trace, current_trace as current_trace
from hy_symbol.infer.typed_graph import TypedGraph as TypedGraph
from hy_symbol.regions.region import inlined as inlined
from hy_symbol.symbol.symbol import (
    Group as Group,
    Symbol as Symbol,
    load as load,
    load_json as load_json,
)
from hy_symbol.symbol.variable import Variable as Variable, var as var
from hy_symbol.value.value import Value as Value

if _typing.TYPE_CHECKING:
    from hy_symbol.backends import (
        Backend as Backend,
        Facts as Facts,
        Rewriter as Rewriter,
        Rewritten as Rewritten,
        Runner as Runner,
        installed_backends as installed_backends,
        known_backends as known_backends,
        register_backend as register_backend,
        unregister_backend as unregister_backend,
    )
    from hy_symbol.compile.arena import Pool as Pool
    from hy_symbol.execution.batch_split import Sliced as Sliced
    from hy_symbol.execution.cache import (
        ExecutableCache as ExecutableCache,
        Executables as Executables,
    )
    from hy_symbol.execution.captured_pair import CapturedPair as CapturedPair
    from hy_symbol.execution.constants import (
        PreparedInputs as PreparedInputs,
        PreparedValues as PreparedValues,
    )
    from hy_symbol.execution.differentiable import (
        Differentiable as Differentiable,
        Joint as Joint,
        Saved as Saved,
    )
    from hy_symbol.execution.executable import Executable as Executable
    from hy_symbol.execution.gradient_buffers import GradientBuffers as GradientBuffers
    from hy_symbol.execution.memory import Memory as Memory, memory_of as memory_of
    from hy_symbol.execution.program import Program as Program
    from hy_symbol.execution.recapture import Recapture as Recapture, no_capture as no_capture
    from hy_symbol.execution.report import (
        Explanation as Explanation,
        explained as explained,
        explained_steps as explained_steps,
    )
    from hy_symbol.execution.setup_lock import setup_lock as setup_lock
    from hy_symbol.execution.value_and_gradients import ValueAndGradients as ValueAndGradients
    from hy_symbol.executor.executor import Executor as Executor
    from hy_symbol.executor.on_tape import is_for_tape as is_for_tape, run_on_tape as run_on_tape
    from hy_symbol.executor.watching import shown_inputs as shown_inputs
    from hy_symbol.passes import (
        check_graph as check_graph,
        gradient as gradient,
        has_open_shapes as has_open_shapes,
        open_derived as open_derived,
        quantizable as quantizable,
        ranged_tensors as ranged_tensors,
        weights_by_filter as weights_by_filter,
        with_common_subexpressions as with_common_subexpressions,
        with_constants as with_constants,
        with_inferred_shapes as with_inferred_shapes,
        with_precision as with_precision,
        with_quantization as with_quantization,
        with_ranges as with_ranges,
    )
    from hy_symbol.regions.running import node_outputs as node_outputs

_STAGES = ("backends", "compile", "executor", "passes", "execution")
_MEMBERS = {
    "Backend": "backends",
    "CapturedPair": "execution.captured_pair",
    "Differentiable": "execution.differentiable",
    "Executable": "execution.executable",
    "ExecutableCache": "execution.cache",
    "Executables": "execution.cache",
    "Executor": "executor.executor",
    "Explanation": "execution.report",
    "Facts": "backends",
    "Joint": "execution.differentiable",
    "Memory": "execution.memory",
    "GradientBuffers": "execution.gradient_buffers",
    "Pool": "compile.arena",
    "PreparedInputs": "execution.constants",
    "PreparedValues": "execution.constants",
    "Program": "execution.program",
    "Recapture": "execution.recapture",
    "Rewriter": "backends",
    "Rewritten": "backends",
    "Runner": "backends",
    "Saved": "execution.differentiable",
    "Sliced": "execution.batch_split",
    "ValueAndGradients": "execution.value_and_gradients",
    "check_graph": "passes",
    "explained": "execution.report",
    "explained_steps": "execution.report",
    "gradient": "passes",
    "has_open_shapes": "passes",
    "is_for_tape": "executor.on_tape",
    "shown_inputs": "executor.watching",
    "installed_backends": "backends",
    "known_backends": "backends",
    "memory_of": "execution.memory",
    "no_capture": "execution.recapture",
    "open_derived": "passes",
    "node_outputs": "regions.running",
    "quantizable": "passes",
    "ranged_tensors": "passes",
    "register_backend": "backends",
    "run_on_tape": "executor.on_tape",
    "setup_lock": "execution.setup_lock",
    "unregister_backend": "backends",
    "weights_by_filter": "passes",
    "with_common_subexpressions": "passes",
    "with_constants": "passes",
    "with_inferred_shapes": "passes",
    "with_precision": "passes",
    "with_quantization": "passes",
    "with_ranges": "passes",
}
"""The module of each name for running and rewriting graphs."""


def __getattr__(name: str) -> _typing.Any:
    """Return a module or member that is imported on first use, to keep imports fast."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name in _STAGES:  # as if they were loaded
        return _import_module(f"hy_symbol.{name}")
    if name not in _MEMBERS:
        raise _unknown_attribute(f"module {__name__!r}", name, __dir__)
    value = globals()[name] = getattr(_import_module(f"hy_symbol.{_MEMBERS[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MEMBERS})
