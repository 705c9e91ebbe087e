from hy_gluon.initializer.rnn import *
