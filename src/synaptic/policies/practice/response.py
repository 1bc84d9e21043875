"""What an agent says at its end: whether it waits for approval, and whether it leaves the user with nothing to do."""

import re

APPROVAL = re.compile(
    r"do you (?:approve|confirm|want me to proceed)"
    r"|shall i (?:proceed|continue|go ahead|commit|merge|push|start|implement)"
    r"|(?:want|like) me to proceed|ready to [^?.\n]*\?",
    re.IGNORECASE,
)
FORWARD = re.compile(
    r"\?|want me to|shall i|let me know|would you like|should i|next steps?\b|what do you think|ready to|happy to"
    r"|i can also|feel free|go ahead",
    re.IGNORECASE,
)
FULL_STOP = re.compile(r"\b(?:done|finished|completed|all set|that's it|that’s it|wrapped up)\b", re.IGNORECASE)
PLANNED = re.compile(r"\b(?:completed?|created|written|wrote|finished|done|finali[sz]ed|saved)\b", re.IGNORECASE)
IMPLEMENTED = re.compile(r"\b(?:completed?|implemented|finished|done|passing|pass|committed)\b", re.IGNORECASE)
EXECUTED = re.compile(r"\b(?:merged|committed|pushed|executed|completed?|done)\b", re.IGNORECASE)


def waits_for_approval(text: str, answered: re.Pattern[str]) -> bool:
    """Whether a text asks for approval and nothing in it says that the work is done."""
    return APPROVAL.search(text) is not None and answered.search(text) is None


def find_last_paragraph(text: str) -> str:
    """What stands after the last blank line."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return parts[-1] if parts else ""


def is_dead_end(text: str) -> bool:
    """Whether the last paragraph only says that the work is over."""
    last = find_last_paragraph(text)
    if not last or FORWARD.search(last):
        return False
    return FULL_STOP.search(last) is not None
