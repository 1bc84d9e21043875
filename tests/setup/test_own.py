"""Files of our own among an agent's: never over somebody else's, and gone without a trace."""

import pytest

from synaptic.agents.base import OwnFile
from synaptic.agents.shared.ours import OWNED
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import own, record


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".synaptic").mkdir()
    return Home(tmp_path / ".synaptic")


@pytest.fixture
def script(tmp_path):
    return OwnFile(tmp_path / "agent" / "hooks" / "PreToolUse", f"#!/bin/sh\n# {OWNED}\n", 0o755)


def test_a_file_is_made_once_and_goes_with_its_folders(home, script, tmp_path):
    assert own.put(home, script, "cline")
    assert script.path.stat().st_mode & 0o777 == 0o755
    assert not own.put(home, script, "cline")
    assert own.take(home, script.path)
    assert not (tmp_path / "agent").exists()
    assert not own.take(home, script.path)
    assert record.load(home).settings == {}


def test_an_older_or_unexecutable_one_is_brought_up_to_date(home, script):
    own.put(home, script, "cline")
    script.path.write_text(f"# older, {OWNED}\n")
    assert own.put(home, script, "cline")
    script.path.chmod(0o644)
    assert not own.is_current(script)
    assert own.put(home, script, "cline")
    assert own.is_current(script)


def test_a_users_own_file_is_refused_and_not_taken(home, script):
    script.path.parent.mkdir(parents=True)
    script.path.write_text("#!/bin/sh\necho mine\n")
    with pytest.raises(SettingsError, match=r"PreToolUse: is a file of your own.*rename it"):
        own.put(home, script, "cline")
    assert not own.take(home, script.path)
    assert script.path.read_text() == "#!/bin/sh\necho mine\n"


def test_a_folder_that_others_use_goes_when_they_are_done(home, script, tmp_path):
    """The folders that were made for the first file are shared by the second."""
    other = OwnFile(tmp_path / "agent" / "plugins" / "x.js", f"// {OWNED}\n")
    own.put(home, script, "cline")
    own.put(home, other, "opencode")
    own.take(home, script.path)
    assert (tmp_path / "agent").exists()
    own.take(home, other.path)
    assert not (tmp_path / "agent").exists()
    assert record.load(home).folders == ()
