"""Reading and writing of folders in Hugging Face's format: ``config.json`` and safetensors."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hy_gluon.block import HybridBlock
from hy_gluon.initializer import Zero
from hy_gluon.parameter import Parameter
from hy_gluon.pretrained.architecture import Architecture, Array, PretrainedError
from hy_gluon.pretrained.tables import ARCHITECTURES
from hy_io import atomic_write, open_safetensors, save_safetensors
from hy_ndarray import Context, nd
from hy_ndarray.suggestion import hint

__all__ = ["load", "save"]

_CONFIG, _ONE, _INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
_MEAN = "running_mean"


def load(
    folder: str | os.PathLike[str], *, dtype: str = "float32", ctx: Context | None = None
) -> HybridBlock:
    """Return the model in a folder as a Gluon net with its weights.

    Supported are GPT-2, Llama, Mistral (without sliding window), Qwen2, BERT, ViT and ResNet; see
    :data:`~hy_gluon.pretrained.ARCHITECTURES`. Arrays are read one at a time.

    Args:
        folder: Path of a folder with ``config.json``, and ``model.safetensors`` or several such
            files and their index.
        dtype: Dtype of the parameters, independent of the files'.
        ctx: Context of the parameters; the current one if None.

    Raises:
        PretrainedError: The model or one of its settings is not supported, or arrays are missing,
            unknown, or of another shape.
        FileFormatError: A file is damaged.
        FileNotFoundError: A file is missing.

    Example:
        >>> from hy_gluon import pretrained
        >>> from hy_gluon.model_zoo.transformer import Bert
        >>> net = Bert(11, 8, 1, 2, 16, max_length=16)
        >>> net.initialize()
        >>> save(net, "small-bert")
        >>> type(pretrained.load("small-bert")).__name__
        'Bert'
    """
    root = Path(folder)
    config = _config(root)
    kind = config.get("model_type")
    architecture = ARCHITECTURES.get(str(kind))
    if architecture is None:
        known = hint(str(kind), ARCHITECTURES) or f"; there are {', '.join(ARCHITECTURES)}"
        raise PretrainedError(f"{root / _CONFIG}: model_type {kind!r} is unknown{known}")
    net = architecture.net(**architecture.settings_of(config))
    # Zeros are the cheapest values, and all are replaced.
    net.initialize(Zero(), ctx=ctx)
    net.cast(dtype)
    wanted = _learned(net)
    for name, array in _named_arrays(root):
        parameter = architecture.find(name)
        if parameter is None:
            if not architecture.holds_nothing(name):
                raise PretrainedError(f"{root}: a {kind} has no array {name!r}")
            continue
        row, names = parameter
        parameters = [wanted.pop(each, None) for each in names]
        if names == ["head.weight"] and parameters == [None]:
            continue  # it is the embedding
        _set(root, name, parameters, row.split, array)
    if wanted:
        raise PretrainedError(f"{root}: there are no arrays for {', '.join(sorted(wanted))}")
    return net


def _config(root: Path) -> dict[str, Any]:
    """Return the contents of ``config.json``, with keys of newer versions converted."""
    path = root / _CONFIG
    try:
        config: Any = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise PretrainedError(f"{path} is no JSON: {error}") from error
    if not isinstance(config, dict):
        raise PretrainedError(f"{path} holds no object")
    # The key of transformers 5, which holds what rope_theta and rope_scaling held before.
    angles = config.get("rope_parameters")
    if isinstance(angles, dict):
        config |= {"rope_theta": angles.get("rope_theta", 10000.0), "rope_scaling": angles}
    names = config.get("architectures") or [""]
    labels = config.get("id2label", {0: "", 1: ""})  # what is not written is two
    bare = names[0].endswith("Model")
    return {"num_labels": 0 if bare else len(labels), **config}


def _named_arrays(root: Path) -> Iterator[tuple[str, Array]]:
    """Yield name and values of each array in the folder's files."""
    for path in _files(root):
        with open_safetensors(path) as file:
            for name in file:
                yield name, file[name]


