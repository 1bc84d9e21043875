"""Loading a file with policies."""

import hashlib
import sys
from pathlib import Path

import pytest

from synaptic.sdk.load import MODULE_NAME, PolicyFileError, load_policy_file
from synaptic.sdk.neighbours import Accepted, NeighbourFinder

TEXT = '''
from synaptic.sdk import *

@policy("acme.x", events=(Stop,))
def x(event, facts):
    """X."""

class Shared(Policy):
    """What two have in common."""
    is_shared_form = True

class Second(Shared):
    """Second."""
    id = "acme.second"
    events = (Stop, PreToolUse)
'''


@pytest.fixture(autouse=True)
def path_as_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield
    sys.modules.pop(MODULE_NAME, None)


def load_anew(file: str, accepted: Accepted):
    """As a new worker would."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, NeighbourFinder)]
    sys.modules.pop("_words_of_acme", None)
    return load_policy_file(file, "", accepted)


def write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "acme.py"
    file.write_text(text)
    return str(file)


def test_policies_are_found_in_the_order_in_which_they_stand(tmp_path: Path):
    assert list(load_policy_file(write(tmp_path, TEXT), "", None)) == ["acme.x", "acme.second"]


def test_only_what_was_accepted_is_loaded(tmp_path: Path):
    file = write(tmp_path, TEXT)
    known = {file: (hashlib.sha256(TEXT.encode()).hexdigest(),)}
    assert load_policy_file(file, "", known)
    write(tmp_path, f"{TEXT}\nraise SystemExit\n")
    with pytest.raises(PolicyFileError, match="was changed after it was checked"):
        load_policy_file(file, "", known)


def test_a_neighbour_is_imported_as_it_was_accepted_and_no_other(tmp_path: Path):
    text = f"import _words_of_acme\n{TEXT}"
    file, beside = write(tmp_path, text), tmp_path / "_words_of_acme.py"
    beside.write_text("WORD = 1\n")
    known = {file: (hashlib.sha256(text.encode()).hexdigest(),)}
    with pytest.raises(PolicyFileError, match="was changed after it was checked, or nobody"):
        load_anew(file, known)
    whole = {**known, str(beside): (hashlib.sha256(b"WORD = 1\n").hexdigest(),)}
    assert load_anew(file, whole)
    beside.write_text("WORD = 2\n")
    with pytest.raises(PolicyFileError, match="was changed after it was checked"):
        load_anew(file, whole)


def test_a_neighbour_takes_the_place_of_no_module_of_python(tmp_path: Path):
    (tmp_path / "colorsys.py").write_text("raise SystemExit\n")
    assert load_policy_file(write(tmp_path, f"import colorsys\n{TEXT}"), "", None)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("priority = 0", "priority 0 is not within 1 to 99"),
        ("timeout = 60.0", "timeout 60 is not within"),
        ('preset = "mine"', "preset 'mine' is none of"),
        ("events = ()", "it listens to no event"),
    ],
)
def test_a_bad_declaration_names_its_line(tmp_path: Path, line: str, text: str):
    head = 'from synaptic.sdk import *\n\nclass X(Policy):\n    """X."""\n    id = "acme.x"\n'
    body = f"{head}    events = (Stop,)\n    {line}\n"
    with pytest.raises(PolicyFileError, match=text) as caught:
        load_policy_file(write(tmp_path, body), "", None)
    assert str(caught.value).startswith(f"{tmp_path}/acme.py:3: ")
