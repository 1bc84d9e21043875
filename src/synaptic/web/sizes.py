"""Numbers of bytes in few letters."""

SIZES = (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10))


def format_size(size: float) -> str:
    """A number of bytes in few letters."""
    return next((f"{size / unit:.1f} {name}" for name, unit in SIZES if size >= unit), f"{size:.0f} B")
