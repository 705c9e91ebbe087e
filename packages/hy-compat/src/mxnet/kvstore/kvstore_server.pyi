from hy_gluon.kvstore.kvstore_server import *
