"""A throw-away user with a home folder, and a look at everything in it."""

import hashlib

from synaptic.model.home import Home
from synaptic.setup.options import SetupOptions


def options_for(tmp_path, **more):
    user = tmp_path / "user"
    user.mkdir(exist_ok=True)
    home = Home(user / ".synaptic")
    given = {"shell": "/bin/zsh", "managed_root": tmp_path / "etc", "search_path": f"{home.bin}:/usr/bin", **more}
    return SetupOptions(home=home, user_home=user, **given)


def snapshot(folder, *skip):
    """Every path below with its mode and contents; the names in `skip` are left out."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, _digest(path))
        for path in sorted(folder.rglob("*"))
        if not set(path.relative_to(folder).parts) & set(skip)
    }


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
