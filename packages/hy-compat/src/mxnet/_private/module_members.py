"""Private attributes of MXNet's modules, stores, iterators, optimizers and vocabularies.

``self`` is an object of the class that gets the attributes.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_gluon.batches import DataDesc
from hy_ndarray import HyError, NDArray, is_np_array, nd
from hy_symbol import Executor
from mxnet._private.absent import Handle
from mxnet._private.computed import computed
from mxnet._private.errors import CheckError
from mxnet._slices import split_input_slice


class ModuleMembers:
    """Private members of ``Module``."""

    def _reset_bind(self) -> None:
        """Remove executors and shapes, so that the module is not bound."""
        module: Any = self
        module.binded = False
        module._exec_group = None
        module._data_shapes = None
        module._label_shapes = None


class BucketingModuleMembers:
    """Private members of ``BucketingModule``."""

    def _reset_bind(self) -> None:
        """Remove the modules of all buckets, so that the module is not bound."""
        module: Any = self
        module.binded = False
        module._buckets = {}
        module._curr_module = None
        module._curr_bucket_key = None


class ExecutorGroupMembers:
    """Private members of ``DataParallelExecutorGroup``."""

    _default_execs = None
    _total_exec_bytes = 0

    @computed
    def shared_data_arrays(self) -> list[dict[str, NDArray]]:
        """Return the inputs of each device by name."""
        group: Any = self
        names = [*group.data_names, *group.label_names]
        return [
            {name: run.arg_dict[name] for name in names if name in run.arg_dict}
            for run in group.execs
        ]

    def decide_slices(self, data_shapes: Sequence[DataDesc]) -> list[int]:
        """Split batches of these shapes among devices, and return the batch axis of each input."""
        group: Any = self
        # Plain tuples have no layout; MXNet takes them as batches first.
        axes = [DataDesc.get_batch_axis(getattr(desc, "layout", "NCHW")) for desc in data_shapes]
        sizes = {d[1][a] for d, a in zip(data_shapes, axes, strict=True) if a >= 0}
        if len(sizes) > 1:
            raise CheckError(f"all data must have the same batch size: {list(data_shapes)}")
        # Empty if no input has a batch axis: then every device gets all of it.
        for size in sizes:
            group.batch_size = size
            group.slices = split_input_slice(size, group.workload)
        return axes

    def _sliced_shape(
        self, shapes: Sequence[DataDesc], i: int, major_axis: Sequence[int]
    ) -> list[DataDesc]:
        """Return the descriptions of inputs for the part of device ``i``."""
        group: Any = self
        sliced = []
        for desc, axis in zip(shapes, major_axis, strict=True):
            shape = list(desc.shape)
            # Inputs without a batch axis go to every device as a whole.
            if axis >= 0:
                shape[axis] = group.slices[i].stop - group.slices[i].start
            sliced.append(DataDesc(desc.name, tuple(shape), desc.dtype, desc.layout))
        return sliced

    def _bind_ith_exec(
        self,
        i: int,
        data_shapes: Sequence[DataDesc],
        label_shapes: Sequence[DataDesc] | None,
        shared_group: Any,
    ) -> Executor:
        """Return a new executor for device ``i``, with the parameters of ``shared_group``."""
        group: Any = self
        inputs = [*data_shapes, *(label_shapes or ())]
        axes = [DataDesc.get_batch_axis(desc.layout) for desc in inputs]
        parts = ExecutorGroupMembers._sliced_shape(self, inputs, i, axes)
        # Labels of a graph without a loss are no arguments of it.
        known = set(group.arg_names)
        shared = None if shared_group is None else shared_group.execs[i]
        executor: Executor = group.symbol.simple_bind(
            group.contexts[i],
            grad_req=group.grad_req,
            type_dict={desc.name: desc.dtype for desc in parts if desc.name in known},
            shared_arg_names=group.param_names,
            shared_exec=shared,
            **{desc.name: desc.shape for desc in parts if desc.name in known},
        )
        return executor


class FeedForwardMembers:
    """Private members of ``FeedForward``."""

    @staticmethod
    def _is_data_arg(name: str) -> bool:
        """Return whether an argument's name marks data or labels."""
        return name.endswith(("data", "label"))

    def _init_params(
        self, inputs: Sequence[Any], overwrite: bool = False
    ) -> tuple[list[str], list[str], list[str]]:
        """Initialize all parameters, or those without values.

        Returns:
            Names of the arguments, the parameters and the auxiliary states.
        """
        model: Any = self
        described = [DataDesc(*desc) if not isinstance(desc, DataDesc) else desc for desc in inputs]
        arguments, states = model.symbol.list_arguments(), model.symbol.list_auxiliary_states()
        known = {desc.name: desc.shape for desc in described if desc.name in arguments}
        shapes, _, aux_shapes = model.symbol.infer_shape(**known)
        parameters = [name for name in arguments if name not in {d.name for d in described}]
        for arrays, names, value_shapes in (
            ("arg_params", parameters, dict(zip(arguments, shapes, strict=True))),
            ("aux_params", states, dict(zip(states, aux_shapes, strict=True))),
        ):
            old = getattr(model, arrays) or {}
            new = {}
            for name in names:
                array = nd.zeros(value_shapes[name])
                if name in old and not overwrite:
                    old[name].copyto(array)
                else:
                    model.initializer(name, array)
                new[name] = array
            setattr(model, arrays, new)
        return list(arguments), parameters, list(states)

    def _init_predictor(self, input_shapes: Sequence[Any], type_dict: Any = None) -> None:
        """Create the executor ``_pred_exec`` for batches of given shapes."""
        model: Any = self
        shapes = {desc[0]: desc[1] for desc in input_shapes}
        executor = model.symbol.simple_bind(
            model.ctx[0], grad_req="null", type_dict=type_dict, **shapes
        )
        executor.copy_params_from(model.arg_params or {}, model.aux_params or {})
        model._pred_exec = executor


