"""Programs whose arguments are understood: what each of them runs, changes or prints."""
