"""Files outside the project destroyed or overwritten."""

from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny, record
from synaptic.model.event import PreToolUse
from synaptic.model.stakes import MADE, PathState, Stakes
from synaptic.model.state import Change
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.files.lost import (
    OWN_AREAS,
    LostPath,
    is_made_before,
    list_lost,
    may_change,
    stays_in_project,
)
from synaptic.policies.reading import SCRATCH_FOLDERS, SHELL_TOOLS, get_work_folders
from synaptic.shell.effects.losses import CUT, DELETE, EDIT, FILL, MOVE, REPLACE, WRITE
from synaptic.shell.paths import is_inside
from synaptic.shell.places import PathArea, WorkFolders, matches_everything
from synaptic.shell.reading import CommandReading
from synaptic.shell.worth import (
    has_build_name,
    is_kept_by_user,
    is_made_again,
    is_program,
    is_throwaway,
    is_user_file,
    is_user_folder,
)

MAX_MADE = 200
"""Paths of one session that are remembered; the oldest are forgotten."""
KEEPING_STATES = frozenset({PathState.MISSING, PathState.EMPTY})
"""What can be there so that nothing is lost."""
SWEEPING_KINDS = frozenset({DELETE, EDIT, CUT, MOVE})
"""What a pattern does to every file that fits."""
DRIVES = ("/Volumes/", "/media/")
"""Where further disks are mounted."""
INSTEAD = "Leave it, or let the user do this; what you make yourself outside the project you may delete again."