class KVStoreMembers:
    """Private members of ``KVStore``."""

    _is_p3 = False
    _str_updater_func = None
    _updater_func = None

    @property
    def handle(self) -> Handle:
        """Stand-in for the pointer of MXNet's stores."""
        return Handle(self)


class _AllowsNumPyArrays:
    """Attribute that is True after ``npx.set_np()``, unless it was assigned."""

    _KEY = "_allow_np_array"
    _DELETED = "deleted"

    def __get__(self, instance: object | None, owner: type) -> bool:
        if instance is None:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute allow_np_array")
        # In the instance's dictionary, so that pickles and copies contain it.
        state = vars(instance).get(self._KEY)
        if state == self._DELETED:
            raise AttributeError(f"{owner.__name__!r} object has no attribute 'allow_np_array'")
        return is_np_array() if state is None else bool(state)

    def __set__(self, instance: object, value: bool) -> None:
        vars(instance)[self._KEY] = bool(value)

    def __delete__(self, instance: object) -> None:
        self.__get__(instance, type(instance))
        vars(instance)[self._KEY] = self._DELETED


class OptimizerMembers:
    """Private members of ``Optimizer``."""

    allow_np_array = _AllowsNumPyArrays()

    def _update_impl(
        self, indices: Any, weights: Any, grads: Any, states: Any, multi_precision: bool = False
    ) -> None:
        """Update a weight, or each weight of a list."""
        optimizer: Any = self
        update = optimizer.update_multi_precision if multi_precision else optimizer.update
        update(indices, weights, grads, states)


class InitializerMembers:
    """Private members of ``Initializer``."""

    def _verbose_print(self, desc: Any, init: str, arr: NDArray) -> None:
        """Log the initialization of an array, if the initializer is verbose."""
        own: Any = self
        if own._verbose and own._print_func:
            logging.info("Initialized %s as %s: %s", desc, init, own._print_func(arr))


