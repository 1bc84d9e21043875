"""Ways to get an exception without a person, each tried from inside the true clients."""
