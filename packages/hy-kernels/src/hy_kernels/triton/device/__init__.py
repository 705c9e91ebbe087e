"""What runs on the device: functions in Triton's language, and nothing else."""
