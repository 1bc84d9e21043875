"""The driver of an agent by its name."""

from importlib import import_module

from tests.agents.kit.driver import Driver

AGENTS = ("claude", "codex", "gemini", "copilot", "droid", "qwen", "opencode", "cline")


def driver(agent: str) -> Driver:
    found: Driver = import_module(f"tests.agents.kit.{agent}").DRIVER
    return found
