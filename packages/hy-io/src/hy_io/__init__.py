"""MXNet's files: numpy arrays in, numpy arrays out."""

from hy_io._atomic import atomic_write as atomic_write
from hy_io._binary import map_file as map_file
from hy_io._errors import (
    FileFormatError as FileFormatError,
    FileLimitError as FileLimitError,
)
from hy_io._limits import expansion_limit as expansion_limit
from hy_io._sync import no_sync as no_sync
from hy_io._transfer import write_parts as write_parts
from hy_io.checkpoint import (
    checkpoint_epochs as checkpoint_epochs,
    load_checkpoint as load_checkpoint,
    save_checkpoint as save_checkpoint,
    sha256_of as sha256_of,
)
from hy_io.expanded import read_expanded as read_expanded
from hy_io.file_set import (
    current_file as current_file,
    save_together as save_together,
)
from hy_io.formats import (
    Contents as Contents,
    Format as Format,
    OpenedFile as OpenedFile,
    format_for as format_for,
    format_of as format_of,
    known_formats as known_formats,
    load_arrays as load_arrays,
    register_format as register_format,
    save_arrays as save_arrays,
)
from hy_io.idx import load_idx as load_idx, loads_idx as loads_idx
from hy_io.names import (
    Dialect as Dialect,
    dialect_of as dialect_of,
    join_arg_aux as join_arg_aux,
    rename_parameters as rename_parameters,
    split_arg_aux as split_arg_aux,
    to_exported as to_exported,
)
from hy_io.ndarray_file import (
    ArrayInfo as ArrayInfo,
    NDArrayFile as NDArrayFile,
    open_ndarrays as open_ndarrays,
)
from hy_io.ndarray_list import (
    Array as Array,
    StoredArray as StoredArray,
    dumps_ndarrays as dumps_ndarrays,
    load_ndarrays as load_ndarrays,
    loads_ndarrays as loads_ndarrays,
    save_ndarrays as save_ndarrays,
)
from hy_io.npz import load_npz as load_npz, save_npz as save_npz
from hy_io.packing import (
    IRHeader as IRHeader,
    open_image as open_image,
    pack as pack,
    pack_img as pack_img,
    unpack as unpack,
    unpack_img as unpack_img,
)
from hy_io.record_file import RecordFile as RecordFile
from hy_io.record_scan import (
    Damage as Damage,
    RecordScan as RecordScan,
    rebuild_index as rebuild_index,
    scan_records as scan_records,
)
from hy_io.recordio import (
    MXIndexedRecordIO as MXIndexedRecordIO,
    MXRecordIO as MXRecordIO,
)
from hy_io.safetensors import (
    SafetensorsContent as SafetensorsContent,
    load_safetensors as load_safetensors,
    save_safetensors as save_safetensors,
)
from hy_io.safetensors_file import (
    SafetensorsFile as SafetensorsFile,
    open_safetensors as open_safetensors,
)
from hy_io.sparse import CSRArray as CSRArray, RowSparseArray as RowSparseArray
from hy_io.states import (
    Schedule as Schedule,
    convert_pickled_states as convert_pickled_states,
    dumps_states as dumps_states,
    load_states as load_states,
    loads_states as loads_states,
    read_pickled_states as read_pickled_states,
    save_states as save_states,
)
from hy_io.torch_file import load_torch as load_torch, save_torch as save_torch
from hy_io.torch_names import (
    from_torch_state_dict as from_torch_state_dict,
    to_torch_state_dict as to_torch_state_dict,
    torch_name as torch_name,
)
