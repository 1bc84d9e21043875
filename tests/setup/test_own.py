"""Files of our own among an agent's: never over somebody else's, and gone without a trace."""

import pytest

from synaptic.agents.base import OwnFile
from synaptic.agents.shared import record
from synaptic.agents.shared.ours import OWN_FILE_NOTE
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import own


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".synaptic").mkdir()
    return Home(tmp_path / ".synaptic")


@pytest.fixture
def script(tmp_path):
    return OwnFile(tmp_path / "agent" / "hooks" / "PreToolUse", f"#!/bin/sh\n# {OWN_FILE_NOTE}\n", 0o755)


def test_a_file_is_made_once_and_goes_with_its_folders(home, script, tmp_path):
    assert own.put_own_file(home, script, "cline")
    assert script.path.stat().st_mode & 0o777 == 0o755
    assert not own.put_own_file(home, script, "cline")
    assert own.take_own_file(home, script.path)
    assert not (tmp_path / "agent").exists()
    assert not own.take_own_file(home, script.path)
    assert record.load_record(home).settings == {}


def test_an_older_or_unexecutable_one_is_brought_up_to_date(home, script):
    own.put_own_file(home, script, "cline")
    script.path.write_text(f"# older, {OWN_FILE_NOTE}\n")
    assert own.put_own_file(home, script, "cline")
    script.path.chmod(0o644)
    assert not own.is_file_current(script)
    assert own.put_own_file(home, script, "cline")
    assert own.is_file_current(script)


def test_a_users_own_file_is_refused_and_not_taken(home, script):
    script.path.parent.mkdir(parents=True)
    script.path.write_text("#!/bin/sh\necho mine\n")
    with pytest.raises(SettingsError, match=r"PreToolUse: is a file of your own.*rename it"):
        own.put_own_file(home, script, "cline")
    assert not own.take_own_file(home, script.path)
    assert script.path.read_text() == "#!/bin/sh\necho mine\n"


def test_a_folder_that_others_use_goes_when_they_are_done(home, script, tmp_path):
    """The folders that were made for the first file are shared by the second."""
    other = OwnFile(tmp_path / "agent" / "plugins" / "x.js", f"// {OWN_FILE_NOTE}\n")
    own.put_own_file(home, script, "cline")
    own.put_own_file(home, other, "opencode")
    own.take_own_file(home, script.path)
    assert (tmp_path / "agent").exists()
    own.take_own_file(home, other.path)
    assert not (tmp_path / "agent").exists()
    assert record.load_record(home).folders == ()
