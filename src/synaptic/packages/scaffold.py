"""Write the folder an author starts from: a manifest with every part, and a hook that runs."""

from pathlib import Path

from synaptic.packages.declared import read_manifest
from synaptic.packages.folder import MANIFEST, refuse_filled

HOOK_STUB = """\
#!/usr/bin/env bash
# Runs before each Bash command. Say nothing to approve, or print one line such as
#   {"action": "block", "reason": "why"}
set -euo pipefail

INPUT="${HOOK_INPUT:-}"
"""


def build_manifest(name: str) -> str:
    """Build a package.toml for a package of this name."""
    return f"""\
[package]
name = "{name}"
version = "0.1.0"
description = ""
tags = []
# requires = ["python3 >= 3.11"]

[[hooks]]
event = "PreToolUse"
matcher = "Bash"
script = "hooks/pre-bash.sh"
priority = 50       # 1-19 environment, 20-39 guards, 40-59 audit, 60-79 notification, 80+ clean-up
blocking = true     # it is waited for and may decide
"""


def scaffold_package(folder: Path) -> tuple[Path, ...]:
    """Write manifest and hook into a new or empty folder; any other is refused."""
    refuse_filled(folder)
    text = build_manifest(folder.absolute().name)
    # Refuses a folder name that is no package name, before anything is written.
    read_manifest(text.encode(), str(folder / MANIFEST))
    hook = folder / "hooks" / "pre-bash.sh"
    hook.parent.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text(text)
    hook.write_text(HOOK_STUB)
    hook.chmod(0o755)
    return folder / MANIFEST, hook
