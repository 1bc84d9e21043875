"""A refusal that a person calls wrong becomes a case: small, without secrets, and asked again."""

import os
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.decision import Kind
from synaptic.model.errors import DeclarationError, LayerError, SynapticError
from synaptic.policies.base import load_policies
from synaptic.policies.cases import Case, evaluate_case
from synaptic.work import disputed_cases
from synaptic.work.disputed_cases import CasePlace, add_case, judge_cases, write_case
from synaptic.work.disputes import MarkWrong
from synaptic.work.inbox import ListInbox
from tests.work.refusals import PUSH, SECRET, WIPE, RefusedAgent


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[RefusedAgent]:
    made = RefusedAgent(tmp_path)
    yield made
    made.close()


def read_only_case(file: str | Path) -> dict[str, object]:
    (case,) = tomllib.loads(Path(file).read_text())["case"]
    return case


def test_the_case_is_as_small_as_the_call_and_says_what_should_have_been(agent: RefusedAgent):
    code = agent.tries(PUSH, description="because")
    done = agent.does(MarkWrong(code=code))
    assert done.files == (str(agent.home.root / "cases" / "git.force-push.toml"),)
    assert read_only_case(done.files[0]) == {"name": f"{code}: {PUSH}", "want": "none", "bash": PUSH}
    assert stat.S_IMODE(Path(done.files[0]).stat().st_mode) == 0o600
    assert agent.find(code).answer == "wrong"
    assert agent.does(ListInbox()) == ()


def test_it_is_asked_again_and_still_stopped_until_the_policy_lets_it_pass(agent: RefusedAgent):
    agent.does(MarkWrong(code=agent.tries(PUSH)))
    (found,) = judge_cases([CasePlace(agent.home)])
    assert (found.policy, found.says, found.still) == ("git.force-push", "deny", True)
    file = Path(found.file)
    file.write_text(file.read_text().replace("origin main", "--dry-run origin topic"))
    (found,) = judge_cases([CasePlace(agent.home)])
    assert not found.still
    assert list(judge_cases([CasePlace(agent.home)], "git.reset-hard")) == []


def test_no_folder_of_the_user_and_no_content_that_does_not_matter_is_in_it(agent: RefusedAgent):
    code = agent.tries(f"rm -rf {agent.project}")
    done = agent.does(MarkWrong(code=code))
    assert str(agent.project) not in Path(done.files[0]).read_text()
    assert "rm -rf /home/u/project" in Path(done.files[0]).read_text()
    done = agent.does(MarkWrong(code=agent.uses("Write", file_path="/etc/passwd", content="a diary")))
    assert read_only_case(done.files[0])["input"] == {"file_path": "/etc/passwd"}


def test_no_secret_reaches_the_file(agent: RefusedAgent):
    for command in (
        f"curl -H 'Authorization: Bearer {SECRET}' x; {WIPE}",
        f"PASSWORD=correct-horse-battery {WIPE}",
        f"mysql -psecretword99 -e x; {WIPE}",
        f"{WIPE} {'a' * 3990} {SECRET}",
    ):
        code = agent.tries(command)
        for file in agent.does(MarkWrong(code=code)).files:
            text = Path(file).read_text()
            for secret in (SECRET[:12], "correct-horse", "secretword99"):
                assert secret not in text, command


def test_a_call_that_the_journal_has_forgotten_is_still_a_case(agent: RefusedAgent):
    command, edit = agent.tries(PUSH), agent.uses("Write", file_path="/etc/passwd", content="x")
    agent.forges("DELETE FROM events")
    for code in (command, edit):
        (case,) = (read_only_case(file) for file in agent.does(MarkWrong(code=code)).files)
        assert case.get("bash") == PUSH or case["input"] == {"file_path": "/etc/passwd"}


def test_what_a_policy_was_told_beside_the_call_is_said_to_be_missing(agent: RefusedAgent, monkeypatch):
    code = agent.tries(PUSH)
    monkeypatch.setattr("synaptic.work.disputes.find_kind", lambda policy, case: Kind.NONE)
    done = agent.does(MarkWrong(code=code))
    assert done.unclear == ("git.force-push",)
    assert done.files


def test_options_that_made_it_refuse_go_along(tmp_path: Path):
    agent = RefusedAgent(tmp_path, config='[policies."git.force-push"]\nprotected = ["topic"]\n')
    code = agent.tries("git push --force origin topic")
    assert code
    (file,) = agent.does(MarkWrong(code=code)).files
    assert read_only_case(file)["options"] == {"protected": ["topic"]}
    agent.close()


def test_the_same_call_is_one_case_however_often_it_is_said(agent: RefusedAgent):
    code = agent.tries(PUSH)
    first = agent.does(MarkWrong(code=code)).files[0]
    text = Path(first).read_text()
    agent.does(MarkWrong(code=code))
    assert Path(first).read_text() == text


