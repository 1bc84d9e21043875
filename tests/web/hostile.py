"""Texts that want to be more than text, and what is left of a page when they are shown."""

import random
from collections.abc import Iterator
from html.parser import HTMLParser

PIECES = (
    "<script>window.pwned=1</script>", '"><img src=x onerror="window.pwned=1">', "' onmouseover='window.pwned=1",
    "</pre></dd></li>", "<svg/onload=window.pwned=1>", "</title><script>window.pwned=1</script>",
    "</style><style>*{display:none}</style>", "{{ 7 * 7 }}", "{% include 'base.html' %}", "javascript:window.pwned=1",
    "<!--", "-->", "]]>", "&lt;script&gt;", "&#60;b&#62;", "<b hx-get=/timeline>", "\u202e\u2066gnp.exe",
    "\u200b\u200d", "\x1b[31m\x1b]0;x\x07", "\x00", "\ud800", "\udfff", "\r\n", "\u2028", "\ufeff",
    "../../etc/passwd", "<iframe srcdoc='<script>1</script>'>", "<a href=javascript:window.pwned=1>x</a>",
    "\U000e0041", "A" * 3000, "$(rm x)", "`id`", "%00%2f..", "é漢字🙂",
)  # fmt: skip
PLAIN = ("ls", "src/main.py", " ", "git push", "=", "/", "\n")


def make_texts(count: int, seed: int = 21) -> Iterator[str]:
    """So many texts, each of some pieces."""
    chosen = random.Random(seed)
    for _ in range(count):
        yield "".join(chosen.choice(PIECES if chosen.random() < 0.7 else PLAIN) for _ in range(chosen.randint(1, 4)))


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, where its links lead, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[tuple[str, ...]] = set()
        self.links: set[str] = set()
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {(tag,), *((tag, name) for name, _ in attrs)}
        addresses = ("href", "src", "action", "hx-get", "hx-post", "sse-connect")
        self.links |= {value or "" for name, value in attrs if name in addresses}

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.names.add(("comment",))

    def handle_decl(self, decl: str) -> None:
        self.names.add(("declaration", decl.lower()))
