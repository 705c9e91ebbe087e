"""Private attributes of MXNet's modules, executors, symbols, and of what serves them.

``self`` is an object of the class that the attributes are given to.
"""

import ctypes
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from hy_gluon.batches import DataDesc
from hy_ndarray import Context, HyError, NDArray, current_context, nd
from hy_ndarray.devices.context import set_default_context
from hy_symbol import Executor, Symbol
from hy_symbol.graph import attribute, name as naming
from mxnet._private.absent import Absent, Handle
from mxnet._private.computed import computed
from mxnet._private.errors import CheckError, OperandError, ShapesError
from mxnet._slices import split_input_slice


class ModuleMembers:
    """Of ``Module``."""

    def _reset_bind(self) -> None:
        """Forget executors and shapes."""
        module: Any = self
        module.binded = False
        module._exec_group = None
        module._data_shapes = None
        module._label_shapes = None


class BucketingModuleMembers:
    """Of ``BucketingModule``."""

    def _reset_bind(self) -> None:
        """Forget the modules of all buckets."""
        module: Any = self
        module.binded = False
        module._buckets = {}
        module._curr_module = None
        module._curr_bucket_key = None


class ExecutorGroupMembers:
    """Of ``DataParallelExecutorGroup``."""

    _default_execs = None
    _total_exec_bytes = 0

    @computed
    def shared_data_arrays(self) -> list[dict[str, NDArray]]:
        """The inputs of each device by name."""
        group: Any = self
        names = [*group.data_names, *group.label_names]
        return [
            {name: run.arg_dict[name] for name in names if name in run.arg_dict}
            for run in group.execs
        ]

    def decide_slices(self, data_shapes: Sequence[DataDesc]) -> list[int]:
        """Share batches of these shapes out; the axis of samples of each input."""
        group: Any = self
        axes = [DataDesc.get_batch_axis(getattr(desc, "layout", "NCHW")) for desc in data_shapes]
        sizes = {d[1][a] for d, a in zip(data_shapes, axes, strict=True) if a >= 0}
        if len(sizes) > 1:
            raise CheckError(f"all data must have the same batch size: {list(data_shapes)}")
        for size in sizes:
            group.batch_size = size
            group.slices = split_input_slice(size, group.workload)
        return axes

    def _sliced_shape(
        self, shapes: Sequence[DataDesc], i: int, major_axis: Sequence[int]
    ) -> list[DataDesc]:
        """Descriptions of the part of a device."""
        group: Any = self
        found = []
        for desc, axis in zip(shapes, major_axis, strict=True):
            shape = list(desc.shape)
            if axis >= 0:
                shape[axis] = group.slices[i].stop - group.slices[i].start
            found.append(DataDesc(desc.name, tuple(shape), desc.dtype, desc.layout))
        return found

    def _bind_ith_exec(
        self,
        i: int,
        data_shapes: Sequence[DataDesc],
        label_shapes: Sequence[DataDesc] | None,
        shared_group: Any,
    ) -> Executor:
        """A new executor of a device; it shares the parameters of ``shared_group``."""
        group: Any = self
        inputs = [*data_shapes, *(label_shapes or ())]
        axes = [DataDesc.get_batch_axis(desc.layout) for desc in inputs]
        parts = ExecutorGroupMembers._sliced_shape(self, inputs, i, axes)
        known = set(group.arg_names)
        shared = None if shared_group is None else shared_group.execs[i]
        made: Executor = group.symbol.simple_bind(
            group.contexts[i],
            grad_req=group.grad_req,
            type_dict={desc.name: desc.dtype for desc in parts if desc.name in known},
            shared_arg_names=group.param_names,
            shared_exec=shared,
            **{desc.name: desc.shape for desc in parts if desc.name in known},
        )
        return made


