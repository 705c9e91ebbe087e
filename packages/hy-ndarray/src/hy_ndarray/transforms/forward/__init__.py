"""jvp: values with their directional derivatives, by rules for families of operators."""
