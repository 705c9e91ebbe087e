from hy_gluon.block import *