class ExecutorMembers:
    """Of ``Executor``."""

    _group2ctx = None
    _monitor_callback = None
    _optimized_symbol = None

    @property
    def handle(self) -> Handle:
        """What stands for the pointer that MXNet's executors have."""
        return Handle(self)

    @staticmethod
    def _get_dict(names: Sequence[str], ndarrays: Sequence[Any]) -> dict[str, Any]:
        """Arrays by name.

        Raises:
            ShapesError: A name is there twice.
        """
        if len(set(names)) != len(names):
            raise ShapesError(f"Duplicate names detected, {list(names)}")
        return dict(zip(names, ndarrays, strict=False))

    def _get_outputs(self) -> list[NDArray]:
        executor: Any = self
        return list(executor.outputs)

    @computed
    def _arg_dict(self) -> dict[str, NDArray]:
        executor: Any = self
        return dict(executor.arg_dict)

    @computed
    def _grad_dict(self) -> dict[str, Any]:
        executor: Any = self
        return dict(executor.grad_dict)

    @computed
    def _aux_dict(self) -> dict[str, NDArray]:
        executor: Any = self
        return dict(executor.aux_dict)

    @computed
    def _output_dict(self) -> dict[str, NDArray]:
        executor: Any = self
        return dict(executor.output_dict)

    @computed
    def _grad_req(self) -> dict[str, str]:
        """What happens with the gradient of each argument that has one."""
        executor: Any = self
        grads = executor.grad_dict
        return {name: "null" if grads.get(name) is None else "write" for name in executor.arg_dict}


class FeedForwardMembers:
    """Of ``FeedForward``."""

    @staticmethod
    def _is_data_arg(name: str) -> bool:
        """Whether an argument is data or labels, by its name."""
        return name.endswith(("data", "label"))

    def _init_params(
        self, inputs: Sequence[Any], overwrite: bool = False
    ) -> tuple[list[str], list[str], list[str]]:
        """Give parameters values that have none, or all.

        Returns:
            Names of the arguments, the parameters and the auxiliary states.
        """
        model: Any = self
        described = [DataDesc(*desc) if not isinstance(desc, DataDesc) else desc for desc in inputs]
        arguments, states = model.symbol.list_arguments(), model.symbol.list_auxiliary_states()
        given = {desc.name: desc.shape for desc in described if desc.name in arguments}
        shapes, _, aux_shapes = model.symbol.infer_shape(**given)
        parameters = [name for name in arguments if name not in {d.name for d in described}]
        for held, names, found in (
            ("arg_params", parameters, dict(zip(arguments, shapes, strict=True))),
            ("aux_params", states, dict(zip(states, aux_shapes, strict=True))),
        ):
            old = getattr(model, held) or {}
            new = {}
            for name in names:
                array = nd.zeros(found[name])
                if name in old and not overwrite:
                    old[name].copyto(array)
                else:
                    model.initializer(name, array)
                new[name] = array
            setattr(model, held, new)
        return list(arguments), parameters, list(states)

    def _init_predictor(self, input_shapes: Sequence[Any], type_dict: Any = None) -> None:
        """Have an executor for batches of these shapes: ``_pred_exec``."""
        model: Any = self
        shapes = {desc[0]: desc[1] for desc in input_shapes}
        executor = model.symbol.simple_bind(
            model.ctx[0], grad_req="null", type_dict=type_dict, **shapes
        )
        executor.copy_params_from(model.arg_params or {}, model.aux_params or {})
        model._pred_exec = executor


