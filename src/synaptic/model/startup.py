"""Files that a shell runs whenever it starts, and what an edit puts into one of them, as a command."""

from collections.abc import Iterator, Mapping
from itertools import count
from shlex import quote

STARTUP_TEXT = (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout"
    " .kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xsessionrc .xinitrc config.fish"
)
STARTUP_FILES = frozenset(STARTUP_TEXT.split())


def write_as_command(path: str, given: Mapping[str, object]) -> str:
    """A line of a shell that puts the same text into such a file: whoever judges that judges the edit.

    It is added and not put in place of the file: what an edit takes away is the business of those that judge edits.
    """
    if path.rpartition("/")[2] not in STARTUP_FILES:
        return ""
    text = "\n".join(_iter_texts(given))
    lines = set(text.split("\n"))
    end = next(name for number in count() if (name := f"END{number}") not in lines)
    return f"cat >> {quote(path)} <<'{end}'\n{text}\n{end}" if text else ""


def _iter_texts(given: Mapping[str, object]) -> Iterator[str]:
    edits = given.get("edits")
    for one in (given, *(edits if isinstance(edits, list | tuple) else ())):
        if isinstance(one, Mapping):
            yield from (value for key in ("content", "new_string") if isinstance(value := one.get(key), str) and value)
