from hy_gluon.parameter.parameter import *
