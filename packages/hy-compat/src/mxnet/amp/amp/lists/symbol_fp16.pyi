from hy_gluon.amp.lists.symbol_fp16 import *
