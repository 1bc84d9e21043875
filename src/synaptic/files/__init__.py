"""What every room does with files: replace whole, watch, look at cheaply."""
