from hy_gluon.contrib.nn import *
