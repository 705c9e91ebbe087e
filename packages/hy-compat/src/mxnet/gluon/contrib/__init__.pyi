from hy_gluon.contrib import *
