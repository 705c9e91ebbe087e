"""Models of symbols: their checkpoints."""

from mxnet._checkpoint import (
    BatchEndParam,
    BatchEndParams,
    load_checkpoint,
    load_params,
    save_checkpoint,
)

__all__ = ["BatchEndParam", "BatchEndParams", "load_checkpoint", "load_params", "save_checkpoint"]
