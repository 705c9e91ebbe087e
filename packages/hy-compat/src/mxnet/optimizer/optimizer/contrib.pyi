from hy_gluon.optimizer.contrib import *
