"""Device code: functions in Triton's language, and nothing else."""
