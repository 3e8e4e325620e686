"""What the command does: fits, predictions and reports of files, and the folders they end in."""
