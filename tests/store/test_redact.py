"""No secret survives, nothing else is touched, JSON stays JSON."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.store.redact import redact_bytes, redact_text

BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{BODY}\n{BODY}=\n-----END RSA PRIVATE KEY-----"

# (text, the part that must be gone)
SECRETS = [
    (f"sk-ant-api03-{BODY}", BODY),
    (f"sk-proj-{BODY}", BODY),
    (f"sk-{BODY}", BODY),
    *((f"{prefix}_{BODY}", BODY) for prefix in ("ghp", "gho", "ghu", "ghs", "ghr")),
    (f"github_pat_11ABC_{BODY}", BODY),
    (f"glpat-{BODY[:20]}", BODY[:20]),
    ("xoxb-123456789012-abcdefABCDEF", "abcdefABCDEF"),
    ("xoxp-123456789012-123456789012-abcdef0123", "abcdef0123"),
    ("https://hooks.slack.com/services/T00000000/B00000000/abcdefabcdefabcd", "abcdefabcdefabcd"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"),
    ("ASIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    (f"AIza{BODY[:35]}", BODY[:35]),
    (f"ya29.{BODY}", BODY),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "dozjgNryP4J3jVmNHl0w5N"),
    (PEM, BODY),
    (PEM.partition("-----END")[0], BODY),
    (PEM.replace("\n", " "), BODY),
    (PEM.partition("-----END")[0] + "export DB_PASSWORD='correct horse'", "correct horse"),
    (f"npm_{BODY[:36]}", BODY[:36]),
    (f"pypi-AgEIcHlwaS5vcmc{BODY}{BODY}", BODY),
    (f"hf_{BODY[:34]}", BODY[:34]),
    (f"sk_live_{BODY[:24]}", BODY[:24]),
    (f"rk_test_{BODY[:24]}", BODY[:24]),
    (f"whsec_{BODY[:32]}", BODY[:32]),
    (f"SG.{BODY[:22]}.{BODY}abc", BODY[:22]),
    ("0123456789abcdef0123456789abcdef-us12", "0123456789abcdef"),
    (f"123456789:{BODY[:35]}", BODY[:35]),
    ("Authorization: Bearer abcdef.123456", "abcdef.123456"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("curl -H 'authorization: token abc123def'", "abc123def"),
    (f"use Bearer {BODY}", BODY),
    ("Cookie: session=abcdef0123456789; theme=dark", "abcdef0123456789"),
    ("postgres://app:pr0d-pass@db.internal:5432/x", "pr0d-pass"),
    ("git clone https://user:hunter2@example.com/r.git", "hunter2"),
    ("PASSWORD=hunter2", "hunter2"),
    ("export DB_PASSWORD='correct horse'", "correct horse"),
    ('password = "hunter2"', "hunter2"),
    ("password: hunter2", "hunter2"),
    ('{"password": "hunter2"}', "hunter2"),
    ('{"db_password":"with \\"quotes\\" in"}', "quotes"),
    ('{"text": "{\\"client_secret\\": \\"hunter2\\"}"}', "hunter2"),
    ("""{"password": "it's a long one"}""", "long one"),
    ("""password = "it's a long one\"""", "long one"),
    ('{"password": "ends in a backslash\\\\", "x": "y"}', "ends in"),
    ('{"pwd": 12345678}', "12345678"),
    ("mysql --password=hunter2 -u root", "hunter2"),
    ("tool --token abc123def", "abc123def"),
    ("Server=x;User Id=sa;Password=Hunter2Hunter2;", "Hunter2Hunter2"),
    (f"DefaultEndpointsProtocol=https;AccountKey={BODY}{BODY}==", BODY),
    ("api_key: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
    ("X-Api-Key: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
    ("https://api.example.com/?token=abc123def&x=1", "abc123def"),
    ('const apiKey = "9f8e7d6c5b4a"', "9f8e7d6c5b4a"),
    ('{"privateKey":"9f8e7d6c5b4a"}', "9f8e7d6c5b4a"),
    (f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n{BODY}\n", BODY),
]

INNOCENT = [
    "5f2b8c1d9e0a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
    "550e8400-e29b-41d4-a716-446655440000",
    "toolu_01A09q90qw90lq917835lq9",
    "Please write the password reset page; a token budget of 4000 is fine. The secret is to begin.",
    '{"max_tokens": 4096, "input_tokens": 12345, "token_count": 17, "tokens": "many"}',
    "def login(password: str, token: Optional[str] = None) -> bool:",
    "login(password=password, token=self.token, secret=get_secret(), key=None)",
    "password=$DB_PASSWORD token=${TOKEN} secret=<your-secret> api_key={{ api_key }}",
    "kubectl get secret my-secret -o yaml --token-file x",
    "https://example.com/a:b@c http://localhost:8080/x user@example.com",
    "task-management-system-v2-config-2024-final",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    '{"token_type": "Bearer", "secret_name": "db-credentials", "password_hash": "x"}',
    '{"command":"echo token:","description":"abc"}',
    '{"command":"echo password=","description":"abc"}',
    "sk-learn is scikit-learn; the disk-encryption-performance-2024 paper",
    "git push --force-with-lease origin feature/token-refresh",
    "npm_config_registry=https://registry.example.org github_pat_ ghp_short",
    '{"primary_key": "id", "foreign_key": "users.id", "cache_key": "abc123def"}',
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_no_sample_survives(text, secret):
    assert secret in text
    assert secret not in redact_text(text)
    assert "[redacted:" in redact_text(text)


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_no_sample_survives_inside_json_inside_json(text, secret):
    for depth in range(1, 4):
        wrapped = {"tool_input": {"command": f"first line\n{text}\nlast line", "next": "kept"}}
        for _ in range(depth):
            wrapped = {"payload": json.dumps(wrapped)}
        clean = redact_bytes(json.dumps(wrapped).encode())
        assert secret.encode() not in clean
        inner = json.loads(clean)
        for _ in range(depth):
            inner = json.loads(inner["payload"])
        assert inner["tool_input"]["next"] == "kept"


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_stays(text):
    assert redact_text(text) == text
    data = json.dumps({"x": text}).encode()
    assert redact_bytes(data) is data


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_redacting_twice_is_redacting_once(text, secret):
    once = redact_text(text)
    assert redact_text(once) == once


PIECES = st.sampled_from([text for text, _ in SECRETS] + INNOCENT) | st.text(max_size=20)
TRICKY = st.text(alphabet="\"'\\\n =:{}[],psk-@/tokenwrd1$", max_size=40)
VALUES = st.recursive(
    st.none() | st.integers() | PIECES | TRICKY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PIECES | TRICKY, inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
def test_json_stays_json_whatever_is_in_it(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    json.loads(redact_bytes(text.encode("utf-8", "replace")))


@settings(max_examples=80, deadline=None)
@given(sample=st.sampled_from(SECRETS), before=PIECES, after=PIECES)
def test_a_secret_on_a_line_of_its_own_is_found_in_any_company(sample, before, after):
    text, secret = sample
    clean = redact_text(f"{before}\n{text}\n{after}")
    assert secret not in clean or secret in before + after


@pytest.mark.parametrize("joint", ["\n", " "])
def test_no_secret_hides_behind_another(joint):
    """What one shape swallows must not be the beginning of the next secret."""
    befores = [text for text, _ in SECRETS] + INNOCENT
    for before, (text, secret) in ((before, sample) for before in befores for sample in SECRETS):
        clean = redact_bytes(json.dumps([f"{before}{joint}{text}"]).encode()).decode()
        assert secret not in clean or secret in before, (before, text)
        json.loads(clean)


HOSTILE = [
    "sk-", "sk-ant-", "eyJ", "eyJa.", "password=", 'password="', "password:", '"password":"', "token ", "://a:", "://",
    "-----BEGIN RSA PRIVATE KEY-----", "authorization: ", "bearer ", "cookie: a=", "ghp_", "xoxb-", "\\\\", '\\"', "--",
    "--token ", "AIza", "SG.", "a", "_", "password" + "\\" * 50, "secret_key_", "0" * 31 + "-us1", "Private-Lines:",
    "curl ", "curl -u a:", "mysql -", "machine a ", "login a ", "$6$", "?sig=", "UEFTU1dPUkQ", "a'", "\\x67", "a\\\\",
    "a''bcdefghijkl", "-----END RSA PRIVATE KEY-----", "AAAA\n", "echo a | sudo -S ", "%67", "_a1", "-a1", "password>",
    "identified by '", "\n-----END RSA PRIVATE KEY-----", "secrets set ", "chpasswd", "MHcCAQEE", "docf",
    "a1.", ":1234:a",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_input_not_with_its_square(unit):
    def cost(size: int) -> float:
        data = (unit * (size // len(unit) + 1))[:size].encode()
        times = []
        for _ in range(3):
            start = time.process_time()
            redact_bytes(data)
            times.append(time.process_time() - start)
        return min(times)

    small, large = cost(8_000), cost(64_000)
    # Eight times the input: linear is 8, square is 64.
    assert large < 28 * max(small, 0.0005)


@pytest.mark.parametrize("program", ["7z", "at 10:00:07Z", "mysql", "mariadb-dump", "sshpass", "curl", "docker login"])
def test_a_secret_between_a_program_and_its_password_is_found_as_well(program):
    """The time in a log line may end like the name of a program, and a password stand behind other secrets."""
    secret = "s3cretW0rdOfSomebody99"
    text = f"{program} [Fetch] https://me:{secret}@h then mysql -p{secret} or --password {secret}"
    for data in (text.encode(), json.dumps({"line": json.dumps({"url": text})}).encode()):
        assert secret.encode() not in redact_bytes(data)


def test_the_same_object_comes_back_when_there_is_nothing():
    data = b'{"command":"ls -la"}'
    assert redact_bytes(data) is data
