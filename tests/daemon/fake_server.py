"""Started in place of the real server: holds the lock and listens; `FAKE` in its folder tells it to misbehave."""

import argparse
import signal
import socket
import sys
import time
from pathlib import Path

from synaptic.daemon import lifecycle
from synaptic.daemon.address import bind_name
from synaptic.model.home import Home


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--lock-fd", type=int)
    options = parser.parse_args()
    home = Home(options.home)
    with (home.root / "starts").open("a") as file:
        file.write("x")
    lock = lifecycle.hold_lock(home, options.lock_fd)
    deaf = (home.root / "deaf").exists()
    signal.signal(signal.SIGTERM, signal.SIG_IGN if deaf else lambda *_: sys.exit(lock.release()))
    home.socket.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener, bind_name(home.socket) as path:
        listener.bind(path)
        listener.listen()
        time.sleep(60)


if __name__ == "__main__":
    main()
