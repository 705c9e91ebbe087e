from hy_gluon.contrib.rnn import *
