"""What the disk says about the paths that a command would lose or make."""

from pathlib import Path

import pytest

from synaptic.facts import stakes
from synaptic.facts.gather import EngineMeans
from synaptic.facts.stakes import MAX_PATHS, gather_stakes
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse, Stop
from synaptic.model.stakes import MADE, NO_STAKES, PathState, Stakes
from synaptic.model.state import Change
from synaptic.policies.files.stayed import MAX_DELETING, MAX_ENTERED
from synaptic.store import state
from tests.facts.places import means


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A home that somebody lives in, with a project and a folder that is none."""
    home = tmp_path / "user"
    (home / "app" / ".git").mkdir(parents=True)
    (home / "papers").mkdir()
    (home / ".bashrc").write_text("export A=1\n")
    (home / "notes.md").write_text("x\n")
    (home / "empty.md").write_text("")
    (home / "link").symlink_to(home / "notes.md")
    (home / "way").symlink_to(home / "papers")
    return home


def ask(user: Path, command: str, folder: str = "app", using: EngineMeans | None = None) -> Stakes:
    cwd = str(user / folder) if folder else str(user)
    event = PreToolUse(tool_name="Bash", tool_input={"command": command}, cwd=cwd, session_id="s1")
    call = Call("c1", "claude", event, {}, root=cwd if folder else "", env={"HOME": str(user)})
    return gather_stakes(call, using or means(user))


def test_each_path_that_would_be_lost_is_looked_at(user: Path) -> None:
    found = ask(user, "rm ~/notes.md ~/empty.md ~/link ~/way ~/gone.md ~/papers")
    assert {Path(path).name: value for path, value in found.states.items()} == {
        "notes.md": PathState.FILE,
        "empty.md": PathState.EMPTY,
        "link": PathState.LINK,
        "way": PathState.FOLDER_LINK,
        "gone.md": PathState.MISSING,
        "papers": PathState.FOLDER,
    }


@pytest.mark.parametrize(
    "command",
    ["ls ~", "cat ~/notes.md | grep x", "make > /dev/null 2>&1", "echo x > out.txt", "rm -rf build", "git status"],
)
def test_for_a_command_that_loses_nothing_outside_no_path_is_looked_at(user: Path, command: str) -> None:
    assert not ask(user, command).states


def test_nothing_on_the_disk_is_asked_for_where_nothing_can_be_lost(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the disk was asked")

    opened = means(user)  # the store looks at its own files
    monkeypatch.setattr(stakes.os, "lstat", refuse)
    monkeypatch.setattr(stakes.os.path, "lexists", refuse)
    for command in ("ls -la", "python3 -m pytest -q tests", "git commit -m 'rm ~/x'", "sed -n 1,9p ~/notes.md"):
        assert ask(user, command, using=opened) is NO_STAKES


def test_a_home_in_which_nobody_lives_says_nothing(tmp_path: Path) -> None:
    home = tmp_path / "stand-in"
    (home / "app" / ".git").mkdir(parents=True)
    assert set(ask(home, "rm ~/notes.md /Volumes/Backup/x").states.values()) == {PathState.UNKNOWN}


def test_a_call_that_starts_where_nothing_is_says_nothing(user: Path) -> None:
    assert ask(user, "rm ~/notes.md", "moved/away").states == {}


def test_only_so_many_paths_are_looked_at(user: Path) -> None:
    many = " ".join(f"~/f{number}" for number in range(MAX_PATHS * 3))
    assert len(ask(user, f"rm {many}").states) == MAX_PATHS


def test_names_that_no_disk_has_are_no_trouble(user: Path) -> None:
    found = ask(user, f"rm ~/{'x' * 5000} ~/{'y' * 300} ~/notes.md/below ~/'a\nb'")
    assert PathState.FILE not in found.states.values()


def test_a_repository_a_manifest_or_a_place_to_work_in_is_a_project(user: Path) -> None:
    assert ask(user, "rm -rf build").licensed
    assert not ask(user, "rm -rf build", "papers").licensed
    (user / "site" / "deep").mkdir(parents=True)
    assert not ask(user, "rm -rf build", "site/deep").licensed
    (user / "site" / "package.json").write_text("{}")
    assert ask(user, "rm -rf build", "site/deep").licensed
    (user / "projects" / "new").mkdir(parents=True)
    assert ask(user, "rm -rf build", "projects/new").licensed


def test_a_repository_below_a_folder_that_is_none_is_a_project(user: Path) -> None:
    (user / "papers" / "tool" / ".git").mkdir(parents=True)
    found = ask(user, "rm -rf tool/src/a.c other/b", "papers")
    assert (found.licensed, found.projects) == (False, (str(user / "papers" / "tool"),))
    assert ask(user, "rm -rf tool", "papers").projects == ()


def test_what_a_command_makes_outside_the_project_is_named_from_its_highest_new_folder(user: Path) -> None:
    assert ask(user, "mkdir -p ~/a/b/c && touch ~/a/x").new == (str(user / "a"),)
    assert ask(user, "echo x > ~/new.txt; echo y > ~/notes.md; echo z > own.txt").new == (str(user / "new.txt"),)
    assert ask(user, "git clone https://x.example/y.git ~/y && cp -r src ~/copy").new == (
        str(user / "copy"),
        str(user / "y"),
    )
    assert ask(user, "cd .. && git clone git@x.example:o/z.git").new == (str(user / "z"),)


def test_what_was_moved_or_linked_is_not_made(user: Path) -> None:
    """Else `mv ~/Documents ~/x` would be the licence to delete it."""
    assert ask(user, "mv ~/papers ~/mine; ln -s ~/papers ~/mine2").new == ()


def test_in_a_project_nothing_of_it_is_noted_and_in_another_folder_all(user: Path) -> None:
    assert ask(user, "mkdir build && echo x > a").new == ()
    assert ask(user, "mkdir drafts && rm -rf old", "papers").new == (str(user / "papers" / "drafts"),)


def test_what_the_session_has_made_is_read_and_licenses_a_folder(user: Path) -> None:
    using = means(user)
    state.write_change(using.store, state.SectionOwner("", "s1"), Change(section=MADE, put={str(user / "fresh"): True}))
    (user / "fresh" / "sub").mkdir(parents=True)
    assert ask(user, "rm ~/notes.md", using=using).made == (str(user / "fresh"),)
    assert ask(user, "rm -rf out", "fresh", using).licensed


def test_a_file_tool_that_makes_a_file_outside_is_noted(user: Path) -> None:
    def write(path: Path) -> tuple[str, ...]:
        event = PreToolUse(tool_name="Write", tool_input={"file_path": str(path)}, cwd=str(user / "app"))
        return gather_stakes(
            Call("c1", "claude", event, {}, root=str(user / "app"), env={"HOME": str(user)}), means(user)
        ).new

    assert write(user / "plan.md") == (str(user / "plan.md"),)
    assert write(user / "notes.md") == ()
    assert write(user / "app" / "a.py") == ()


def test_an_event_without_a_tool_is_no_news(user: Path) -> None:
    assert gather_stakes(Call("c", "claude", Stop(), {}), means(user)) is NO_STAKES


def test_scratch_that_is_worked_in_is_disposable_unless_it_is_a_repository(user: Path) -> None:
    (user / ".cache" / "work" / "sub").mkdir(parents=True)
    assert ask(user, "rm -rf ./*", ".cache/work").disposable
    assert ask(user, "find . -mindepth 1 -delete", ".cache/work").disposable
    assert not ask(user, "ls", ".cache/work").disposable
    assert not ask(user, "rm -rf ./*", "papers").disposable
    (user / ".cache" / "work" / ".git").mkdir()
    assert not ask(user, "rm -rf ./*", ".cache/work").disposable
    assert not ask(user, "rm -rf ./*", ".cache/work/sub").disposable


def test_scratch_is_not_disposable_where_a_link_leads_elsewhere_or_it_is_somebody_elses(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user / ".cache" / "work").mkdir(parents=True)
    (user / ".cache" / "way").symlink_to(user / "papers")
    assert not ask(user, "rm -rf ./*", ".cache/way").disposable
    monkeypatch.setattr(stakes.os, "getuid", lambda: -1)
    assert not ask(user, "rm -rf ./*", ".cache/work").disposable


def test_scratch_that_is_gone_is_not_disposable(user: Path) -> None:
    assert not ask(user, "rm -rf ./*", ".cache/gone").disposable


def test_a_folder_that_is_entered_and_not_there_is_named_where_the_line_goes_on_without_it(user: Path) -> None:
    (user / "app" / "build").mkdir()
    assert ask(user, "cd dist; rm -rf *").absent == (str(user / "app" / "dist"),)
    assert ask(user, "cd dist\nfind . -delete").absent == (str(user / "app" / "dist"),)
    for command in ("cd build; rm -rf *", "cd dist && rm -rf *", "cd dist; ls", "mkdir dist; cd dist; rm -rf *"):
        assert not ask(user, command).absent


def test_a_script_with_many_folders_is_looked_at_within_bounds(user: Path) -> None:
    command = "\n".join(f"cd d{number}\nrm -rf x{number} *.o" for number in range(300))
    assert len(ask(user, command).absent) <= MAX_DELETING * MAX_ENTERED
