"""Value: an entry of a graph as an operand, for gradients and passes."""
