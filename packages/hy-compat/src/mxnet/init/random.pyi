from hy_gluon.initializer.random import *
