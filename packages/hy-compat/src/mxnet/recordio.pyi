from hy_io.recordio import *
