"""One question for the anchors of all shapes: where in a text might a secret begin?

It may say yes too often and never too seldom: whoever asks looks at the anchors themselves afterwards. Redaction
spends nearly all of its time here, so every branch begins with what ends it soonest in ordinary texts.
"""

import re
from collections.abc import Iterable, Iterator

from synaptic.store.shapes import DASH_TOKENS, HEX_BEFORE, OPTIONS, PLAIN_TOKENS, URL_TOKENS
from synaptic.store.vendors import UNDERSCORE_TOKENS

COMMON_HEADS = "cpu._:gywbkv-x"
"""First letters of anchors, the most frequent in texts first."""

QUICK_QUESTIONS = {
    ":": (
        r"/(?=\\?/)|\\(?=/\\?/)|\{(?=s)|[0-9](?=[0-9]{3,4}:[a-z_*][a-z0-9_\-]{0,64}:[a-z_])"
        r"|(?<=[0-9sp]:)(?:(?<=[0-9]{8}:)|(?<=pass:)|(?<=/p:))"
    ),
    ".": r"(?=[a-z0-9_\-]{6}(?:\.[a-z0-9_\-]{27}|[a-z0-9]{18}))(?:(?<=s\.)|(?<=[a-z0-9_\-]{24}\.))",
}
"""For first letters whose anchors all look around at once: what is common to them, asked before each of them."""

PREFIX_END = re.compile(r"(?:\[[a-z]+\]|[a-z0-9_]){2}_$")
_SHARED = (DASH_TOKENS, OPTIONS, HEX_BEFORE, PLAIN_TOKENS, URL_TOKENS)
_LOOK_BACK = re.compile(r"\(\?<=(?P<before>(?:[^()\\]|\\.)*)\)(?P<letter>[a-z0-9\-]|\\.)(?![?*+{])(?P<after>.*)")
_HEX_TOKEN = re.compile(r"\(\?<=(?P<before>[a-z]+)\)\(\?=\[0-9a-f\]\{32\}.*")


def compile_anchors(anchors: Iterable[str]) -> re.Pattern[bytes]:
    """One alternation, one branch per first letter, no groups: only then can `re` skip to the next candidate letter."""
    rests: dict[str, list[str]] = {head: [] for head in COMMON_HEADS}
    for anchor in anchors:
        rests.setdefault(anchor[0], []).append(anchor[1:])
    branches = (f"{re.escape(head)}(?:{_ask(head, found)})" for head, found in rests.items())
    return re.compile("|".join(branches).encode())


def _ask(head: str, rests: list[str]) -> str:
    return QUICK_QUESTIONS.get(head) or "|".join(_share_beginnings(rests))


def _share_beginnings(rests: list[str]) -> Iterator[str]:
    """What begins alike is asked for its beginning once, and after all that begins with a letter."""
    yield from dict.fromkeys(_put_letter_first(rest) for rest in rests if not rest.startswith(_SHARED))
    shared = {start: _join_rests(start, [rest for rest in rests if rest.startswith(start)]) for start in _SHARED}
    if shared[DASH_TOKENS]:
        yield rf"(?<=[txksyilou\-]-)(?:{shared[OPTIONS]}|{shared[DASH_TOKENS]})|{shared[HEX_BEFORE]}"
    if shared[PLAIN_TOKENS]:
        ends = "|".join(_list_prefix_ends())
        yield rf"(?=[a-z0-9_\-]{{12}})(?<={ends})(?:{shared[PLAIN_TOKENS]}|{shared[URL_TOKENS]})"


def _list_prefix_ends() -> list[str]:
    """The last two letters of prefixes that end in an underscore: one look back in place of one for each prefix."""
    ends = (PREFIX_END.search(prefix) for token in UNDERSCORE_TOKENS for prefix in token.prefixes)
    return sorted({end[0] for end in ends if end})


def _join_rests(start: str, rests: list[str]) -> str:
    return f"{start}(?:{'|'.join(dict.fromkeys(rest.removeprefix(start) for rest in rests))})" if rests else ""


def _put_letter_first(rest: str) -> str:
    """`(?<=passw)ord` as `o(?<=passwo)rd`: a letter that differs ends a branch sooner than a look back."""
    if found := _LOOK_BACK.fullmatch(rest):
        return f"{found['letter']}(?<={found['before']}{found['letter']}){found['after']}"
    if found := _HEX_TOKEN.fullmatch(rest):
        return f"[0-9a-f](?<={found['before']}[0-9a-f])(?=[0-9a-f]{{31}})"
    return rest
