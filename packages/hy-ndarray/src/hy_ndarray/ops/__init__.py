"""The operator catalogue: importing this package declares every operator."""

from hy_ndarray.devices._index_checks import IndexedOperator, declare_indices
from hy_ndarray.ops import (
    activations as activations,
    anchors as anchors,
    arithmetic as arithmetic,
    axes as axes,
    broadcast as broadcast,
    casting as casting,
    compare as compare,
    coordinates as coordinates,
    creation as creation,
    ctc as ctc,
    decomposition as decomposition,
    densities as densities,
    detection as detection,
    elementwise as elementwise,
    expanding as expanding,
    exponential as exponential,
    gathering as gathering,
    identity as identity,
    image as image,
    image_color as image_color,
    image_files as image_files,
    indexing as indexing,
    joining as joining,
    linalg as linalg,
    loss as loss,
    np as np,
    optimizer as optimizer,
    ordering as ordering,
    patches as patches,
    point_process as point_process,
    products as products,
    proposals as proposals,
    quantization as quantization,
    reduce as reduce,
    rounding as rounding,
    sampling as sampling,
    sampling_arrays as sampling_arrays,
    sampling_like as sampling_like,
    scalar as scalar,
    scalar_compare as scalar_compare,
    sequence as sequence,
    shaping as shaping,
    slicing as slicing,
    special as special,
    spectral as spectral,
    statistics as statistics,
    trigonometry as trigonometry,
)
from hy_ndarray.ops.compositions import (
    activations as _activations,  # noqa: F401
    layers as _layers,  # noqa: F401
    layout as _layout,  # noqa: F401
    losses as _losses,  # noqa: F401
    places as _places,  # noqa: F401
    pointwise as _pointwise,  # noqa: F401
    products as _products,  # noqa: F401
    random as _random,  # noqa: F401
    reductions as _reductions,  # noqa: F401
    vision as _vision,  # noqa: F401
)
from hy_ndarray.ops.nn import (
    activation as activation,
    attention as attention,
    conv as conv,
    cross_entropy as cross_entropy,
    deconv as deconv,
    deformable as deformable,
    dense as dense,
    dot_product_attention as dot_product_attention,
    dropout as dropout,
    local_norm as local_norm,
    norm as norm,
    pool as pool,
    position_sensitive as position_sensitive,
    quantized as quantized,
    region as region,
    resize as resize,
    rms_norm as rms_norm,
    rnn as rnn,
    roi_align as roi_align,
    sampler as sampler,
    softmax as softmax,
)
from hy_ndarray.ops.record.binding import (
    Bound as Bound,
    Signature as Signature,
    is_operand as is_operand,
)
from hy_ndarray.ops.record.composition import (
    Composition as Composition,
    PartialType as PartialType,
    Program as Program,
    Tracer as Tracer,
)
from hy_ndarray.ops.record.derived import composition as composition, derived as derived
from hy_ndarray.ops.record.indices import Indices as Indices
from hy_ndarray.ops.record.numbers import RunTimeNumber as RunTimeNumber
from hy_ndarray.ops.record.operand import Operand as Operand
from hy_ndarray.ops.record.params import (
    NOT_GIVEN as NOT_GIVEN,
    Count as Count,
    NotGiven as NotGiven,
    Param as Param,
)
from hy_ndarray.ops.record.rules import numbered as numbered
from hy_ndarray.ops.record.schema import (
    Gradient as Gradient,
    Operator as Operator,
    OperatorFunction as OperatorFunction,
    Saved as Saved,
    exists as exists,
    find as find,
    names as names,
    operator as operator,
    operators as operators,
    pointwise as pointwise,
    synonym as synonym,
)
from hy_ndarray.ops.record.traits import Quantized as Quantized, Rows as Rows, Traits as Traits
from hy_ndarray.ops.record.types import (
    PartialShape as PartialShape,
    TensorType as TensorType,
    merge_shapes as merge_shapes,
)

declare_indices(
    {
        op.kernel: IndexedOperator(op.name, op.inputs, op.traits.indices)
        for op in operators()
        if op.traits.indices and op.synonym_of is None
    }
)