class ForeignLoss(Policy):
    """Destroying or overwriting what is neither the project's nor the session's.

    ## What it does
    Asks before a command deletes, overwrites, empties or moves to a scratch folder a file that is there, outside the
    project: `rm ~/notes.md`, `echo x > ~/.bashrc`, `cp a ~/.profile`, `truncate`, `tee`, `ln -sf`, `dd of=`, `mv
    ~/Documents /tmp/old`, the same in Python, Perl or Node, archives over the home folder (`unzip -o x -d ~`), what a
    converter writes (`pandoc a -o ~/b.md`, `ffmpeg -y`, `convert`), and editors that take all lines away (`vim -es -c
    %d -c wq ~/notes.md`). Denies patterns and searches over the home folder (`rm -f ~/*`, `find ~ -name '*.md'
    -delete`, `find ~ -exec sed -i`) and asks before patterns change many files in place (`mogrify`, `exiftool
    -overwrite_original`, `rename`); what a loop empties, overwrites or moves to scratch that a search outside the
    project finds is a question. Editing one named file in place (`sed -i 's/a/b/' ~/.zshrc`) is left alone, unless many
    lines of a file by which the user has set something are taken out without a copy (`sed -i '/export/d' ~/.zshrc`; one
    name is fine). Folders that `rsync --delete` makes like another one count as deleted, unless they are called after
    that (`backup`, `mirror`). The disk is asked whether something would be lost: what is not there, is empty, is only a
    link, or was made by this session is free; so are `scratch` folders, caches and what programs make again
    (`.DS_Store`, `*.pyc`, `node_modules`). Where the agent works in a folder that is no project (no repository, no
    manifest), deleting what the session has not made is a question too; the home folder and what holds it are never a
    project.
    ## Why
    What lies outside the project is the user's own, is in no repository, and no undo brings it back.
    ## Known gaps
    A name that only the shell knows when it runs (`rm "$FILE"`) is not asked about. File tools (`Write`, `Edit`) are
    left to the agent's own questions. What a folder holds that is copied over another one is not compared. Where the
    disk cannot tell, a new file is taken for new unless every user has one of that name.
    """

    id = "files.foreign-loss"
    events = (PreToolUse,)
    tools = (*SHELL_TOOLS, "Write")
    priority = 23
    preset = "essentials"
    needs = ("extra_roots", "stakes")

    scratch: Annotated[tuple[str, ...], FEWER] = SCRATCH_FOLDERS
    """Folders outside the project whose contents may be lost."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is not None and may_change(known):
            at = get_work_folders(event, facts, self.scratch)
            inside = facts.stakes.licensed and stays_in_project(known, at)
            for lost in () if inside else list_lost(known, at):
                if verdict := _judge(lost, facts.stakes, at, known):
                    return verdict
        new = facts.stakes.new
        return record(Change(section=MADE, put=dict.fromkeys(new, True), most=MAX_MADE)) if new else None


def _judge(lost: LostPath, stakes: Stakes, at: WorkFolders, known: CommandReading) -> Verdict | None:
    if lost.area in OWN_AREAS and (stakes.licensed or _is_given_back(lost, stakes, at)):
        return None
    if is_inside(lost.path, (*stakes.made, *at.more)):
        return None
    if lost.loss.kind == MOVE and not _is_moved_away(lost, at):
        return None
    if lost.sweeps:
        return _judge_sweep(lost, stakes, at)
    return next((_make_verdict(lost, path, at) for path in _list_lost_paths(lost, stakes, at, known)), None)


def _is_given_back(lost: LostPath, stakes: Stakes, at: WorkFolders) -> bool:
    """Whether it is what a build makes again, is moved within the folder, or is a part of a project below it."""
    if is_made_again(lost.path, at.project or at.cwd) or lost.into in OWN_AREAS:
        return True
    return any(lost.path.startswith(f"{project}/") for project in stakes.projects)


def _is_moved_away(lost: LostPath, at: WorkFolders) -> bool:
    """Whether what is moved is as good as gone: to a scratch folder, or out of the place where programs look for it."""
    if lost.into is PathArea.SCRATCH:
        return not has_build_name(lost.path)
    if lost.into not in OWN_AREAS:
        return False
    # Of a pattern the path is only the folder: some files of it are brought in every day.
    named = not lost.sweeps and (is_user_folder(lost.path, at.home) or is_user_file(lost.path, at.home))
    return named or (lost.area is PathArea.WHOLE and lost.loss.search is None)


def _judge_sweep(lost: LostPath, stakes: Stakes, at: WorkFolders) -> Verdict | None:
    state = stakes.get_state(lost.path)
    if not _hits_many(lost) or state in KEEPING_STATES:
        return None
    word = lost.loss.word
    named = word.text if lost.loss.search is None else lost.path
    certain = word.known or lost.loss.search is not None
    if certain and (lost.area is PathArea.WHOLE or lost.path == at.home or _is_pattern_over_user(lost, at)):
        return deny(
            f"This would hit every file that fits below {lost.path!r}, which holds the user's own. Name the files that "
            "are meant, after you have listed them, or let the user do this."
        )
    if lost.area in OWN_AREAS:
        return _ask_without_project(named, at)
    if state is PathState.UNKNOWN and lost.path != at.home and not _is_somebodys(lost.path, at):
        return None
    return ask(f"{named!r} is outside the project, and this may {_name_act(lost)} many files there. {INSTEAD}")


def _hits_many(lost: LostPath) -> bool:
    """Whether files that are there are hit; what is written beside those that a search finds is mostly new."""
    search = lost.loss.search
    if lost.loss.kind in SWEEPING_KINDS:
        return True
    return search is not None and lost.loss.kind in (WRITE, REPLACE) and not search.is_copied_into


def _is_pattern_over_user(lost: LostPath, at: WorkFolders) -> bool:
    last = lost.loss.word.text.rpartition("/")[2]
    return lost.loss.search is None and matches_everything(last) and is_user_folder(lost.path, at.home)


def _list_lost_paths(lost: LostPath, stakes: Stakes, at: WorkFolders, known: CommandReading) -> list[str]:
    """Those of the paths at which something would be lost, as far as the disk tells."""
    if lost.loss.kind == FILL:
        return [lost.path] if lost.area is PathArea.WHOLE else []
    state = stakes.get_state(lost.path)
    if lost.below and _is_folder(lost, state, at):
        kept = (path for path in lost.below if not is_throwaway(path, at.home))
        return [path for path in kept if _is_lost(path, lost.loss.kind, stakes, at)]
    if lost.area is PathArea.WHOLE or not _is_lost(lost.path, lost.loss.kind, stakes, at):
        return []
    unsure = state is PathState.UNKNOWN and is_made_before(lost.path, lost.loss.index, known, at)
    return [] if unsure else [lost.path]


def _is_folder(lost: LostPath, state: PathState, at: WorkFolders) -> bool:
    if state is not PathState.UNKNOWN:
        return state in (PathState.FOLDER, PathState.FOLDER_LINK)
    return (
        lost.area is PathArea.WHOLE
        or len(lost.below) > 2
        or lost.loss.word.text[-1:] in ("/", ".")
        or is_user_folder(lost.path, at.home)
    )


def _is_lost(path: str, kind: str, stakes: Stakes, at: WorkFolders) -> bool:
    state = stakes.get_state(path)
    if state in KEEPING_STATES or is_inside(path, stakes.made):
        return False
    if kind == CUT:
        return is_user_file(path, at.home)
    if kind == EDIT:
        return False  # one file that is named and edited is what was meant; patterns and searches are not
    if state is PathState.UNKNOWN:
        # Only what is there is deleted; a file that is written is mostly a new one.
        return is_user_file(path, at.home) if kind in (WRITE, REPLACE) else _is_somebodys(path, at)
    if state in (PathState.LINK, PathState.FOLDER_LINK):
        return state is PathState.LINK and kind == WRITE  # what it leads to is overwritten; a link alone is no loss
    # A program in the place of an older one is how programs are installed.
    return kind in (DELETE, MOVE) or (state is PathState.FILE and not is_program(path))


def _is_somebodys(path: str, at: WorkFolders) -> bool:
    """Whether a path is what a user keeps, or the machine's; elsewhere, as in a box, only the disk could say."""
    return is_kept_by_user(path, at.home) or path.startswith(DRIVES) or at.classify(path) is PathArea.SYSTEM


def _name_act(lost: LostPath) -> str:
    return {DELETE: "delete", MOVE: "move away", EDIT: "change", CUT: "delete lines of"}.get(
        lost.loss.kind, "overwrite"
    )


def _make_verdict(lost: LostPath, path: str, at: WorkFolders) -> Verdict:
    if lost.loss.kind == FILL:
        return ask(
            f"This may overwrite any file in {path!r}, which holds the user's own. Unpack into a new folder and copy "
            "what is needed from there."
        )
    if lost.area in OWN_AREAS:
        return _ask_without_project(path, at)
    return ask(f"This would {_name_act(lost)} {path!r}, which is outside the project. {INSTEAD}")


def _ask_without_project(named: str, at: WorkFolders) -> Verdict:
    return ask(
        f"{named!r} was not made by this session, and {at.project or at.cwd} is no project: no repository keeps a "
        "copy. Let the user say whether it may go."
    )
