"""What is written down about an agent's work."""