def _files(root: Path) -> list[Path]:
    index = root / _INDEX
    if not index.exists():
        return [root / _ONE]
    try:
        file_of = json.loads(index.read_text("utf-8"))["weight_map"]
        names = sorted(set(map(str, file_of.values())))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PretrainedError(f"{index} is no index of safetensors files: {error!r}") from error
    for name in names:
        # An index from elsewhere must not have files read outside of its folder.
        if Path(name).name != name:
            raise PretrainedError(f"{index}: {name!r} is outside the folder")
    return [root / name for name in names]


def _learned(net: HybridBlock) -> dict[str, Parameter]:
    """Return the parameters by scope path, without constants; shared ones only once."""
    seen: dict[int, str] = {}
    parameters = {}
    for name, parameter in net._collect_params_with_prefix().items():
        if id(parameter) not in seen and not name.endswith("frequency"):
            seen[id(parameter)] = name
            parameters[name] = parameter
    return parameters


def _set(root: Path, name: str, parameters: Any, split: Any, array: Array) -> None:
    if None in parameters:
        raise PretrainedError(f"{root}: {name!r} stands there twice, or belongs to no layer")
    parts = split(array, [x.shape[0] for x in parameters])
    for parameter, part in zip(parameters, parts, strict=True):
        if tuple(part.shape) != tuple(parameter.shape):
            raise PretrainedError(
                f"{root}: {name!r} has shape {tuple(array.shape)}, which does not fit"
                f" {parameter.name} of shape {tuple(parameter.shape)}"
            )
        values = np.ascontiguousarray(part)
        parameter.set_data(nd.array(values, dtype=values.dtype).astype(parameter.dtype))


def save(net: HybridBlock, folder: str | os.PathLike[str]) -> None:
    """Write a net to a folder that :func:`load` and ``transformers`` can read.

    Args:
        net: An initialized :class:`~hy_gluon.model_zoo.transformer.Decoder` like GPT-2 or Llama,
            ``Bert``, ``VisionTransformer`` or ``ResNetV1b``.
        folder: Folder for ``config.json`` and ``model.safetensors``, created if missing. Each file
            is replaced atomically; an index of several files is removed.

    Raises:
        PretrainedError: The net matches no supported architecture.
    """
    settings: Mapping[str, Any] = getattr(net, "settings", {})
    fitting = (x for x in ARCHITECTURES.values() if x.fits(net, settings))
    architecture = next(fitting, None)
    if architecture is None:
        raise PretrainedError(
            f"{type(net).__name__}({settings}) is not one of {', '.join(ARCHITECTURES)}"
        )
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    arrays = _stored(net, architecture)
    dtype = next(iter(arrays.values())).dtype.name
    # transformers refuses files that do not say for which framework they are.
    save_safetensors(root / _ONE, arrays, metadata={"format": "pt"})
    config = architecture.config_of(settings) | {"torch_dtype": dtype}
    # Absent keys have defaults there, which None replaces: Qwen2 computes with its head_dim.
    config = {key: value for key, value in config.items() if value is not None}
    if "num_labels" in config:
        count = config.pop("num_labels")
        config["id2label"] = {str(k): f"LABEL_{k}" for k in range(count)}
    with atomic_write(root / _CONFIG) as file:
        file.write((json.dumps(config, indent=2) + "\n").encode())
    # An index of the files that were there before would hide the new one.
    (root / _INDEX).unlink(missing_ok=True)


def _stored(net: HybridBlock, architecture: Architecture) -> dict[str, Array]:
    parameters = _learned(net)
    arrays: dict[str, Array] = {}
    for name in parameters:
        stored_name = architecture.stored_name(name)
        if stored_name is not None:
            row, stored, names = stored_name
            arrays[stored] = row.joined([parameters[x].data().asnumpy() for x in names])
            # PyTorch counts batches beside each running mean, and misses the count.
            if stored.endswith(_MEAN):
                count = stored.removesuffix(_MEAN) + "num_batches_tracked"
                arrays[count] = np.zeros((), np.int64)
    return arrays
