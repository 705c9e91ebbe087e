"""``amp.convert_bucketing_module``: bucketing modules in mixed precision."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.amp import convert_model, convert_symbol
from hy_ndarray import namespaces
from mxnet.module.bucketing_module import BucketingModule
from mxnet.module.errors import check_module

__all__ = ["convert_bucketing_module"]


def convert_bucketing_module(
    bucketing_mod: BucketingModule,
    target_dtype: object = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[tuple[str, str, Sequence[str]]] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """Return a copy of a module in mixed precision, not bound yet.

    Args:
        bucketing_mod: The module, bound and with parameters; not changed.
        target_dtype: See :func:`hy_gluon.amp.convert_model`.
        target_dtype_ops: See :func:`hy_gluon.amp.convert_model`.
        fp32_ops: See :func:`hy_gluon.amp.convert_model`.
        conditional_fp32_ops: See :func:`hy_gluon.amp.convert_model`.
        excluded_sym_names: See :func:`hy_gluon.amp.convert_model`.
        cast_optional_params: See :func:`hy_gluon.amp.convert_model`.

    Raises:
        ModuleError: The module is not bound, or has no parameters.
    """
    check_module(
        bucketing_mod.binded and bucketing_mod.params_initialized,
        "convert_bucketing_module: bind the module and call init_params first",
    )
    args, auxs = bucketing_mod.get_params()
    options: dict[str, Any] = {
        "target_dtype": target_dtype,
        "target_dtype_ops": target_dtype_ops,
        "fp32_ops": fp32_ops,
        "conditional_fp32_ops": conditional_fp32_ops,
        "excluded_sym_names": excluded_sym_names,
        "cast_optional_params": cast_optional_params,
    }

    def generate(key: Any) -> Any:
        symbol, data_names, label_names = bucketing_mod._call_sym_gen(key)
        inputs = [name for name in symbol.list_inputs() if name not in {*args, *auxs}]
        low = convert_symbol(symbol, data_names=inputs, **options)
        return low, data_names, label_names

    default = bucketing_mod._call_sym_gen(bucketing_mod._default_bucket_key)[0]
    _, low_args, low_auxs = convert_model(default, args, auxs, **options)
    return BucketingModule.load_dict(
        {},
        # The graphs of a bucketing module are generated again in mixed precision when they are
        # asked for.
        generate,
        bucketing_mod._default_bucket_key,
        low_args,
        low_auxs,
        logger=bucketing_mod.logger,
        context=bucketing_mod._context,
        work_load_list=bucketing_mod._work_load_list,
        fixed_param_names=bucketing_mod._fixed_param_names,
        state_names=bucketing_mod._state_names,
        group2ctxs=bucketing_mod._group2ctxs,
        compression_params=bucketing_mod._compression_params,
    )


namespaces.register("amp", convert_bucketing_module=convert_bucketing_module)