def test_what_people_wrote_stays_and_a_file_that_is_none_is_left_alone(agent: RefusedAgent):
    code = agent.tries(PUSH)
    file = CasePlace(agent.home).locate("git.force-push")
    file.parent.mkdir()
    file.write_text('# mine\n[[case]]\nname = "mine"\nbash = "ls"\nwant = "none"\n')
    agent.does(MarkWrong(code=code))
    assert file.read_text().startswith("# mine\n")
    assert len(tomllib.loads(file.read_text())["case"]) == 2
    other = agent.tries("git push -f origin main")
    for text in (
        "[[case",
        'case = "x"',
        "x = 1\n" * 100_000,
        '[[case]]\nname = "x"\nwant = "none"\ngiven = "nobody"\n',
    ):
        file.write_text(text)
        with pytest.raises(DeclarationError):
            agent.does(MarkWrong(code=other))
        assert file.read_text() == text
        assert agent.find(other).answer == ""


def test_where_nothing_can_be_written_nothing_is_marked(agent: RefusedAgent):
    code = agent.tries(PUSH)
    (agent.home.root / "cases").write_text("a file where the folder should be")
    with pytest.raises((SynapticError, OSError)):
        agent.does(MarkWrong(code=code))
    assert agent.find(code).answer == ""


def test_a_file_that_is_full_takes_no_more(agent: RefusedAgent, monkeypatch):
    monkeypatch.setattr(disputed_cases, "MOST_CASES", 2)
    for number in range(2):
        agent.does(MarkWrong(code=agent.tries(f"{WIPE} {number}")))
    with pytest.raises(DeclarationError, match="as many cases as are read"):
        agent.does(MarkWrong(code=agent.tries(f"{WIPE} 3")))


def test_in_a_project_only_when_that_is_asked_for_and_through_no_link(agent: RefusedAgent, tmp_path: Path):
    code = agent.tries(PUSH)
    done = agent.does(MarkWrong(code=code, project=True))
    assert done.files == (str(agent.project / ".synaptic/cases/git.force-push.toml"),)
    (found,) = judge_cases([CasePlace(agent.home, agent.project)])
    assert found.still
    other = tmp_path / "elsewhere"
    other.mkdir()
    with pytest.raises(LayerError, match="it was refused in"):
        MarkWrong(code=code, project=True).run(agent.context(other))
    Path(done.files[0]).unlink()
    Path(done.files[0]).parent.rmdir()
    Path(done.files[0]).parent.symlink_to(other)
    with pytest.raises(SynapticError):
        agent.does(MarkWrong(code=agent.tries("git push -f origin main"), project=True))
    assert list(other.iterdir()) == []


def test_a_hook_that_is_no_built_in_policy_has_no_case(tmp_path: Path):
    config = '[[rule]]\nid = "npm.publish"\nrun = "npm publish"\nthen = "deny"\nsay = "no"\n'
    agent = RefusedAgent(tmp_path, config=config)
    done = agent.does(MarkWrong(code=agent.tries("npm publish")))
    assert (done.files, done.without, done.call.answer) == ((), ("npm.publish",), "wrong")
    agent.close()


def test_a_case_with_hostile_text_reads_back_as_it_was_and_drives_no_terminal():
    for text in ("a'\"\\\n[[case]]\x1b[2J\x9b\u202e\x00\x7f", "'''\n\"\"\"", "\U000e0041", "#", "é漢"):
        written = write_case(Case(name=f"n {text}", want=Kind.NONE, bash=text, tool="T", input={text: text}))
        (case,) = tomllib.loads(written)["case"]
        assert (case["bash"], case["input"]) == (text, {text: text})
        assert all(letter.isprintable() or letter == "\n" for letter in written)


def test_cases_of_others_break_nothing(agent: RefusedAgent, tmp_path: Path):
    folder = agent.home.root / "cases"
    folder.mkdir()
    texts = {
        "git.force-push": '[[case]]\nname = "x"\nwant = "none"\nevent = "NoSuchEvent"\n',
        "git.reset-hard": '[[case]]\nname = "x"\nwant = "none"\nbash = "ls"\nfacts = {root = 7}\n',
        "no.such": '[[case]]\nname = "x"\nwant = "none"\nbash = "ls"\n',
        "broken": "[[case",
        "deep": "x = " + "[" * 5000,
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    (folder / "binary.toml").write_bytes(b"\xff\xfe")
    (folder / "pipe.toml").parent.mkdir(exist_ok=True)
    os.mkfifo(folder / "pipe.toml")
    found = list(judge_cases([CasePlace(agent.home)]))
    assert len(found) == len(texts) + 2
    assert all(one.trouble and not one.still for one in found)


def test_a_case_that_was_written_is_judged_by_its_policy_alone(agent: RefusedAgent):
    (file,) = agent.does(MarkWrong(code=agent.tries(PUSH))).files
    case = Case(**{**read_only_case(file), "want": Kind.NONE})  # type: ignore[arg-type]
    assert evaluate_case(load_policies()["git.force-push"], case).kind is Kind.DENY


def test_every_case_of_a_policy_can_be_added(agent: RefusedAgent):
    place = CasePlace(agent.home)
    for number in range(5):
        add_case(place, "git.force-push", Case(name=str(number), want=Kind.NONE, bash=PUSH))
    assert [one.case for one in judge_cases([place])] == list("01234")
