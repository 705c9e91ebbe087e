from hy_gluon import *
