"""Value: an entry of a graph as an operand, on which gradients and passes work."""
