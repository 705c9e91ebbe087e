from hy_gluon.contrib.data import *
