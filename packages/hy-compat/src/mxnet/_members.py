"""Private attributes of MXNet's classes, added to hy's classes."""

from types import ModuleType
from typing import Any

from mxnet._binding import load

__all__ = ["CLASSES", "attach_members", "has_members"]

CLASSES: dict[str, tuple[str, str, str]] = {
    "hy_gluon.block.hybrid:HybridBlock": (
        "mxnet._private.gluon_members:HybridBlockMembers",
        "",
        "_backend _callback _monitor_all _backend_opts _scope _build_cache "
        "_deferred_infer_shape _infer_attrs",
    ),
    "hy_gluon.contrib.data.vocabulary:Vocabulary": (
        "mxnet._private.module_members:VocabularyMembers",
        "",
        "_index_unknown_and_reserved_tokens _index_counter_keys",
    ),
    "hy_gluon.contrib.estimator.estimator:Estimator": (
        "mxnet._private.gluon_members:EstimatorMembers",
        "",
        "_check_loss _check_context _check_trainer _check_batch_processor _is_initialized "
        "_initialize _add_default_training_metrics _add_validation_metrics "
        "_get_data_and_label _categorize_handlers _prepare_default_validation_handlers",
    ),
    "hy_gluon.data.dataloader:DataLoader": (
        "mxnet._private.gluon_members:DataLoaderMembers",
        "",
        "_iter _worker_pool _prefetch_iter",
    ),
    "hy_gluon.execution.cached_op:CachedOp": (
        "mxnet._private.graph_members:CachedOpMembers",
        "",
        "_monitor_callback handle is_np_sym _register_op_hook",
    ),
    "hy_gluon.initializer.base:Initializer": (
        "mxnet._private.module_members:InitializerMembers",
        "",
        "_verbose_print",
    ),
    "hy_gluon.kvstore.kvstore:KVStore": (
        "mxnet._private.module_members:KVStoreMembers",
        "",
        "_is_p3 _str_updater_func _updater_func handle",
    ),
    "hy_gluon.optimizer.optimizer:Optimizer": (
        "mxnet._private.module_members:OptimizerMembers",
        "allow_np_array",
        "_update_impl",
    ),
    "hy_gluon.parameter.dictionary:ParameterDict": (
        "mxnet._private.gluon_members:ParameterDictMembers",
        "",
        "_get_impl",
    ),
    "hy_gluon.parameter.parameter:Parameter": (
        "mxnet._private.gluon_members:ParameterMembers",
        "",
        "_get_row_sparse _init_grad _init_impl _set_trainer",
    ),
    "hy_gluon.rnn._layer:_RNNLayer": (
        "mxnet._private.gluon_members:RNNLayerMembers",
        "",
        "_register_param _forward_kernel _i2h_weight_initializer _h2h_weight_initializer "
        "_h2r_weight_initializer _i2h_bias_initializer _h2h_bias_initializer",
    ),
    "hy_gluon.trainer:Trainer": (
        "mxnet._private.gluon_members:TrainerMembers",
        "",
        "_check_contexts _contains_sparse_weight _contains_sparse_grad _init_optimizer "
        "_reset_kvstore _row_sparse_pull",
    ),
    "hy_io.recordio:MXRecordIO": (
        "mxnet._private.module_members:RecordMembers",
        "",
        "_check_pid",
    ),
    "hy_ndarray.array.ndarray:NDArray": (
        "mxnet._private.array_members:ArrayMembers",
        "_fresh_grad",
        "handle _tvm_tcode _tvm_handle _at _slice _full _sync_copyfrom _to_shared_mem "
        "_basic_indexing_key_int_to_slice _basic_indexing_key_to_begin_end_step "
        "_basic_indexing_slice_is_contiguous _basic_indexing_sliced_shape "
        "_basic_indexing_contiguous_flat_begin_end _drop_int_axes _drop_slice_none_at_end "
        "_new_axes_after_basic_indexing _new_axes_after_advanced_indexing "
        "_advanced_index_to_array _broadcast_advanced_indices _get_nd_basic_indexing "
        "_get_nd_advanced_indexing _set_nd_basic_indexing _set_nd_advanced_indexing "
        "_get_index_nd _prepare_value_nd _scatter_set_nd",
    ),
    "hy_ndarray.autograd:Function": (
        "mxnet._private.graph_members:FunctionMembers",
        "",
        "_Registry _registry _bwd_functype _del_functype",
    ),
    "hy_ndarray.np.multiarray:ndarray": (
        "mxnet._private.array_members:NumpyArrayMembers",
        "",
        "_get_np_basic_indexing _get_np_advanced_indexing _get_np_boolean_indexing "
        "_get_np_empty_tuple_indexing _set_np_advanced_indexing _set_np_boolean_indexing",
    ),
    "hy_ndarray.sparse.arrays:BaseSparseNDArray": (
        "mxnet._private.array_members:SparseMembers",
        "",
        "_at _slice _num_aux _aux_types _aux_type _aux_data",
    ),
    "hy_symbol.executor.executor:Executor": (
        "mxnet._private.graph_members:ExecutorMembers",
        "",
        "_group2ctx _monitor_callback _optimized_symbol handle _get_dict _get_outputs "
        "_arg_dict _grad_dict _aux_dict _output_dict _grad_req",
    ),
    "hy_symbol.graph.attribute:AttrScope": (
        "mxnet._private.graph_members:AttrScopeMembers",
        "",
        "_current _attr",
    ),
    "hy_symbol.graph.name:NameManager": (
        "mxnet._private.graph_members:NameManagerMembers",
        "",
        "_current _counter",
    ),
    "hy_symbol.symbol.symbol:Symbol": (
        "mxnet._private.graph_members:SymbolMembers",
        "",
        "handle _set_handle _infer_shape_impl _infer_type_impl _get_ndarray_inputs "
        "_compose _gen_atomic_symbol",
    ),
    "mxnet._feed_forward:FeedForward": (
        "mxnet._private.module_members:FeedForwardMembers",
        "",
        "_is_data_arg _init_params _init_predictor",
    ),
    "hy_ndarray.devices.context:Context": (
        "mxnet._private.graph_members:ContextMembers",
        "",
        "_default_ctx _old_ctx",
    ),
    "mxnet.contrib.text.embedding:_TokenEmbedding": (
        "mxnet._private.module_members:TokenEmbeddingMembers",
        "",
        "_get_download_file_name _get_pretrained_file_url _get_pretrained_file "
        "_check_pretrained_file_names _index_tokens_from_vocabulary "
        "_set_idx_to_vec_by_embeddings",
    ),
    "mxnet.module.bucketing_module:BucketingModule": (
        "mxnet._private.module_members:BucketingModuleMembers",
        "",
        "_reset_bind",
    ),
    "mxnet.module.executor_group:DataParallelExecutorGroup": (
        "mxnet._private.module_members:ExecutorGroupMembers",
        "",
        "_default_execs _total_exec_bytes shared_data_arrays decide_slices _sliced_shape "
        "_bind_ith_exec",
    ),
    "mxnet.module.module:Module": (
        "mxnet._private.module_members:ModuleMembers",
        "",
        "_reset_bind",
    ),
}
"""By class of hy's: the class in ``_private`` that has the attributes, those that see when they are
assigned or deleted, and the others."""

