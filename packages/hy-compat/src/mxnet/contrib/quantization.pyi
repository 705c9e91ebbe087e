from hy_gluon.quantization import *
