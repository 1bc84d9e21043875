"""Work in the project that git does not hold, deleted or emptied."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.loss import UNTRACKED, LostWork
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS


class UncommittedLoss(Policy):
    """Deleting work of the project that is in no commit.

    ## What it does
    Denies deleting or emptying tracked files of the project that have changes in no commit, and names them: `rm -rf
    src`, `rm notes.md`, `find . -name '*.py' -delete`, `xargs rm`, `shutil.rmtree('src')`, `truncate -s 0 notes.md`,
    `: > notes.md`. A staged change counts in a folder, a pattern or a search; a single file comes back from the index.
    Asks before a folder or a search takes source files that git does not know and that are older than the session.
    What this session has written itself is free, and so are files without changes (git has them), ignored files,
    caches, what a build makes again, a project without git, and a line that keeps the work first: `git stash && rm -rf
    src`, `git commit -am wip && rm -rf src`, `cp -r src src.bak && rm -rf src`.
    ## Why
    The project may be changed freely because git brings back what it holds. What nobody has committed it does not
    hold, and a person who has changed it may not even know that it is gone.
    ## Known gaps
    What a search picks out by age or content, what only the shell knows (`rm "$FILE"`), repositories inside the project
    and submodules are not looked at. A file that the session has written counts as its own, also where a person had
    changed it before. Where the repository cannot be looked at, it is free.
    """

    id = "files.uncommitted-loss"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 24
    preset = "essentials"
    needs = ("deleted_work",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        lost = facts.deleted_work
        changed = tuple(one for one in lost.files if one.note != UNTRACKED)
        if changed:
            return deny(
                f"This deletes changes that are in no commit: {LostWork(files=changed, more=lost.more)}. Put them "
                "aside first with `git stash push -u -- <paths>`, or commit them; then they may go."
            )
        if lost.files:
            return ask(
                f"This deletes what git does not know, and what was there before this session: {lost}. Commit it, or "
                "put it aside with `git stash push -u -- <paths>`; or let the user say whether it may go."
            )
        return None
