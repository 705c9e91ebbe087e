from hy_gluon.rnn import *
