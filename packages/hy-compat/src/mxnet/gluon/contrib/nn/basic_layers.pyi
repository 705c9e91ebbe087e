from hy_gluon.contrib.nn.basic_layers import *
