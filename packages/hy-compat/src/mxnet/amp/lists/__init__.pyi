from hy_gluon.amp.lists import *