class SymbolMembers:
    """Of ``Symbol``."""

    @property
    def handle(self) -> Handle:
        """What stands for the pointer that MXNet's symbols have."""
        return Handle(self)

    def _set_handle(self, handle: Any) -> None:
        """Become the symbol behind a handle."""
        found = handle.held if isinstance(handle, Handle) else handle
        if not isinstance(found, Symbol):
            raise OperandError(f"{handle!r} is no handle of a symbol")
        own: Any = self
        own.graph = found.graph

    def _infer_shape_impl(self, partial: bool, *args: Any, **kwargs: Any) -> Any:
        """As ``infer_shape``, or ``infer_shape_partial``."""
        symbol: Any = self
        return (symbol.infer_shape_partial if partial else symbol.infer_shape)(*args, **kwargs)

    def _infer_type_impl(self, partial: bool, *args: Any, **kwargs: Any) -> Any:
        """As ``infer_type``, or ``infer_type_partial``."""
        symbol: Any = self
        return (symbol.infer_type_partial if partial else symbol.infer_type)(*args, **kwargs)

    @staticmethod
    def _get_ndarray_inputs(
        arg_key: str, args: Any, arg_names: Sequence[str], allow_missing: bool
    ) -> tuple[list[Any], list[Any]]:
        """Handles of arrays, and the arrays, in the order of names.

        Raises:
            ShapesError: One is missing, or there are not as many as names.
            OperandError: It is no list and no dictionary.
        """
        if isinstance(args, list):
            if len(args) != len(arg_names):
                raise ShapesError(f"Length of {arg_key} does not match the number of arguments")
            arrays = list(args)
        elif isinstance(args, dict):
            missing = [name for name in arg_names if name not in args]
            if missing and not allow_missing:
                raise ShapesError(f"key `{missing[0]}` is missing in `{arg_key}`")
            arrays = [args.get(name) for name in arg_names]
        else:
            raise OperandError("Only accept list of NDArrays or dict of str to NDArray")
        return [None if array is None else Handle(array) for array in arrays], arrays

    def _compose(self, *args: Any, **kwargs: Any) -> None:
        """Have other symbols in place of variables: in their order, or by name.

        Raises:
            OperandError: They are no symbols, or are given in both ways.
        """
        own: Any = self
        new_name = kwargs.pop("name", None)
        if args and kwargs:
            raise OperandError(
                "compose only accept input Symbols either as positional or keyword arguments, not "
                "both"
            )
        if not all(isinstance(value, Symbol) for value in (*args, *kwargs.values())):
            raise OperandError("Compose expect `Symbol` as arguments")
        own.graph = own(*args, **kwargs).graph
        if new_name is not None:
            own.graph = own._renamed(new_name).graph

    def _gen_atomic_symbol(self) -> NoReturn:
        """The node alone, without inputs.

        Raises:
            AbsentError: Always: nodes of graphs here have their inputs.
        """
        Absent("_gen_atomic_symbol", "call the operator again: mx.sym.op.<name>(…)")()


class ContextMembers:
    """Of ``Context``."""

    class _Default:
        """The current context, as ``value``."""

        @property
        def value(self) -> Context:
            return current_context()

        @value.setter
        def value(self, ctx: Context) -> None:
            set_default_context(ctx)

    _default_ctx = _Default()
    _old_ctx = None


class _Innermost:
    """The innermost scope of a thread, as ``value``."""

    def __init__(self, current: Any) -> None:
        self._find = current

    @property
    def value(self) -> Any:
        return self._find()


class AttrScopeMembers:
    """Of ``AttrScope``."""

    _current = _Innermost(attribute.current)

    @computed
    def _attr(self) -> dict[str, str]:
        """The attributes that the scope gives."""
        scope: Any = self
        found: dict[str, str] = scope.get(None)
        return found


class NameManagerMembers:
    """Of ``NameManager``."""

    _current = _Innermost(naming.current)

    @computed
    def _counter(self) -> dict[str, int]:
        """How many names there were of each hint."""
        manager: Any = self
        return {hint: last + 1 for hint, last in manager._numbers.given.items()}


class KVStoreMembers:
    """Of ``KVStore``."""

    _is_p3 = False
    _str_updater_func = None
    _updater_func = None

    @property
    def handle(self) -> Handle:
        """What stands for the pointer that MXNet's stores have."""
        return Handle(self)


