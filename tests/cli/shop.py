"""A user whose registry has packages in it, made with the author's own verbs."""

import shutil
from pathlib import Path

import pytest

from tests.packages.authoring import write_package

SKILLS = (("alpha", 20), ("beta", 30), ("gamma", 40))

SCRIPT = "#!/bin/sh\necho '{name} {version}' >> \"$SYNAPTIC_ROOT/logs/ran\"\n"
HOOK = """
[[hooks]]
event = "PreToolUse"
matcher = "Bash"
script = "hooks/pre.sh"
priority = {priority}
blocking = true
"""


def publish(user, name, version="1.0.0", priority=20, files=None, more="", channels=("develop", "main")):
    """One version of a package on its channels."""
    files = files or {"hooks/pre.sh": SCRIPT.format(name=name, version=version), "README.md": f"# {name} {version}\n"}
    folder = user.folder / "authored" / name
    write_package(folder, name, version, files, HOOK.format(priority=priority) + more, f"The {name} package.")
    assert user.types("registry", "init", "--if-missing").code == 0
    done = user.types("package", "import", str(folder))
    assert done.code == 0, done.err
    for channel in channels[1:]:
        done = user.types("package", "promote", name, "--from", "develop", "--to", channel)
        assert done.code == 0, done.err


def open_shop(user, monkeypatch: pytest.MonkeyPatch, shelf: Path):
    """A user whose registry has three packages: published for the first who asks, copied for all after."""
    for name in ("SYNAPTIC_REGISTRY", "SYNAPTIC_CHANNEL"):
        monkeypatch.delenv(name, raising=False)
    if not shelf.exists():
        for name, priority in SKILLS:
            publish(user, name, priority=priority)
        shutil.copytree(user.home.root, shelf)
    else:
        shutil.copytree(shelf, user.home.root)
    return user
