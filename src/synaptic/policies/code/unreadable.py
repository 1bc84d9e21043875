"""Commands of which nobody can say what they do."""

import re

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.names import names
from synaptic.parse.places import Place, Places
from synaptic.parse.shell.limits import MAX_ROUNDS
from synaptic.parse.shell.script import Command, Gap, Script
from synaptic.policies.base import Policy
from synaptic.policies.reading import SHELLS, places, script

VARIABLE = re.compile(r"(?:eval|\w*sh -\w*c) [\"']?\$\{?[\w@*\[\]]+\}?[\"']?")
DECODED = re.compile(r"b64decode|fromhex|decodestring|atob\(|unhexlify|Base64\.decode|unpack\(")
BLUNT = re.compile(r"-\w*r\w*f\w*|-\w*f\w*r\w*", re.IGNORECASE)
DESTROYERS = names("rm dd shred chmod chown mv truncate")
LINE = re.compile(r"(?:rm|dd|mkfs\S*|shred|chmod|chown|sudo|git\s+(?:push|reset|clean|branch|stash))\s")


class Unreadable(Policy):
    """Running text that cannot be known beforehand.

    ## What it does
    Asks before `eval "$X"` and `sh -c "$X"` of an unknown variable, decoded code in other languages, an unknown program
    with the arguments of a deletion (`$TOOL -rf /`), and scripts that are too long or too deep to be read. Denies a
    whole command line that is quoted as one word, which runs nothing. Unknown variables elsewhere are ordinary, and
    so is the output of local programs (`eval "$(ssh-agent)"`).
    ## Why
    What cannot be read cannot be guarded, and a person can look where a policy cannot.
    ## Known gaps
    Code piped into an interpreter from a local file is taken for what it is: code of the project.
    """

    id = "code.unreadable"
    events = (PreToolUse,)
    tools = SHELLS
    priority = 27
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = script(event, facts)
        if found is None:
            return None
        if any(_hidden(gap) for gap in found.unresolved):
            return ask("This runs code that is not known before it runs. Write the command out.")
        at = places(event, facts)
        for command in found.commands:
            if LINE.match(command.argv[0].text):
                return deny(
                    "The whole command line is quoted as one word, which names no program. Write it without quotes."
                )
            if not command.name and _blunt(command, at):
                return ask("An unknown program with the arguments of a deletion. Write the program's name out.")
        if found.truncated:
            return ask(
                f"This cannot be read to its end ({found.truncated}). Split it, or put it into a file to be read."
            )
        if _rounds(found):
            return ask("This destroys more things in a loop than can be looked at. Name them in smaller groups.")
        return None


def _hidden(gap: Gap) -> bool:
    return gap.kind == "code" and (VARIABLE.fullmatch(gap.text) is not None or DECODED.search(gap.text) is not None)


def _blunt(command: Command, at: Places) -> bool:
    if not any(BLUNT.fullmatch(text) for text in command.args):
        return False
    hit = (at.hit(word, command.cwd) for word in command.argv[1:] if word.text[:1] != "-")
    return any(place in (Place.WHOLE, Place.SYSTEM, Place.HERE) for place in hit)


def _rounds(found: Script) -> bool:
    """Whether a loop destroys more items than were read: the last one then stands for the rest."""
    last = [command for command in found.commands if command.looped and command.name in DESTROYERS]
    return len(last) > MAX_ROUNDS and not all(word.known for word in last[-1].argv)
