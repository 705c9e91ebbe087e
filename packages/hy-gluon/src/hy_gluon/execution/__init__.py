"""Execution: a graph as an operator of the tape, and the lock under which it is made."""
