"""ParameterFiles: methods of blocks that load and save parameters."""

from collections.abc import Mapping
from typing import Any, Protocol

from hy_gluon.block.loading import Loadable, LoadOptions, load_into, take_into
from hy_gluon.block.model_file import Savable, load_model, save_model
from hy_gluon.files import contents_of, np_shape_of
from hy_io import save_ndarrays
from hy_ndarray import Context
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.warning import warn

__all__ = ["ParameterFiles"]


class _InFiles(Savable, Loadable, Protocol):
    """Protocol of a block that can be saved and loaded, which :class:`ParameterFiles` extends."""

    def load_parameters(
        self,
        filename: str,
        ctx: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None: ...


@all_take_device
class ParameterFiles:
    """Mixin of blocks with methods to load and save parameters."""

    def save_parameters(self: _InFiles, filename: str, deduplicate: bool = False) -> None:
        """Write all parameters to a file, named by scope path.

        Args:
            filename: Path of the file, which is replaced atomically.
            deduplicate: Write a parameter shared by several blocks only once.
        """
        params = self._collect_params_with_prefix()
        if deduplicate:
            # MXNet keeps the last of several names of a shared parameter.
            last = {id(parameter): name for name, parameter in params.items()}
            params = {name: p for name, p in params.items() if last[id(p)] == name}
        contents = contents_of({name: p._reduce() for name, p in params.items()})
        save_ndarrays(filename, contents, np_shape=np_shape_of(contents.values()))

    def load_parameters(
        self: _InFiles,
        filename: str,
        ctx: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load parameters from a file; the naming scheme is detected.

        Names in the file may be scope paths, as :meth:`save_parameters` writes them; names of
        ``collect_params().save()`` with or without the block's prefix; names of ``export``; or
        those of a PyTorch module with the same structure, as in HuggingFace's files.

        Args:
            filename: Path of the file, in any format that :func:`hy_io.known_formats` lists:
                MXNet's, hy's, safetensors, PyTorch's or numpy's.
            ctx: Contexts of parameters that are not initialized yet.
            allow_missing: Leave parameters unchanged that the file lacks.
            ignore_extra: Ignore arrays in the file that the block does not have.
            cast_dtype: Cast arrays of another dtype instead of refusing them.
            dtype_source: With ``cast_dtype``: ``"current"`` keeps the parameter's dtype,
                ``"saved"`` changes it to the file's.

        Raises:
            MismatchError: Names, shapes or dtypes do not match.
            FileFormatError: The file is damaged.
        """
        options = LoadOptions(ctx, allow_missing, ignore_extra, cast_dtype, dtype_source)
        load_into(self, filename, options)

    def load_dict(
        self: _InFiles,
        param_dict: Mapping[str, Any],
        device: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Set parameters from arrays by name, as :meth:`load_parameters` does from a file.

        Args:
            param_dict: NDArrays or numpy arrays by name, in any scheme of :meth:`load_parameters`.
            device: Contexts of parameters that are not initialized yet.
            allow_missing: See :meth:`load_parameters`.
            ignore_extra: See :meth:`load_parameters`.
            cast_dtype: See :meth:`load_parameters`.
            dtype_source: See :meth:`load_parameters`.

        Raises:
            MismatchError: Names, shapes or dtypes do not match.
        """
        options = LoadOptions(device, allow_missing, ignore_extra, cast_dtype, dtype_source)
        take_into(self, param_dict, "the dictionary", options)

    def save(self: _InFiles, prefix: str) -> None:
        """Write the model's structure and parameters to files, for :meth:`load`.

        Args:
            prefix: Prefix of the files ``prefix-model.json`` and ``prefix-model.params``.
        """
        save_model(self, prefix)

    def load(self: _InFiles, prefix: str) -> None:
        """Load a model written by :meth:`save`, and hybridize the blocks that were hybridized.

        Args:
            prefix: See :meth:`save`.

        Raises:
            StructureError: The saved model has another structure.
            MismatchError: The parameters do not match.
        """
        load_model(self, prefix)

    def save_params(self: _InFiles, filename: str) -> None:
        """Deprecated: use :meth:`save_parameters`. Writes names without the block's prefix."""
        warn("save_params is deprecated; use save_parameters or export")
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self: _InFiles,
        filename: str,
        ctx: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Deprecated: use :meth:`load_parameters`."""
        warn("load_params is deprecated; use load_parameters")
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)
