from hy_gluon.kvstore import *
