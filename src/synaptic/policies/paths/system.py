"""Files of the system written by an agent."""

from collections.abc import Iterator
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.paths import Standpoint, inside
from synaptic.parse.places import SYSTEM, Place, Places
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.reading import elsewhere, places, reading
from synaptic.policies.secrets.private import meanings, named_paths

FREE = ("/usr/local", "/opt", "/srv", "/var/www", "/var/tmp", "/run/user", "/var/folders")
DEVICES = ("/dev", "/proc/self/fd", "/proc/thread-self/fd")


class System(Policy):
    """Writing into the trees that belong to the machine.

    ## What it does
    Denies tools and shell commands that write below `/etc`, `/usr`, `/bin`, `/boot`, `/var`, `/System` and their like,
    also under a mount point. Reading is fine, package managers are fine, `free` trees and the project itself are fine.
    ## Why
    A wrong line there breaks logins, networks or the start of the machine, for everyone who uses it.
    ## Known gaps
    Programs that write without naming the file (`make install`) are not looked at. In shell commands links are not
    followed.
    """

    id = "paths.system"
    events = (PreToolUse,)
    priority = 20
    preset = "essentials"
    needs = ("extra_roots", "real_paths")

    free: Annotated[tuple[str, ...], FEWER] = FREE
    """System trees in which files may be written."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        at = places(event, facts)
        path = next((path for path in _written(event, facts, at) if self._closed(path, at)), "")
        if not path:
            return None
        return deny(
            f"{path!r} belongs to the system. Write inside the project and tell the user what to put there, or use the "
            "package manager."
        )

    def _closed(self, path: str, at: Places) -> bool:
        if (at.project and path.startswith(f"{at.project}/")) or inside(path, (*self.free, *DEVICES)):
            return False
        low = path.lower()
        return (inside(low, SYSTEM) or low.startswith(("/mnt/", "/media/"))) and at.of(path) is Place.SYSTEM


def _written(event: PreToolUse, facts: Facts, at: Places) -> Iterator[str]:
    stand = Standpoint(at.cwd, at.home)
    found = reading(event, facts)
    if found is not None:
        for target in found.targets:
            if target.word.known and not (target.command and elsewhere(target.command)):
                yield target.path
    elif event.tool.edits:
        for text in named_paths(event.tool):
            yield from meanings(text, stand, facts.real_paths)
