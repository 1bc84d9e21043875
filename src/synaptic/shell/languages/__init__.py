"""Code in other languages: what it runs, deletes, reads, writes, sends and prints."""
