"""What runs in the cloud: an opt-in pack."""
