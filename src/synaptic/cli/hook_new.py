"""What `hook new` has written may run, exactly as it was written: whoever asked for it has agreed to no more."""

import json
from pathlib import Path

from synaptic.cli.place import CommandPlace, open_database
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.trust import remember_hooks
from synaptic.hooks.scaffold import WrittenHook
from synaptic.hooks.trust import TrustItem, look_at_hook
from synaptic.model.errors import StoreError

HINT = "look at it, then type: synaptic trust"
MODULE_FOLDERS = ("scripts/hooks", "scripts", "")


def trust_written(place: CommandPlace, written: WrittenHook) -> str:
    """Agree to a new hook; else why it is not trusted, and what to type.

    Only to the bytes that were written here, and to nothing beside them: a file that somebody has put in its way, such
    as a `json.py` that the stub would import, is for a person to look at.
    """
    catalog = load_hook_catalog(place)
    hook = next((one for one in catalog.hooks if one.source == f"{place.root}/{written.definition}"), None)
    if hook is None:
        return f"{written.definition} is written and not registered here; type: synaptic hook list"
    found = look_at_hook(hook, place.root)
    only = {f"{place.root}/{written.script}": frozenset({written.sha256})}
    if found.gaps or dict(found.contents) != only:
        return f"{written.script} would run more than what was written there, so it is not trusted; {HINT}"
    try:
        with open_database(place.home) as store:
            remember_hooks(store, place.root, [TrustItem(hook, found.hex, trusted=True)])
    except StoreError as error:
        return f"it is not trusted, because that cannot be written down ({error}); {HINT}"
    return ""


def warn_language(root: str, language: str) -> list[str]:
    """A stub that an older Node cannot run in this package."""
    if language != "typescript" or not _is_module_package(root):
        return []
    return ["package.json says `type: module`: there, a .ts file needs Node 22.18 or later"]


def _is_module_package(root: str) -> bool:
    """Whether the nearest package.json makes every file a module."""
    for folder in MODULE_FOLDERS:
        try:
            said = json.loads((Path(root, folder) / "package.json").read_bytes())
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return False
        return isinstance(said, dict) and said.get("type") == "module"
    return False
