"""Whether an editor that is told what to do leaves nothing of a file: `vim -c %d -c wq f`, `ed f` with `1,$d`."""

import re

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.read.script import Command

EMPTYING_LINE = re.compile(
    r":?[ \t]*+(?:(?:sil(?:ent)?|keepj\w*)!?[ \t]++)?(?:(?:%|(?:0|1)?,\$?|(?:g|v!)/(?:\.\*?|\^)?/)"
    r"[ \t]*+d(?:elete)?[ \t]*+_?"
    r"|(?:norm(?:al)?!?|exe(?:cute)?[ \t]++[\"']norm(?:al)?!?)[ \t]++(?:gg\"?_?dG|ggVGd|ggVGx|:?%d).*)"
)
"""A line that takes all lines away: `%d`, `1,$d`, `,d`, `g/./d`, `normal ggdG`."""
WRITING_LINE = re.compile(r":?[ \t]*+(?:w|wq|x|xit|wqa|xa|wa|up|update|write|exit|ZZ)(?:!|all)?(?:[ \t]*+q)?")
LINE_ENDS = re.compile(r"[\n|]")
MAX_LINES = 200
"""Lines for an editor that are looked at."""


def leaves_nothing(command: Command, given: Arguments) -> bool:
    """Whether an editor takes all lines of its files away and writes them."""
    told = [word.text for word in given.get_by_role("vim")]
    told += [text[1:] for text in command.args if text[:1] == "+"]
    told.append(command.stdin or "")
    lines = [line.strip() for text in told for line in LINE_ENDS.split(text)][:MAX_LINES]
    return any(map(EMPTYING_LINE.fullmatch, lines)) and any(map(WRITING_LINE.fullmatch, lines))
