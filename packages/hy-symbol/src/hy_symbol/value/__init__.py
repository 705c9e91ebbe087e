"""Values: graph entries as operands of operators, for gradients and passes."""
