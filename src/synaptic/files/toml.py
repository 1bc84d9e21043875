"""Read TOML that somebody else may have written: in a time that grows with its length only."""

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 32
STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5})?'  # up to two quotes may stand before the three that end it
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]++|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
"""What has no end goes on to the end of its line or of the text: whatever begins is passed over once."""
KEY_END = re.compile(r"[=\n,\[\]{}]")
"""What stands in no key outside quotes."""


def parse_toml(text: bytes | str) -> dict[str, Any]:
    """Parse a document. Raises ValueError for everything that is none, or has a key of very many parts."""
    content = text if isinstance(text, str) else text.decode()
    if _has_long_key(content):
        raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _has_long_key(text: str) -> bool:
    """Whether some key has very many parts: `tomllib` takes the square of their number, a minute for 64 KiB."""
    if text.count(".") < MAX_KEY_PARTS:
        return False
    bare = STRING_OR_COMMENT.sub("s", text)
    return any(piece.count(".") >= MAX_KEY_PARTS for piece in KEY_END.split(bare))
