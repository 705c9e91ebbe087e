from hy_gluon.kvstore.base import *
