"""Lists of the precision in which each operator computes, by target dtype."""

from hy_gluon.amp.lists import symbol_bf16 as symbol_bf16, symbol_fp16 as symbol_fp16
