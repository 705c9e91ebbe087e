from hy_gluon.contrib.data.text import *
