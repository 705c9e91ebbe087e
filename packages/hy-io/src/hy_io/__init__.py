"""MXNet's files: numpy arrays in, numpy arrays out."""

import typing as _typing
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

from hy_io._errors import (
    ArgumentError as ArgumentError,
    FileAccessError as FileAccessError,
    FileFormatError as FileFormatError,
    FileLimitError as FileLimitError,
    FilePermissionError as FilePermissionError,
    FolderError as FolderError,
    HyError as HyError,
    MissingFileError as MissingFileError,
    NoFolderError as NoFolderError,
    named_source as named_source,
)

if _typing.TYPE_CHECKING:
    from hy_io._atomic import atomic_write as atomic_write
    from hy_io._binary import map_file as map_file
    from hy_io._limits import expansion_limit as expansion_limit
    from hy_io._paths import (
        list_files as list_files,
        local_path as local_path,
        open_file as open_file,
        os_errors as os_errors,
        read_file as read_file,
    )
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
        writable_formats as writable_formats,
    )
    from hy_io.idx import (
        load_idx as load_idx,
        loads_idx as loads_idx,
    )
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
    from hy_io.npz import (
        load_npz as load_npz,
        loads_npz as loads_npz,
        save_npz as save_npz,
    )
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
    from hy_io.sniffing import (
        FileKind as FileKind,
        described as described,
        kind_of_file as kind_of_file,
        sniff as sniff,
    )
    from hy_io.sparse import (
        CSRArray as CSRArray,
        RowSparseArray as RowSparseArray,
    )
    from hy_io.states import (
        Schedule as Schedule,
        convert_pickled_states as convert_pickled_states,
        dumps_states as dumps_states,
        load_states as load_states,
        loads_states as loads_states,
        read_pickled_states as read_pickled_states,
        save_states as save_states,
    )
    from hy_io.torch_file import (
        load_torch as load_torch,
        save_torch as save_torch,
    )
    from hy_io.torch_names import (
        from_torch_state_dict as from_torch_state_dict,
        to_torch_state_dict as to_torch_state_dict,
        torch_name as torch_name,
    )

_MEMBERS = {
    "Array": "ndarray_list",
    "ArrayInfo": "ndarray_file",
    "CSRArray": "sparse",
    "Contents": "formats",
    "Damage": "record_scan",
    "Dialect": "names",
    "FileKind": "sniffing",
    "Format": "formats",
    "IRHeader": "packing",
    "MXIndexedRecordIO": "recordio",
    "MXRecordIO": "recordio",
    "NDArrayFile": "ndarray_file",
    "OpenedFile": "formats",
    "RecordFile": "record_file",
    "RecordScan": "record_scan",
    "RowSparseArray": "sparse",
    "SafetensorsContent": "safetensors",
    "SafetensorsFile": "safetensors_file",
    "Schedule": "states",
    "StoredArray": "ndarray_list",
    "atomic_write": "_atomic",
    "checkpoint_epochs": "checkpoint",
    "convert_pickled_states": "states",
    "current_file": "file_set",
    "described": "sniffing",
    "dialect_of": "names",
    "dumps_ndarrays": "ndarray_list",
    "dumps_states": "states",
    "expansion_limit": "_limits",
    "format_for": "formats",
    "format_of": "formats",
    "from_torch_state_dict": "torch_names",
    "join_arg_aux": "names",
    "kind_of_file": "sniffing",
    "known_formats": "formats",
    "list_files": "_paths",
    "load_arrays": "formats",
    "load_checkpoint": "checkpoint",
    "load_idx": "idx",
    "load_ndarrays": "ndarray_list",
    "load_npz": "npz",
    "loads_npz": "npz",
    "load_safetensors": "safetensors",
    "load_states": "states",
    "load_torch": "torch_file",
    "loads_idx": "idx",
    "loads_ndarrays": "ndarray_list",
    "loads_states": "states",
    "local_path": "_paths",
    "map_file": "_binary",
    "no_sync": "_sync",
    "open_file": "_paths",
    "open_image": "packing",
    "open_ndarrays": "ndarray_file",
    "open_safetensors": "safetensors_file",
    "os_errors": "_paths",
    "pack": "packing",
    "pack_img": "packing",
    "read_expanded": "expanded",
    "read_file": "_paths",
    "read_pickled_states": "states",
    "rebuild_index": "record_scan",
    "register_format": "formats",
    "rename_parameters": "names",
    "save_arrays": "formats",
    "save_checkpoint": "checkpoint",
    "save_ndarrays": "ndarray_list",
    "save_npz": "npz",
    "save_safetensors": "safetensors",
    "save_states": "states",
    "save_together": "file_set",
    "save_torch": "torch_file",
    "scan_records": "record_scan",
    "sha256_of": "checkpoint",
    "sniff": "sniffing",
    "split_arg_aux": "names",
    "to_exported": "names",
    "to_torch_state_dict": "torch_names",
    "torch_name": "torch_names",
    "unpack": "packing",
    "unpack_img": "packing",
    "writable_formats": "formats",
    "write_parts": "_transfer",
}
"""Modules of the public names, imported at first access: hy_ndarray needs only the errors."""


def __getattr__(name: str) -> _typing.Any:
    """Return a public name of a module that is imported when it is first asked for."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name not in _MEMBERS:
        # Loading on demand matters at start-up: hy_ndarray takes only the errors from here, and
        # reading every module made `import mxnet` take 0.70 s of CPU time, not 0.56.
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_import_module(f"hy_io.{_MEMBERS[name]}"), name)
    # Stored in the module, so that the next access finds it without a call of `__getattr__`.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    members = [name for name, value in globals().items() if not isinstance(value, _ModuleType)]
    return sorted({*members, *_MEMBERS})
