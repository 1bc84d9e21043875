"""Keys, credentials and where they go."""
