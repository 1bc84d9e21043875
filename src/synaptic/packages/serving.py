"""A registry offered over http to others on this machine."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from synaptic.model.refusal import Refusal
from synaptic.packages import server
from synaptic.packages.dolt import end_script, start_script


@contextlib.contextmanager
def serving(path: Path, port: int = 0) -> Iterator[str]:
    """The URL of the registry, for as long as the block lasts. Port 0 takes any that is free."""
    if not path.is_file():
        raise Refusal("not_found", "there is no registry", where=str(path), hint="type: synaptic registry init")
    process = start_script(Path(server.__file__), str(path.parent), str(port))
    try:
        told = process.stdout.readline() if process.stdout else b""
        if not told.strip().isdigit():
            raise Refusal("backend_unavailable", f"cannot serve: {end_script(process)}", where=str(path))
        yield f"http://127.0.0.1:{int(told)}/{path.name}"
    finally:
        end_script(process)
