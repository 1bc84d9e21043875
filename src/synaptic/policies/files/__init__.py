"""What happens to files and folders."""
