import tomllib
from pathlib import Path

import pytest

from synaptic.hooks.edit import disable_policies, enable_policies
from synaptic.model.errors import DeclarationError

MINE = """# my settings
trust = "ask"   # never change this

presets = [
    "essentials", # the default
]

[policies."audit.tool-use"]
longest = 80 # short
"""


def test_the_file_is_created_with_the_default_preset_kept(tmp_path: Path):
    path = tmp_path / "new/config.toml"
    assert enable_policies(path, ["@sane", "audit.tool-use"])
    assert tomllib.loads(path.read_text()) == {
        "presets": ["essentials", "sane"],
        "policies": {"audit.tool-use": {"enabled": True}},
    }


def test_comments_order_and_other_keys_stay(tmp_path: Path):
    path = tmp_path / "config.toml"
    path.write_text(MINE)
    enable_policies(path, ["@sane", "audit.tool-use"])
    text = path.read_text()
    assert all(line in text for line in ("# my settings", "# never change this", "# the default", "# short"))
    assert tomllib.loads(text)["presets"] == ["essentials", "sane"]
    assert tomllib.loads(text)["policies"]["audit.tool-use"] == {"longest": 80, "enabled": True}


def test_twice_is_the_same_bytes(tmp_path: Path):
    path = tmp_path / "config.toml"
    enable_policies(path, ["@sane", "audit.tool-use"])
    before = path.read_bytes()
    assert not enable_policies(path, ["@sane", "audit.tool-use"])
    assert path.read_bytes() == before


def test_switching_off_what_was_switched_on(tmp_path: Path):
    path = tmp_path / "config.toml"
    enable_policies(path, ["@sane", "audit.tool-use"])
    disable_policies(path, ["@essentials", "@sane", "audit.tool-use"])
    assert tomllib.loads(path.read_text()) == {"presets": [], "policies": {"audit.tool-use": {"enabled": False}}}


@pytest.mark.parametrize(
    ("name", "message"), [("@saen", "did you mean `@sane`?"), ("audit.tool-us", "did you mean `audit.tool-use`?")]
)
def test_an_unknown_name_changes_nothing(tmp_path: Path, name: str, message: str):
    path = tmp_path / "config.toml"
    with pytest.raises(DeclarationError, match=r"there is no") as error:
        enable_policies(path, ["@sane", name])
    assert message in str(error.value)
    assert not path.exists()


@pytest.mark.parametrize("text", ["presets = [", "presets = 3", "policies = 3", "policies.'audit.tool-use' = 3"])
def test_a_file_that_cannot_be_edited_stays_as_it_is(tmp_path: Path, text: str):
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(DeclarationError, match=str(path)):
        enable_policies(path, ["@sane", "audit.tool-use"])
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_and_its_mode_survive(tmp_path: Path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    real.chmod(0o600)
    (tmp_path / "config.toml").symlink_to(real)
    enable_policies(tmp_path / "config.toml", ["@sane"])
    assert (tmp_path / "config.toml").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert "sane" in real.read_text()
