"""Write a policy of one's own with its cases: the file is asked once, and what is wrong with it is said at once."""

import hashlib
from pathlib import Path

import msgspec

from synaptic.cli.hook_new import trust_written
from synaptic.cli.place import CommandPlace, require_root
from synaptic.files.place import place_file
from synaptic.hooks.config import list_own_groups, may_be_outside
from synaptic.hooks.scaffold import WrittenHook
from synaptic.model.errors import DeclarationError
from synaptic.model.outside import POLICY_FOLDER

POLICY_STUB = '''\
"""{name}: say in a line what these policies are about."""

from synaptic.sdk import Facts, PreToolUse, Verdict, deny, policy


@policy("{name}", events=(PreToolUse,), tools=("Bash",), priority=30)
def {function}(event: PreToolUse, facts: Facts) -> Verdict | None:
    """Deployments that nobody has asked for.

    ## What it does
    Denies the program `deploy`.
    ## Why
    Write down what would go wrong without this.
    """
    if facts.command and "deploy" in facts.command.programs:
        return deny("Ask the user to deploy; prepare everything else.")
    return None
'''
CASES_STUB = """\
[[case]]
name = "the program itself, in whatever folder"
bash = "cd app && deploy --all"
want = "deny"

[[case]]
name = "only its name"
bash = "echo deploy"
want = "none"
"""


class WrittenPolicy(msgspec.Struct, frozen=True):
    """Both files, and why the policy does not run yet; empty where it does."""

    code: Path
    cases: Path
    doubt: str = ""


def write_policy(place: CommandPlace, name: str, in_project: bool) -> WrittenPolicy:
    """Write both files. Raises DeclarationError, with nothing written, for a bad name and for one that is taken."""
    if not may_be_outside(name):
        taken = ", ".join(sorted(list_own_groups()))
        raise DeclarationError(f"`{name}` is no id for a policy of your own", hint=f"acme.no-deploys; not {taken}")
    root = Path(require_root(place)) if in_project else None
    folder = (root / ".synaptic" if root else place.home.root) / POLICY_FOLDER
    stem = name.replace(".", "_").replace("-", "_")
    code, cases = folder / f"{stem}.py", folder / f"{stem}.toml"
    for path in (code, cases):
        if path.exists() or path.is_symlink():
            raise DeclarationError("is there already", where=str(path), hint="choose another name")
    text = POLICY_STUB.format(name=name, function=name.partition(".")[2].replace("-", "_")).encode()
    place_file(root, code, text)
    place_file(root, cases, CASES_STUB.encode())
    return WrittenPolicy(code, cases, _agree_to(place, root, code, text) if root else "")


def _agree_to(place: CommandPlace, root: Path, code: Path, text: bytes) -> str:
    """A file in a project is trusted as it was written here; else why it is not."""
    name = code.relative_to(root).as_posix()
    return trust_written(place, WrittenHook(definition=name, script=name, sha256=hashlib.sha256(text).hexdigest()))