class RecordMembers:
    """Private members of ``MXRecordIO``."""

    def _check_pid(self, allow_reset: bool = False) -> None:
        """Reopen the record file in a forked process, or raise an error.

        Raises:
            HyError: Another process opened the file.
        """
        record: Any = self
        # A forked process shares the file's position with its parent.
        if record.pid == os.getpid():
            return
        if not allow_reset:
            raise HyError(
                f"{record.uri} was opened by another process: call reset() in this one, or open it "
                "again"
            )
        record.reset()


class VocabularyMembers:
    """Private members of ``Vocabulary``."""

    def _index_unknown_and_reserved_tokens(
        self, unknown_token: str, reserved_tokens: Sequence[str] | None
    ) -> None:
        """Assign indices to the unknown token and to the reserved tokens, and no others."""
        own: Any = self
        own._unknown_token = unknown_token
        own._reserved_tokens = list(reserved_tokens) if reserved_tokens else None
        # Index 0 is the unknown token, whose vector embeddings store first.
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
        """Assign indices to the tokens of a counter, most frequent first, after existing tokens."""
        own: Any = self
        always = {unknown_token, *(reserved_tokens or ())}
        # Sorted twice: stable sorting leaves equal counts in alphabetical order.
        often = sorted(sorted(counter.items()), key=lambda item: item[1], reverse=True)
        tokens = [token for token, count in often if count >= min_freq and token not in always]
        for token in tokens if most_freq_count is None else tokens[:most_freq_count]:
            own._token_to_idx[token] = len(own._idx_to_token)
            own._idx_to_token.append(token)


class TokenEmbeddingMembers:
    """Private members of ``_TokenEmbedding``."""

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        """Return the name of the file to download: an archive, or the file itself."""
        archive = getattr(cls, "_archive", None)
        return pretrained_file_name if archive is None else archive(pretrained_file_name)

    @classmethod
    def _get_pretrained_file_url(cls, pretrained_file_name: str) -> str:
        """Return the URL of a pretrained file."""
        own: Any = cls
        where = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/gluon/embeddings"
        file = own._get_download_file_name(pretrained_file_name)
        return f"{where}/{cls.__name__.lower()}/{file}"

    @classmethod
    def _get_pretrained_file(cls, embedding_root: str, pretrained_file_name: str) -> str:
        """Return the path of a pretrained file, downloaded if missing."""
        own: Any = cls
        path: str = own._path(embedding_root, pretrained_file_name)
        return path

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        """Raise an error if there is no pretrained file of a name.

        Raises:
            UnknownFileError: There is no such file.
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
        """Copy the token indices of a vocabulary."""
        own: Any = self
        own._token_to_idx = dict(vocabulary.token_to_idx)
        own._idx_to_token = list(vocabulary.idx_to_token)
        own._unknown_token = vocabulary.unknown_token
        own._reserved = vocabulary.reserved_tokens

    def _set_idx_to_vec_by_embeddings(
        self, token_embeddings: Sequence[Any], vocab_len: int, vocab_idx_to_token: Sequence[str]
    ) -> None:
        """Set the vectors of a vocabulary's tokens by concatenating several embeddings."""
        own: Any = self
        tokens = list(vocab_idx_to_token)[:vocab_len]
        parts = [
            np.concatenate(
                [
                    # The unknown token's vector is looked up by index: its text may differ.
                    embedding.idx_to_vec[0:1].asnumpy(),
                    *(embedding.get_vecs_by_tokens([token]).asnumpy() for token in tokens[1:]),
                ]
            )
            for embedding in token_embeddings
        ]
        own._vectors = nd.array(np.concatenate(parts, axis=1), dtype="float32")


class UnknownFileError(HyError, KeyError):
    """An embedding has no pretrained file of that name."""
