"""Which failure a text tells of: the same words for the same failure, whatever lines, times and places it names."""

import hashlib
import re

MAX_READ = 40_000
"""Characters of a failure's text that are read: its beginning and its end."""
MAX_LINES = 12
"""Lines that tell which failure it was."""
MAX_LINE = 400
"""Characters of each of them."""
MAX_SHOWN = 80
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\r")
EXIT_LINE = re.compile(r"\A\s*(?:Error: )?Exit code \d+\s*", re.IGNORECASE)

FAILED_TEST = re.compile(
    r"(?:FAILED|ERROR) (?P<pytest>\S+?::.+)"
    r"|(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\))"
    r"|\s*--- FAIL: (?P<go>\S+).*"
    r"|test (?P<cargo>\S+) \.\.\. FAILED"
    r"|\s*not ok \d+ (?:- )?(?P<tap>.+)"
    r"|\s*[●✕✗✖×] (?P<script>\S.*)"
    r"|\s*FAIL\s+(?P<vitest>\S+ > .+)"
    r"|\s*\d+\) (?P<mocha>\S.*)"
    r"|rspec (?P<rspec>\S+ # .+)"
)
"""How test runners name a test that failed, each on a line of its own."""
PYTEST_ERROR = re.compile(r"(\S+?::.*?) - ([A-Za-z_][\w.]*).*")
TELLING = re.compile(
    r"\b(?:error|errors|exception|failed|failure|fatal|panic|panicked|cannot|can't|undefined|unexpected|unresolved|missing)\b"
    r"|\w(?:Error|Exception)\b|\*\*\*",
    re.IGNORECASE,
)

REPLACED = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"https?://\S+", "url"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "id"),
        (r"\b0x[0-9a-f]+\b", "id"),
        (r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?", "time"),
        (r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b", "time"),
        (r"(?:(?<![\w])(?:~|\.{1,2})?|\b[a-z]:\\|\b[\w.@-]+)(?:[/\\][\w.@+-]+)+[/\\]?", "file"),
        (r"\b[\w.-]*\w\.[a-z][a-z0-9]{0,9}(?=:\d|\(\d)", "file"),
        (r"(?<=file)(?::\d+)+|(?<=file)\(\d+(?:,\d+)*\)|(?<=file\"), line \d+", ""),
        (r"\bline \d+(?:[, ]+col(?:umn)? \d+)?|\bcol(?:umn)? \d+", "line"),
        (r"\btmp[\w-]{4,}|\b\w+-of-\w+\b", "temp"),
        (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b", "id"),
        (r"\b\d[\d_.,]*\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|m|min|minutes?|h)\b", "n"),
        (r"(?<![\w.])[-+]?\d[\d_.,]*(?![\w])", "n"),
    )
)
SPACE = re.compile(r"\s+")


def find_cause(text: str) -> str:
    """The failure in a few words, the same for the same failure; nothing where the text does not say."""
    plain = EXIT_LINE.sub("", ESCAPES.sub("", _cut_middle(text)))
    lines = [line[:MAX_LINE].rstrip() for line in plain.splitlines() if line.strip()]
    # Tests by their names: what stands around them is code and values, which change with every edit.
    told = [_name_test(found) for line in lines if (found := FAILED_TEST.fullmatch(line))]
    if not told:
        told = [_normalize(line) for line in [line for line in lines if TELLING.search(line)] or lines]
        told = told[-MAX_LINES:]
    return _shorten("; ".join(dict.fromkeys(filter(None, told))))


def _name_test(found: re.Match[str]) -> str:
    name = found[found.lastgroup or 0]
    # pytest adds the message: its first word is the kind of error, the rest are values.
    if found.lastgroup == "pytest" and (error := PYTEST_ERROR.fullmatch(name)):
        name = f"{error[1]} {error[2]}"
    # A test's folder belongs to its name: two files may have a test of the same name.
    return SPACE.sub(" ", re.sub(r"\s*\(?\d[\d.]*\s?m?s\)?$", "", name)).strip().lower()


def _normalize(line: str) -> str:
    text = line.lower()
    for pattern, new in REPLACED:
        text = pattern.sub(new, text)
    return SPACE.sub(" ", text).strip(" -=_*#~")


def _shorten(cause: str) -> str:
    if len(cause) <= MAX_SHOWN:
        return cause
    return f"{cause[:MAX_SHOWN].rstrip()} #{hashlib.sha256(cause.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _cut_middle(text: str) -> str:
    half = MAX_READ // 2
    return text if len(text) <= MAX_READ else f"{text[:half]}\n{text[-half:]}"
