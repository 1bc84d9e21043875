"""The first words of a source file: whether they say what it is for."""

import re

from synaptic.policies.source_files import get_extension

HASH = re.compile(r"#\s*\w")
SLASHES = re.compile(r"//\s*\w")
PYTHON = re.compile(r"[rRbBuU]{0,2}(?:\"\"\"|''')|#\s*\w")
BLOCK = re.compile(r"/\*\*(?!/)|//\s*\w")
RUST = re.compile(r"//[!/]?\s*\w")
GO = SLASHES
HEADER_PATTERNS = {
    **dict.fromkeys(("sh", "bash", "zsh", "rb"), HASH),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "c", "cpp", "h", "hpp", "cs", "java", "kt", "swift", "php"), BLOCK),
    "py": PYTHON,
    "rs": RUST,
    "go": GO,
}
ENCODING = re.compile(r"#.*coding[:=]")
HEADER_TEMPLATES = {
    "py": '"""What this module is for.\n\n@decision DEC-AREA-001\n@title Short title\n@rationale Why\n"""',
    "rs": "//! What this module is for.\n//!\n//! @decision DEC-AREA-001 ... @rationale Why",
    "go": "// Package name says what it is for.\n//\n// DECISION(DEC-AREA-001): what. Rationale: why.",
    **dict.fromkeys(
        ("sh", "bash", "zsh", "rb"),
        "# What this script is for.\n#\n# DECISION: what was chosen. Rationale: why. Status: accepted.",
    ),
}
BLOCK_TEMPLATE = (
    "/**\n * What this file is for.\n *\n * @decision DEC-AREA-001\n * @title Short title\n * @rationale Why\n */"
)


def has_header(path: str, text: str) -> bool:
    """Whether the first meaningful line is a comment that says something. A language nobody knows always passes."""
    pattern = HEADER_PATTERNS.get(get_extension(path))
    return pattern is None or pattern.match(_find_first_line(path, text)) is not None


def choose_template(path: str) -> str:
    """A header to start from."""
    return HEADER_TEMPLATES.get(get_extension(path), BLOCK_TEMPLATE)


def _find_first_line(path: str, text: str) -> str:
    """The first line that is neither blank, nor an interpreter's, nor what every such file begins with."""
    for line in text.lstrip("\ufeff").splitlines():
        plain = line.strip()
        if not plain or plain.startswith("#!") or (get_extension(path) == "php" and plain in ("<?php", "<?")):
            continue
        if ENCODING.match(plain):
            continue
        return plain.removeprefix("<?php").strip() if get_extension(path) == "php" else plain
    return ""
