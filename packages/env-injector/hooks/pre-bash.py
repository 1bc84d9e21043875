#!/usr/bin/env python3
"""Puts the project's variables in front of a shell command, so that scripts see what hooks see."""

import json
import os
import sys

NAMES = (
    "SYNAPTIC_PROJECT_ROOT",
    "SYNAPTIC_ROOT",
    "SYNAPTIC_SHARED",
    "SYNAPTIC_SKILLS",
    "SYNAPTIC_CHANNEL",
    "SYNAPTIC_AGENTS",
)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def main():
    command = json.load(sys.stdin).get("tool_input", {}).get("command")
    known = [f"{name}={quoted(os.environ[name])}" for name in NAMES if name in os.environ]
    line = "export " + " ".join(known) + "\n"
    if not known or not isinstance(command, str) or command.startswith(line):
        return
    print(json.dumps({"action": "modify", "input": {"command": line + command}}))


main()
