"""What a command would do."""
