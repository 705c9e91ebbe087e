"""Passes: functions from graph to graph, one file each."""

from hy_symbol.graph.purity import is_pure as is_pure
from hy_symbol.passes.axes import with_simpler_axes as with_simpler_axes
from hy_symbol.passes.backends import Optimized as Optimized, Request as Request
from hy_symbol.passes.compositions import (
    open_derived as open_derived,
    with_open_compositions as with_open_compositions,
)
from hy_symbol.passes.constants import (
    evaluate as evaluate,
    split_constants as split_constants,
    with_constants as with_constants,
)
from hy_symbol.passes.cross_entropy import (
    with_picked_softmax as with_picked_softmax,
    with_weighed_softmax as with_weighed_softmax,
)
from hy_symbol.passes.cse import with_common_subexpressions as with_common_subexpressions
from hy_symbol.passes.gradient import gradient as gradient
from hy_symbol.passes.head_parts import with_joined_head_parts as with_joined_head_parts
from hy_symbol.passes.idle import without_idle_draws as without_idle_draws
from hy_symbol.passes.pipeline import (
    DIFFERENTIATE as DIFFERENTIATE,
    OPTIMIZE_FOR as OPTIMIZE_FOR,
    PREDICT as PREDICT,
    TRAIN as TRAIN,
    BackendPass as BackendPass,
    GraphPass as GraphPass,
    Pass as Pass,
    lowered as lowered,
    optimized as optimized,
    prepared as prepared,
)
from hy_symbol.passes.precision import with_precision as with_precision
from hy_symbol.passes.quantization import (
    quantizable as quantizable,
    ranged_tensors as ranged_tensors,
    weights_by_filter as weights_by_filter,
    with_quantization as with_quantization,
    with_ranges as with_ranges,
)
from hy_symbol.passes.shapes import (
    has_open_shapes as has_open_shapes,
    with_inferred_shapes as with_inferred_shapes,
)
from hy_symbol.passes.single import without_single_reductions as without_single_reductions
from hy_symbol.passes.target import Target as Target
from hy_symbol.passes.transposes import with_fewer_transposes as with_fewer_transposes
from hy_symbol.passes.validity import check_graph as check_graph
from hy_symbol.regions.grouping import grouped as grouped
