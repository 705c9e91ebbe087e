from hy_gluon.nn import *
