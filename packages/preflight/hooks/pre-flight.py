#!/usr/bin/env python3
"""Blocks an expensive tool call when a key is missing or there is no network to use; it sends nothing itself."""

import json
import os
import socket
import sys
from pathlib import Path

SOMEWHERE = ("192.0.2.1", 9)
"""An address for documentation: asking the kernel for the way there sends no packet."""
WEB = ("WebFetch", "WebSearch")


def missing(config, tool):
    """What is not there."""
    found = [f"the variable {name} is not set" for name in config["variables"] if not os.environ.get(name)]
    if config["network"] and tool in WEB and not has_network():
        found.append("there is no network")
    return found


def has_network():
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(SOMEWHERE)
    except OSError:
        return False
    return True


def main():
    tool = json.load(sys.stdin).get("tool_name", "")
    config = json.loads((Path(__file__).parent.parent / "config" / "preflight.json").read_text())
    if problems := missing(config, tool):
        print(json.dumps({"action": "block", "reason": f"preflight: {'; '.join(problems)}"}))


main()
