"""Empty package, in which MXNet has extension modules."""
