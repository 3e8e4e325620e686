"""Layer 6: the command. Parses, calls, prints; one file a command, no logic."""
