"""The list of shapes, compared with detect-secrets where that is installed."""

import re

import pytest
from bench.secret_samples import iter_samples

from synaptic.store.redact import _ANCHORS, _HEADS, redact_text
from synaptic.store.shapes import CASED_SHAPES, SECRET_IDENTIFIER, SECRET_SHAPES
from tests.store.test_redact import BODY, INNOCENT, PEM, SECRETS


def test_every_anchor_starts_with_one_plain_character():
    """Else the search cannot skip from head to head."""
    heads = {anchor[0] for anchors, _ in SECRET_SHAPES.values() for anchor in anchors}
    assert all(not head.isspace() and head not in "([\\" for head in heads)
    assert {chr(head) for head in _HEADS} == heads


def test_every_kind_has_a_sample():
    texts = [*(text for text, _ in [*SECRETS, *MORE]), *(sample.text for sample in iter_samples())]
    marks = set(re.findall(r"\[redacted:([a-z0-9-]+)\]", "".join(map(redact_text, texts))))
    assert marks >= SECRET_SHAPES.keys() | CASED_SHAPES.keys()


MORE = [(f"sq0csp-{BODY}abc", BODY), ("--pass hunter2", "hunter2")]


@pytest.mark.parametrize("value", [b"password", b"self.token", b"None", b"config.db.secret", b"process.env.X"])
def test_code_that_names_a_secret_holds_none(value):
    assert SECRET_IDENTIFIER.fullmatch(value)


ORACLE = [
    "AKIAIOSFODNN7EXAMPLE",
    f'aws_secret_key = "{BODY}"',
    f"AccountKey={BODY}{BODY}abcdef==",
    "https://user:s3cretpw@example.com",
    f"ghp_{BODY[:36]}",
    f"glpat-{BODY[:20]}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
    "0123456789abcdef0123456789abcdef-us12",
    f"//registry.example.org/:_authToken=npm_{BODY[:36]}",
    f"sk-{BODY[:20]}T3BlbkFJ{BODY[:20]}",
    PEM,
    f"pypi-AgEIcHlwaS5vcmc{BODY}{BODY}",
    f"SG.{BODY[:22]}.{BODY}abc",
    "xoxb-123456789012-123456789012-abcdef0123",
    "https://hooks.slack.com/services/T00000000/B00000000/abcdefabcdefabcd",
    f"sq0csp-{BODY}abc",
    f"sk_live_{BODY[:24]}",
    f"123456789:{BODY[:35]}",
    "password = 'hunter2hunter2'",
    "db_pass_secret: 'hunter2hunter2'",
]


HEADER = re.compile("PRIVATE KEY|PuTTY-User-Key")
"""What detect-secrets reports of a private key is its first line, which may stay."""


@pytest.fixture(scope="module")
def oracle():
    util = pytest.importorskip("detect_secrets.core.plugins.util")
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    names = [plugin.__name__ for plugin in util.get_mapping_from_secret_type_to_class().values()]
    quiet = {"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector"}
    plugins = [{"name": name} for name in names if name not in quiet]
    with transient_settings({"plugins_used": plugins}):
        yield lambda text: [
            found.secret_value
            for line in text.splitlines()
            for found in scan_line(line)
            if not HEADER.search(found.secret_value)
        ]


@pytest.mark.parametrize("text", ORACLE)
def test_what_detect_secrets_finds_is_gone(oracle, text):
    found = [secret for secret in oracle(text) if len(secret) > 8]
    clean = redact_text(text)
    assert "[redacted:" in clean
    assert all(secret not in clean for secret in found)


def test_detect_secrets_knows_most_of_the_samples(oracle):
    """The oracle is worth its name only if it finds something."""
    assert sum(bool(oracle(text)) for text in ORACLE) >= 15


def test_detect_secrets_finds_nothing_in_what_was_redacted(oracle):
    for text, _ in SECRETS:
        left = [secret for secret in oracle(redact_text(text)) if "redacted:" not in secret]
        assert all(secret not in text or len(secret) < 6 for secret in left), text


def test_detect_secrets_agrees_that_most_innocent_lines_are(oracle):
    assert sum(not oracle(text) for text in INNOCENT) >= len(INNOCENT) * 0.8


def test_one_question_finds_every_anchor():
    """It may say yes too often and never too seldom: `QUICK_QUESTIONS` are not made from the anchors."""
    anchors = [re.compile(re.escape(anchor[0]) + anchor[1:]) for found, _ in SECRET_SHAPES.values() for anchor in found]
    for text in [*(text for text, _ in [*SECRETS, *MORE]), *ORACLE, *(sample.text for sample in iter_samples())]:
        lowered = text.lower()
        asked = {start for hit in _ANCHORS.finditer(lowered.encode()) for start in range(*hit.span())}
        assert asked >= {len(lowered[: hit.start()].encode()) for one in anchors for hit in one.finditer(lowered)}, text
