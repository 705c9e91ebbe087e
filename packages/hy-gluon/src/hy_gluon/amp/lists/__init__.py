"""Which operator computes in which precision, by target dtype."""

from hy_gluon.amp.lists import symbol_bf16 as symbol_bf16, symbol_fp16 as symbol_fp16
