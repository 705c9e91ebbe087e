"""Models of symbols: their checkpoints."""

from mxnet._checkpoint import (
    BatchEndParam as BatchEndParam,
    BatchEndParams as BatchEndParams,
    load_checkpoint as load_checkpoint,
    load_params as load_params,
    save_checkpoint as save_checkpoint,
)
