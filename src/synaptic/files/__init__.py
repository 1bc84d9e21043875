"""File operations that all packages share: atomic replacement, watching, cheap change detection."""
