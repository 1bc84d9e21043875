"""A project and a user's folder in a temporary place."""

from pathlib import Path

from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.model.home import Home


class Project:
    """Writes declarations where the engine looks for them."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "home"
        self.home = Home(self.user / ".synaptic")
        self.path = folder / "project"
        self.root = str(self.path)
        self.home.root.mkdir(parents=True)
        self.path.mkdir()
        self.catalogs = HookCatalogs(self.home)

    def write(self, name: str, text: str | bytes) -> Path:
        return put(self.path / name, text)

    def write_user(self, name: str, text: str | bytes) -> Path:
        return put(self.home.root / name, text)

    def registry(self, *entries: str) -> Path:
        return self.write(".synaptic/hooks/registry.toml", "\n".join(f"[[hook]]\n{entry}\n" for entry in entries))

    def script(self, name: str, text: str = "#!/bin/sh\n") -> Path:
        path = self.write(name, text)
        path.chmod(0o755)
        return path

    def catalog(self, environment: str = "") -> HookCatalog:
        return self.catalogs.get(self.root, environment)


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def entry(script: str = "/opt/a.sh", **keys: object) -> str:
    """One `[[hook]]` without its header."""
    said = {"event": "PreToolUse", "matcher": "Bash", "script": script, **keys}
    return "\n".join(f"{key} = {_value(value)}" for key, value in said.items() if value is not None)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return str(value) if isinstance(value, int | float) else f"'{value}'"
