"""The process that offers a folder of registries over http on this machine, with doltlite's own server.

Run as a script, isolated, with folder and port; it imports nothing of ours. It tells its port on one line and ends
when its stdin does.
"""

import ctypes
import importlib
import os
import sys

LOOPBACK_ADDRESS = b"127.0.0.1"


def main() -> None:
    """Serve until stdin ends."""
    library = ctypes.CDLL(importlib.import_module("doltlite").libdoltlite_path())
    serve, port, stop = library.doltliteServeAsync, library.doltliteServerPort, library.doltliteServerStop
    serve.argtypes, serve.restype = [ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p], ctypes.c_void_p
    port.argtypes = stop.argtypes = [ctypes.c_void_p]
    server = serve(os.fsencode(sys.argv[1]), int(sys.argv[2]), LOOPBACK_ADDRESS)
    if not server:
        sys.exit(f"port {sys.argv[2]} cannot be had")
    os.write(1, f"{port(server)}\n".encode())
    while os.read(0, 4096):
        pass
    stop(server)


if __name__ == "__main__":
    main()
