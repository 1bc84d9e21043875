"""The looks of a command that destroys, in text that may be run in ways that nobody can follow."""

import re
from collections.abc import Iterator
from itertools import islice

IN_LINE = r"[^;&|\n]{0,300}"
GIT_LOSSES = (
    rf"reset\b{IN_LINE}--(?:h|me)|clean\s+-|checkout\s+(?:-f|--force|--\s|\.|HEAD)|checkout-index\s|restore\s+\S"
    rf"|stash\s+(?:drop|clear)|branch\s+-\w*D|push\s{IN_LINE}(?:-f\b|--force|--delete|--mirror|\s[+:]\w)|reflog\s+(?:expire|delete)"
    r"|update-ref\s+-d|worktree\s+remove|filter-branch|read-tree\s|switch\s+(?:-f|--discard)|rm\s+-\w*f"
)
DESTROYING = re.compile(
    r"rm\s+(?:-\S+\s+)*(?:-\w*[rR]|--r)"
    rf"|git\s+(?:-\S+\s+(?:\S+\s+)?){{0,3}}(?:{GIT_LOSSES})"
    rf"|find\s{IN_LINE}-(?:delete|exec(?:dir)?\s+(?:rm|unlink|shred))|\b(?:shred|wipefs|mkfs[\w.]{{0,12}}|rimraf)\s+\S"
    rf"|\bdd\s{IN_LINE}of=|\bch(?:mod|own)\s+(?:-\S+\s+)*-\w*R|\btruncate\s+-|\brsync\s{IN_LINE}--(?:del|remove)"
    rf"|(?:cat|head|tail|less|base64|xxd|od|strings|sed|grep|tee|cp)\s{IN_LINE}(?:\.ssh/|\.aws/|\.gnupg/|\.netrc|id_rsa|id_ed)"
)
"""Where such a command begins."""
HINT = re.compile(r"rm|git|find|shred|wipefs|mkfs|rimraf|dd|ch(?:mod|own)|truncate|rsync|\.ssh|\.aws|\.gnupg|netrc|id_")
"""What every such text holds."""
MAX_LOOKED_AT = 20_000
"""Characters of one text."""
MAX_FOUND = 8
QUOTES = ("'", '"')
CLOSING_MARKS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def may_destroy(text: str) -> bool:
    """Whether a text holds the beginning of a command that destroys."""
    return HINT.search(text) is not None and DESTROYING.search(text[:MAX_LOOKED_AT]) is not None


def find_destroying(text: str) -> Iterator[str]:
    """The commands in a text that destroy, each up to the quote that closes what it stands in, or up to the end."""
    if HINT.search(text) is None:
        return
    text = text[:MAX_LOOKED_AT]
    for found in islice(DESTROYING.finditer(text), MAX_FOUND):
        mark = text[found.start() - 1 : found.start()]
        if mark == "!" and text[found.start() - 2 : found.start() - 1] in QUOTES:
            mark = text[found.start() - 2]  # the value of an alias of git
        end = text.find(CLOSING_MARKS.get(mark, mark), found.start()) if mark and mark in "\"'`([{</|!" else -1
        yield text[found.start() : end] if end > 0 else text[found.start() :]
