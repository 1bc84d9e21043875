"""What the figures were taken on."""

import os
import platform
from pathlib import Path

from synaptic import __version__


def describe(folder: Path) -> str:
    """One line: processor, cores, kernel, Python, and the file system that holds the journals."""
    return (
        f"synaptic {__version__}, {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, journal on {_file_system(folder)}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _file_system(folder: Path) -> str:
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "an unknown file system"
    holding = [(point, kind) for point, kind in mounts if folder.resolve().is_relative_to(point)]
    return max(holding, key=lambda mount: len(mount[0]))[1]
