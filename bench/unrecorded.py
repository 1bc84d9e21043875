"""An engine that writes down neither what its decisions rest on nor what became of calls: what both cost is measured
against it. `python -m bench.unrecorded HOME` is its daemon, with `--recorded` one that does."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from synaptic.daemon import server
from synaptic.engine import commit
from synaptic.engine.witness import Witness


@contextmanager
def without_record() -> Iterator[None]:
    """Engines of this process keep neither."""
    with (
        patch.object(commit, "_describe_basis", lambda request, decided: ()),
        patch.object(Witness, "look", lambda self, request, call: None),
        patch.object(Witness, "note", lambda self, call, decision: None),
    ):
        yield


def main() -> None:
    home, *words = sys.argv[1:]
    if "--recorded" in words:
        server.main([home])
    else:
        with without_record():
            server.main([home])


if __name__ == "__main__":
    main()
