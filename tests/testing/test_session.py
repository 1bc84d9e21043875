"""An engine for tests, and what its outcomes answer."""

from pathlib import Path

import pytest

from synaptic.testing import EngineSession


@pytest.fixture
def session(tmp_path: Path):
    made = EngineSession(tmp_path)
    yield made
    made.close()


def test_built_in_policies_are_asked_too(session: EngineSession):
    session.check("git push --force").rewritten_by("git.force-push")
    session.check("git reset --hard").denied_by("git.reset-hard")


def test_an_answer_of_no_raises(session: EngineSession):
    for wrong in ("asked_by", "allowed_by", "rewritten_by", "silent"):
        with pytest.raises(AssertionError, match="none by nobody"):
            getattr(session.check("ls"), wrong)("acme.x")
    with pytest.raises(AssertionError, match="without 'word'"):
        session.check("ls").advised("word")


def test_it_is_never_put_before_a_real_installation(session: EngineSession, tmp_path: Path):
    session.home.bin.mkdir(parents=True)
    session.home.dispatch.touch()
    with pytest.raises(ValueError, match="is a real installation"):
        EngineSession(tmp_path)