_CLASS_MODULES = {path.partition(":")[0] for path in CLASSES}


class _Member:
    """Placeholder for an attribute of a class or of its objects, imported on first use."""

    def __init__(self, source: str, name: str) -> None:
        self._source = source
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        self._replace(owner)
        return getattr(owner if instance is None else instance, self._name)

    def _replace(self, owner: type) -> None:
        """Replace this placeholder by the attribute itself."""
        holder = next(kind for kind in owner.__mro__ if vars(kind).get(self._name) is self)
        # The real attribute replaces the stand-in, so that later uses cost nothing more.
        setattr(holder, self._name, vars(load(self._source))[self._name])


class _WritableMember(_Member):
    def __set__(self, instance: object, value: Any) -> None:
        self._replace(type(instance))
        setattr(instance, self._name, value)

    def __delete__(self, instance: object) -> None:
        self._replace(type(instance))
        delattr(instance, self._name)


def has_members(module: str) -> bool:
    """Return whether classes of a hy module get attributes of MXNet."""
    return module in _CLASS_MODULES


def attach_members(module: ModuleType) -> None:
    """Add MXNet's attributes to the classes of a module."""
    for path, (source, writable, others) in CLASSES.items():
        where, _, name = path.partition(":")
        # Only a class whose module is loaded gets its attributes; nothing is imported for them.
        if where == module.__name__:
            holder = getattr(module, name)
            for kind, names in ((_WritableMember, writable), (_Member, others)):
                for attribute in names.split():
                    setattr(holder, attribute, kind(source, attribute))