class CachedOpMembers:
    """Of ``CachedOp``."""

    _monitor_callback = None

    @property
    def handle(self) -> Handle:
        """What stands for the pointer that MXNet's have."""
        return Handle(self)

    @computed
    def is_np_sym(self) -> bool:
        """Whether its symbol is of the NumPy interface."""
        op: Any = self
        return type(op.symbol) is not Symbol

    def _register_op_hook(self, callback: Any, monitor_all: bool = False) -> None:
        """Call a function with the results of all operators."""
        op: Any = self
        op.monitor(callback, monitor_all)


class OptimizerMembers:
    """Of ``Optimizer``."""

    allow_np_array = False

    def _update_impl(
        self, indices: Any, weights: Any, grads: Any, states: Any, multi_precision: bool = False
    ) -> None:
        """Update one weight, or each of a list."""
        optimizer: Any = self
        update = optimizer.update_multi_precision if multi_precision else optimizer.update
        update(indices, weights, grads, states)


class InitializerMembers:
    """Of ``Initializer``."""

    def _init_bilinear(self, _: str, arr: NDArray) -> None:
        """Fill a filter with the weights of linear interpolation."""
        shape = arr.shape
        factor = np.ceil(shape[3] / 2.0)
        center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        rows, columns = np.arange(shape[2]), np.arange(shape[3])
        one = np.outer(1 - abs(rows / factor - center), 1 - abs(columns / factor - center))
        arr[:] = np.broadcast_to(one, shape)

    def _init_loc_bias(self, _: str, arr: NDArray) -> None:
        """Fill six numbers with the transformation that changes nothing."""
        if arr.shape[0] != 6:  # noqa: PLR2004  # two rows of three
            raise CheckError(f"a transformation has 6 numbers, not {arr.shape[0]}")
        arr[:] = np.array([1.0, 0, 0, 0, 1.0, 0])

    def _verbose_print(self, desc: Any, init: str, arr: NDArray) -> None:
        """Tell what an array was filled with, if the initializer tells that."""
        own: Any = self
        if own._verbose and own._print_func:
            logging.info("Initialized %s as %s: %s", desc, init, own._print_func(arr))

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        """Fill an array as its name says: the rule for names that are plain texts.

        Raises:
            ShapesError: The name says nothing.
        """
        own: Any = self
        if name.startswith("upsampling"):
            InitializerMembers._init_bilinear(self, name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            InitializerMembers._init_loc_bias(self, name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            own._init_zero(name, arr)
        else:
            for endings, method in _BY_ENDING:
                if name.endswith(endings):
                    getattr(own, method)(name, arr)
                    return
            raise ShapesError(
                f"Unknown initialization pattern for {name}. Default initialization is now limited "
                'to "weight", "bias", "gamma" (1.0), and "beta" (0.0). Please use '
                "mx.sym.Variable(init=mx.init.*) to set initialization pattern"
            )


_BY_ENDING: tuple[tuple[Any, str], ...] = (
    ("bias", "_init_bias"),
    ("gamma", "_init_gamma"),
    ("beta", "_init_beta"),
    ("weight", "_init_weight"),
    (("moving_mean", "moving_inv_var", "moving_avg"), "_init_zero"),
    ("moving_var", "_init_one"),
)


class RecordMembers:
    """Of ``MXRecordIO``."""

    def _check_pid(self, allow_reset: bool = False) -> None:
        """Begin anew in a forked process, or refuse to.

        Raises:
            HyError: The process is another one than that which opened the file.
        """
        record: Any = self
        if record.pid == os.getpid():
            return
        if not allow_reset:
            raise HyError(
                f"{record.uri} was opened by another process: call reset() in this one, or open it "
                "again"
            )
        record.reset()


class FunctionMembers:
    """Of ``autograd.Function``."""

    class _Registry:
        """Counts what it is given."""

        def __init__(self) -> None:
            self.ref_holder: dict[int, Any] = {}
            self.counter = 0
            self.lock = threading.Lock()

        def inc(self) -> int:
            """The next number."""
            with self.lock:
                self.counter += 1
                return self.counter - 1

    _registry = _Registry()
    _bwd_functype = ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(ctypes.c_int),
        ctypes.c_int,
        ctypes.c_void_p,
    )
    _del_functype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class VocabularyMembers:
    """Of ``Vocabulary``."""

    def _index_unknown_and_reserved_tokens(
        self, unknown_token: str, reserved_tokens: Sequence[str] | None
    ) -> None:
        """Number the unknown token and the reserved ones alone."""
        own: Any = self
        own._unknown_token = unknown_token
        own._reserved_tokens = list(reserved_tokens) if reserved_tokens else None
        own._idx_to_token = [unknown_token, *(reserved_tokens or ())]
        own._token_to_idx = {token: i for i, token in enumerate(own._idx_to_token)}

    def _index_counter_keys(
        self,
        counter: Mapping[str, int],
        unknown_token: str,
        reserved_tokens: Sequence[str] | None,
        most_freq_count: int | None,
        min_freq: int,
    ) -> None:
        """Number the tokens of a counter after those that have numbers: the frequent ones first."""
        own: Any = self
        always = {unknown_token, *(reserved_tokens or ())}
        often = sorted(sorted(counter.items()), key=lambda item: item[1], reverse=True)
        found = [token for token, count in often if count >= min_freq and token not in always]
        for token in found if most_freq_count is None else found[:most_freq_count]:
            own._token_to_idx[token] = len(own._idx_to_token)
            own._idx_to_token.append(token)


class TokenEmbeddingMembers:
    """Of ``_TokenEmbedding``."""

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        """The file that is fetched: an archive, or the file itself."""
        archive = getattr(cls, "_archive", None)
        return pretrained_file_name if archive is None else archive(pretrained_file_name)

    @classmethod
    def _get_pretrained_file_url(cls, pretrained_file_name: str) -> str:
        """Where it is fetched from."""
        own: Any = cls
        where = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/gluon/embeddings"
        file = own._get_download_file_name(pretrained_file_name)
        return f"{where}/{cls.__name__.lower()}/{file}"

    @classmethod
    def _get_pretrained_file(cls, embedding_root: str, pretrained_file_name: str) -> str:
        """The path of a file below a folder, fetched if it is not there."""
        own: Any = cls
        path: str = own._path(embedding_root, pretrained_file_name)
        return path

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        """Check that there is such a file.

        Raises:
            UnknownFileError: There is not.
        """
        own: Any = cls
        if pretrained_file_name not in own.pretrained_file_name_sha1:
            name = cls.__name__.lower()
            raise UnknownFileError(
                f"Cannot find pretrained file {pretrained_file_name} for token embedding {name}. "
                f"Valid pretrained files for embedding {name}: "
                f"{', '.join(own.pretrained_file_name_sha1)}"
            )

    def _index_tokens_from_vocabulary(self, vocabulary: Any) -> None:
        """Have the numbers of a vocabulary."""
        own: Any = self
        own._token_to_idx = dict(vocabulary.token_to_idx)
        own._idx_to_token = list(vocabulary.idx_to_token)
        own._unknown_token = vocabulary.unknown_token
        own._reserved = vocabulary.reserved_tokens

    def _set_idx_to_vec_by_embeddings(
        self, token_embeddings: Sequence[Any], vocab_len: int, vocab_idx_to_token: Sequence[str]
    ) -> None:
        """Have the vectors of several embeddings in a row, for the tokens of a vocabulary."""
        own: Any = self
        tokens = list(vocab_idx_to_token)[:vocab_len]
        parts = [
            np.concatenate(
                [
                    embedding.idx_to_vec[0:1].asnumpy(),
                    *(embedding.get_vecs_by_tokens([token]).asnumpy() for token in tokens[1:]),
                ]
            )
            for embedding in token_embeddings
        ]
        own._vectors = nd.array(np.concatenate(parts, axis=1), dtype="float32")


class UnknownFileError(HyError, KeyError):
    """There is no such file of an embedding."""
