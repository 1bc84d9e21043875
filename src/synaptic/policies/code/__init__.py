"""Code that comes from elsewhere."""
