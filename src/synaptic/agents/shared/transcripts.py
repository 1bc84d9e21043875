"""Lines of an agent's transcript, and whether a file is one: what it says is the agent's own word, and no more."""

import os.path
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from synaptic.agents.base import Agent, UserEnvironment

ENDING = ".jsonl"
MIN_NAME = 8
"""Letters of a session's name by which a file can be known."""
MAX_LINE = 8 * 1024 * 1024


def read_json_line(line: bytes, *marks: bytes) -> dict[str, Any]:
    """An object, if it holds one of the marks; most lines hold none, and need not be decoded."""
    if len(line) > MAX_LINE or not any(mark in line for mark in marks):
        return {}
    try:
        return as_object(msgspec.json.decode(line))
    except (msgspec.DecodeError, RecursionError):
        return {}


def as_object(value: object) -> dict[str, Any]:
    """The value, if it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def read_stamp(value: object) -> float:
    """Seconds of a time as transcripts have it; 0 for anything else."""
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else 0.0
    except (ValueError, OverflowError):
        return 0.0


def is_own_transcript(agent: Agent, path: str, session: str, env: Mapping[str, str]) -> bool:
    """Whether a path is a transcript of this session, in the agent's own folder: anything else proves nothing."""
    home = env.get("HOME", "")
    if agent.trail.read_line is None or not home or not path.endswith(ENDING) or len(session) < MIN_NAME:
        return False
    folder = os.path.realpath(agent.folder.locate(UserEnvironment(Path(home), env)))
    real = os.path.realpath(path)
    return real.startswith(f"{folder}/") and session in real.removeprefix(folder)
