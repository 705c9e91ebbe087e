"""Private functions of ``mxnet.model``, ``mxnet.executor_manager`` and ``mxnet.module``."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from hy_gluon import kvstore
from hy_gluon.kvstore import KVStoreBase
from hy_ndarray import Context, NDArray, nd
from hy_ndarray.warning import warn
from hy_symbol import Executor, Symbol
from mxnet import _slices, module
from mxnet._private.errors import CheckError, OperandError, ShapesError
from mxnet._updating import update_params_on_kvstore
from mxnet.base import mx_real_t


def _multiple_callbacks(callbacks: Any, *args: Any, **kwargs: Any) -> None:
    """Call a callback, or each callback of a list; None is ignored."""
    for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
        if callback:
            callback(*args, **kwargs)


def _create_sparse_kvstore(kvstore_: Any) -> tuple[Any, bool]:
    """Return a parameter store for row-sparse parameters, and True: it updates them.

    Args:
        kvstore_: A store, or the name of one.

    Raises:
        OperandError: The argument is of another type.
    """
    if isinstance(kvstore_, KVStoreBase):
        return kvstore_, True
    if isinstance(kvstore_, str):
        return kvstore.create(kvstore_), True
    raise OperandError(
        f"Cannot create '{kvstore_}' KVStore with row_sparse parameters. The type must be KVStore "
        "or str."
    )


def _update_params_on_kvstore_nccl(
    param_arrays: Any,
    grad_arrays: Any,
    kvstore: Any,
    param_names: Sequence[str],
) -> None:
    """Push all gradients to a parameter store, and pull the updated parameters."""
    update_params_on_kvstore(param_arrays, grad_arrays, kvstore, param_names)


def _check_names_match(
    data_names: Sequence[str], data_shapes: Sequence[Any], name: str, throw: bool
) -> None:
    """Raise an error, or warn, if input descriptions have other names than the module.

    Args:
        data_names: Names of the module's inputs.
        data_shapes: Descriptions, or pairs of a name and a shape.
        name: ``"data"`` or ``"label"``.
        throw: Whether to raise an error instead of a warning.

    Raises:
        ShapesError: Names differ, and ``throw`` is True.
    """
    actual = [entry[0] for entry in data_shapes]
    if sorted(data_names) == sorted(actual):
        return
    message = (
        f"Data provided by {name}_shapes don't match names specified by {name}_names "
        f"({data_shapes} vs. {list(data_names)})"
    )
    if throw:
        raise ShapesError(message)
    warn(message)


def _load_general(data: Sequence[Any], targets: Sequence[Any]) -> None:
    """Copy arrays into executors' arrays, in slices along the first axis.

    Raises:
        CheckError: Slices do not cover all samples.
    """
    for source, row in zip(data, targets, strict=False):
        if not isinstance(row, NDArray) and row[-1][0].stop != source.shape[0]:
            raise CheckError(
                f"Batch size miss match. Expected {row[-1][0].stop}, got {source.shape[0]}"
            )
    _slices.load_general(data, targets, [0] * len(data))


def _bind_exec(
    sym: Symbol,
    ctx: Context,
    input_shapes: dict[str, tuple[int, ...]],
    param_names: Sequence[str],
    need_grad: Any = False,
    base_exec: Executor | None = None,
    shared_data_arrays: dict[str, NDArray] | None = None,
    input_types: dict[str, Any] | None = None,
    logger: Any = logging,
) -> Executor:
    """Return an executor of a graph, optionally with arrays shared with other executors.

    Args:
        sym: The graph.
        ctx: Context of the executor.
        input_shapes: Shapes by name of input.
        param_names: Names of the parameters among the arguments.
        need_grad: Whether parameters have gradients; or the names of those that have.
        base_exec: Executor whose parameters are shared.
        shared_data_arrays: Shared inputs by name; missing ones are added.
        input_types: Dtypes by name of input; float32 for all if None.
        logger: Logger for a warning when an input grows.

    Raises:
        CheckError: Inputs do not determine shapes and dtypes, or these differ from those of
            ``base_exec``.
    """
    shapes, _, aux_shapes = sym.infer_shape(**input_shapes)
    dtypes = dict.fromkeys(input_shapes, mx_real_t) if input_types is None else input_types
    types, _, aux_types = sym.infer_type(**dtypes)
    if shapes is None or types is None:
        raise CheckError("_bind_exec: shapes and dtypes do not follow from the inputs")
    names = sym.list_arguments()
    wanted = set(param_names)
    if need_grad is not True:
        # Fixed parameters get no gradient buffer.
        wanted &= set(need_grad or ())
    arrays: dict[str, NDArray] = {}
    grads: dict[str, Any] = {}
    described: Any = zip(names, shapes, types, strict=True)
    for name, shape, dtype in described:
        # Buckets share parameters and gradients; only inputs have arrays of their own.
        if name in param_names and base_exec is not None:
            arrays[name] = base_exec.arg_dict[name]
            if arrays[name].shape != shape:
                raise CheckError(f"{name} is {arrays[name].shape} in base_exec, {shape} here")
            if name in wanted:
                grads[name] = base_exec.grad_dict[name]
            continue
        if name in param_names or shared_data_arrays is None:
            arrays[name] = nd.empty(shape, ctx=ctx, dtype=dtype)
        else:
            arrays[name] = _shared_input(shared_data_arrays, name, shape, dtype, ctx, logger)
        if name in wanted:
            grads[name] = nd.empty(shape, ctx=ctx, dtype=dtype)
    if base_exec is None:
        pairs = zip(aux_shapes or (), aux_types or (), strict=True)
        auxs = [nd.empty(shape, ctx=ctx, dtype=dtype) for shape, dtype in pairs]
    else:
        auxs = list(base_exec.aux_arrays)
    requests = {name: "write" if name in wanted else "null" for name in names}
    return sym.bind(ctx=ctx, args=arrays, args_grad=grads, aux_states=auxs, grad_req=requests)


def _shared_input(
    shared: dict[str, NDArray],
    name: str,
    shape: tuple[int, ...],
    dtype: Any,
    ctx: Context,
    logger: Any,
) -> NDArray:
    """Return the shared array of an input, or a view of a larger one."""
    array = shared.get(name)
    size = nd.empty(shape).size
    if array is not None and array.dtype == dtype and array.size >= size:
        # Buckets take turns, so that one array, as large as the largest, serves them all.
        return array if array.shape == shape else array.reshape((-1,))[:size].reshape(shape)
    if array is not None:
        logger.warning(
            "the input %s grows from %s to %s: its memory is new", name, array.shape, shape
        )
    shared[name] = fresh = nd.empty(shape, ctx=ctx, dtype=dtype)
    return fresh


def _train_multi_device(
    symbol: Symbol,
    ctx: Sequence[Context],
    arg_names: Sequence[str],
    param_names: Sequence[str],
    aux_names: Sequence[str],
    arg_params: dict[str, NDArray],
    aux_params: dict[str, NDArray],
    begin_epoch: int,
    end_epoch: int,
    epoch_size: int | None,
    optimizer: Any,
    kvstore: Any,  # MXNet's name
    update_on_kvstore: bool,
    train_data: Any,
    eval_data: Any = None,
    eval_metric: Any = None,
    epoch_end_callback: Any = None,
    batch_end_callback: Any = None,
    logger: Any = None,
    work_load_list: Any = None,
    monitor: Any = None,
    eval_end_callback: Any = None,
    eval_batch_end_callback: Any = None,
    sym_gen: Callable[[Any], Symbol] | None = None,
) -> None:
    """Train a model on several devices, as ``FeedForward.fit`` does.

    The trained values are written to ``arg_params`` and ``aux_params``.

    Args:
        symbol: The model.
        ctx: The devices.
        arg_names: Names of the arguments.
        param_names: Names of the parameters.
        aux_names: Names of the auxiliary states.
        arg_params: Parameters by name.
        aux_params: Auxiliary states by name.
        begin_epoch: Number of the first epoch.
        end_epoch: Number after the last epoch.
        epoch_size: Number of batches per epoch; all if None.
        optimizer: The optimizer.
        kvstore: Parameter store, or None.
        update_on_kvstore: Whether the store updates the parameters.
        train_data: An iterator over batches.
        eval_data: Iterator over batches for evaluation, or None.
        eval_metric: Metric.
        epoch_end_callback: Called after each epoch.
        batch_end_callback: Called after each batch.
        logger: Logger for messages.
        work_load_list: Relative share of each batch by device.
        monitor: Monitor of arrays, or None.
        eval_end_callback: Called after each evaluation.
        eval_batch_end_callback: Called after each batch of an evaluation.
        sym_gen: Function that returns the model of a bucket.
    """
    del arg_names, aux_names, update_on_kvstore, epoch_size
    data_names = [entry[0] for entry in train_data.provide_data]
    label_names = [entry[0] for entry in train_data.provide_label or ()]
    shared = {"logger": logger or logging, "context": list(ctx), "work_load_list": work_load_list}
    if sym_gen is None:
        trained: Any = module.Module(symbol, data_names, label_names, **shared)
    else:

        def generated(key: Any) -> tuple[Symbol, list[str], list[str]]:
            return sym_gen(key), data_names, label_names

        trained = module.BucketingModule(generated, train_data.default_bucket_key, **shared)
    trained.fit(
        train_data,
        eval_data=eval_data,
        eval_metric=eval_metric or "acc",
        epoch_end_callback=epoch_end_callback,
        batch_end_callback=batch_end_callback,
        kvstore=kvstore,
        optimizer=optimizer,
        eval_end_callback=eval_end_callback,
        eval_batch_end_callback=eval_batch_end_callback,
        arg_params=arg_params,
        aux_params=aux_params,
        begin_epoch=begin_epoch,
        num_epoch=end_epoch,
        monitor=monitor,
    )
    learned, states = trained.get_params()
    # MXNet's function trains in the arrays of its caller.
    for name in param_names:
        learned[name].copyto(arg_params[name])
    for name, state in states.items():
        state.copyto(aux_params[name])
