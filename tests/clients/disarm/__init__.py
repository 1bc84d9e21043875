"""Ways to disarm the guard, each tried from inside the true clients."""
