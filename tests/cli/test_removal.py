"""Entries of a registry that are taken out again: those, and no other."""

import json
import tomllib

from tests.cli.conftest import User

ALPHA = """\
# mine
[[hook]]
event = "PreToolUse"
matcher = "Bash"
skill = "alpha"
command = "true"
priority = 5
"""
BETA = ALPHA.replace("alpha", "beta").replace("# mine\n", "")


def test_removal_takes_exactly_its_own_entries(user: User):
    """S0-065: also when somebody has added an entry in the meantime."""
    user.settings.parent.mkdir()
    hook = {"type": "command", "command": "echo done"}
    user.settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    user.home.registry.parent.mkdir(parents=True)
    user.home.registry.write_text(ALPHA)
    user.types("bootstrap")
    assert user.types("import", "claude").code == 0
    user.home.registry.write_text(user.home.registry.read_text() + "\n" + BETA)

    assert user.types("import", "claude", "--undo").code == 0

    left = user.home.registry.read_text()
    assert [entry["skill"] for entry in tomllib.loads(left)["hook"]] == ["alpha", "beta"]
    assert "# mine" in left
