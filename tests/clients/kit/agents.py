"""The driver of an agent by its name."""

from importlib import import_module

from tests.clients.kit.driver import Driver

AGENTS = ("claude", "codex", "gemini", "copilot", "droid", "qwen", "opencode", "cline")


def driver(agent: str) -> Driver:
    found: Driver = import_module(f"tests.clients.kit.{agent}").DRIVER
    return found
