"""Run a module without parents: `python -m tests.alone pytest -q`, where an agent may have started the tests.

The daemons that tests start look at real processes, and below an agent nobody is a person. There is no switch for that;
so the tests lose their parents, as somebody's own terminal has none of an agent's.
"""

import os
import subprocess
import sys

from synaptic.agents.shared.lineage import list_markers


def main(words: list[str]) -> int:
    """The exit code of the module, which is run by a process that has init as its parent."""
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        with os.fdopen(reading) as told:
            return int(told.read() or 1)
    if os.fork():
        os._exit(0)
    env = {name: value for name, value in os.environ.items() if name not in list_markers()}
    code = subprocess.call([sys.executable, "-m", *words], env=env)
    os.write(writing, str(code).encode())
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
