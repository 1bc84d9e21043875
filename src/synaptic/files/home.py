"""Which folder is the engine's home, for whoever asks."""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from synaptic.model.errors import DaemonError
from synaptic.model.home import Home


def find_home(environ: Mapping[str, str]) -> Home:
    """`SYNAPTIC_HOME`, else `.synaptic` in the user's home folder; a relative path names none."""
    chosen = environ.get("SYNAPTIC_HOME", "")
    if chosen.startswith("/"):
        return Home(Path(chosen))
    user = environ.get("HOME", "")
    if user.startswith("/"):
        return Home(Path(user) / ".synaptic")
    try:
        return Home(Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".synaptic")
    except KeyError:
        raise DaemonError("this user has no home folder", where="HOME", hint="set SYNAPTIC_HOME to a folder") from None
