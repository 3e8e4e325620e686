"""What every fit goes through: checked parameters and rows, seeds, stages, checkpoints, a log."""
