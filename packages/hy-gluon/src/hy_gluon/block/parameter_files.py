"""ParameterFiles: the parameters of a block in files, by its methods."""

from collections.abc import Mapping
from typing import Any, Protocol

from hy_gluon.block.loading import Loadable, load_into, take_into
from hy_gluon.block.model_file import Savable, load_model, save_model
from hy_gluon.files import contents_of, np_shape_of
from hy_io import save_ndarrays
from hy_ndarray import Context
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.warning import warn

__all__ = ["ParameterFiles"]


class _InFiles(Savable, Loadable, Protocol):
    """A block, as far as files hold it."""

    def load_parameters(
        self,
        filename: str,
        ctx: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None: ...


@all_take_device
class ParameterFiles:
    """A base of blocks."""

    def save_parameters(self: _InFiles, filename: str, deduplicate: bool = False) -> None:
        """Write all parameters to a file, by scope path.

        Args:
            filename: The file, replaced atomically.
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
        """Read parameters from a file, whichever naming scheme it uses.

        They may have the places in the block that :meth:`save_parameters` writes, the names of
        ``collect_params().save()`` with or without the block's prefix, those of ``export``, or
        those of a PyTorch module with the same structure, as HuggingFace's files have them.

        Args:
            filename: The file, of any format that :func:`hy_io.known_formats` lists: MXNet's, hy's,
                safetensors, PyTorch's or numpy's.
            ctx: Where to put parameters that are not initialized yet.
            allow_missing: Leave parameters alone that the file does not have.
            ignore_extra: Skip arrays of the file that the block does not have.
            cast_dtype: Cast instead of refusing another dtype.
            dtype_source: With ``cast_dtype``: ``"current"`` keeps the parameter's dtype,
                ``"saved"`` takes the file's.

        Raises:
            MismatchError: Names, shapes or dtypes do not match; says which, and the nearest name.
            FileFormatError: The file is damaged.
        """
        load_into(self, filename, ctx, allow_missing, ignore_extra, cast_dtype, dtype_source)

    def load_dict(
        self: _InFiles,
        param_dict: Mapping[str, Any],
        device: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Set parameters from arrays by scope path, as :meth:`load_parameters` does from a file.

        Args:
            param_dict: Arrays of hy or of numpy by name.
            device: Where to put parameters that are not initialized yet.
            allow_missing: As for :meth:`load_parameters`.
            ignore_extra: As for :meth:`load_parameters`.
            cast_dtype: As for :meth:`load_parameters`.
            dtype_source: As for :meth:`load_parameters`.

        Raises:
            MismatchError: Names, shapes or dtypes do not match.
        """
        take_into(
            self,
            param_dict,
            "the dictionary",
            device,
            allow_missing,
            ignore_extra,
            cast_dtype,
            dtype_source,
        )

    def save(self: _InFiles, prefix: str) -> None:
        """Write the structure of the model and its parameters, for :meth:`load`.

        Args:
            prefix: Of the files ``prefix-model.json`` and ``prefix-model.params``.
        """
        save_model(self, prefix)

    def load(self: _InFiles, prefix: str) -> None:
        """Load a model that :meth:`save` wrote, hybridized if it was.

        Args:
            prefix: As for :meth:`save`.

        Raises:
            StructureError: It was a model of other blocks.
            MismatchError: The parameters do not fit.
        """
        load_model(self, prefix)

    def save_params(self: _InFiles, filename: str) -> None:
        """Deprecated: :meth:`save_parameters`, under the parameters' own names."""
        warn("save_params is deprecated; use save_parameters or export")
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self: _InFiles,
        filename: str,
        ctx: Context | list[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Deprecated: :meth:`load_parameters`."""
        warn("load_params is deprecated; use load_parameters")
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)
