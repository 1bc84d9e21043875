"""Paths that are longer than any system call takes: walked up part by part, such a path would cost seconds."""

MAX_PATH_CHARS = 4096
"""PATH_MAX of Linux; other systems take less."""


def cut_path(path: str) -> str:
    """The path itself, or of a longer one the nearest ancestor that can be named at all."""
    return path if len(path) <= MAX_PATH_CHARS else path[:MAX_PATH_CHARS].rpartition("/")[0] or "/"
