"""Empty package: MXNet has extension modules here, hy has none."""
