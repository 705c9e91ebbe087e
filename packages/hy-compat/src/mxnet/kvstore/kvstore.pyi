from hy_gluon.kvstore.kvstore import *
