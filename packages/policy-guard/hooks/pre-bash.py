#!/usr/bin/env python3
"""Blocks a shell command that names a path outside the project and outside the folders that were allowed."""

import json
import os
import re
import sys
from pathlib import Path

WORDS = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s'"`;|&<>(){}=,:]+)""")
HOME = re.compile(r"^(?:~|\$HOME|\$\{HOME\})(?=/|$)")


def outside(command, root, cwd, allowed):
    """The first word that leads out, or None. A quoted text is one path if that lies in the project, else words."""
    for single, double, plain in WORDS.findall(command):
        quoted = single or double
        if plain and leads_out(plain, cwd, (root, *allowed)):
            return plain
        if quoted and (leads_out(quoted, cwd, (root,)) or not quoted.startswith("/")):
            bad = outside(re.sub(r"[\"']", " ", quoted), root, cwd, allowed)
            if bad is not None:
                return bad
    return None


def leads_out(word, cwd, folders):
    path = HOME.sub(os.path.expanduser("~"), word)
    if not path.startswith("/") and ".." not in path.split("/"):
        return False
    real = os.path.realpath(os.path.join(cwd, path))
    return not any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in folders)


def main():
    event = json.load(sys.stdin)
    command = event.get("tool_input", {}).get("command")
    if not isinstance(command, str):
        return
    root = os.path.realpath(os.environ["SYNAPTIC_PROJECT_ROOT"])
    config = json.loads((Path(__file__).parent.parent / "config" / "guard.json").read_text())
    allowed = [os.path.realpath(folder) for folder in config["allowed"]]
    bad = outside(command, root, event.get("cwd") or root, allowed)
    if bad is not None:
        print(json.dumps({"action": "block", "reason": f"policy-guard: {bad} is outside the project {root}"}))


main()
