from hy_gluon.parameter import *
