"""Secrets made by program, one for each shape that public rule sets describe, and harmless look-alikes.

The shapes are those that gitleaks, detect-secrets and trufflehog have rules for, and those that commands and files
carry without any prefix. No sample is a real secret: every one comes from a generator with a fixed start.
"""

import base64
import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM, HEX, URL = UPPER + LOWER + DIGITS, "0123456789abcdef", UPPER + LOWER + DIGITS + "_-"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


class Sample(NamedTuple):
    """A text, and what of it must not be written down."""

    name: str
    text: str
    secret: str


class SecretMaker:
    """Random letters that are the same in every run, and always hold a digit and a letter."""

    def __init__(self, name: str) -> None:
        self.source = random.Random(name)

    def take(self, letters: str, count: int) -> str:
        made = "".join(self.source.choice(letters) for _ in range(count))
        return f"{made[:1]}7{made[2:]}" if "7" in letters and count > 4 else made


Make = Callable[[SecretMaker], str]


def _token(prefix: str, letters: str, count: int) -> Make:
    return lambda make: prefix + make.take(letters, count)


TOKENS: dict[str, Make] = {
    "anthropic": _token("sk-ant-api03-", URL, 93),
    "openai": lambda make: f"sk-proj-{make.take(ALNUM, 20)}T3BlbkFJ{make.take(ALNUM, 20)}",
    "openrouter": _token("sk-or-v1-", HEX, 64),
    "github personal": _token("ghp_", ALNUM, 36),
    "github oauth": _token("gho_", ALNUM, 36),
    "github app": _token("ghs_", ALNUM, 36),
    "github fine-grained": lambda make: f"github_pat_{make.take(ALNUM, 22)}_{make.take(ALNUM, 59)}",
    "gitlab personal": _token("glpat-", URL, 20),
    "gitlab runner": _token("GR1348941", URL, 20),
    "slack bot": lambda make: f"xoxb-{make.take(DIGITS, 12)}-{make.take(DIGITS, 12)}-{make.take(ALNUM, 24)}",
    "slack app": lambda make: f"xapp-1-A{make.take(UPPER, 9)}-{make.take(DIGITS, 12)}-{make.take(HEX, 64)}",
    "aws id": _token("AKIA", UPPER + "234567", 16),
    "aws temporary id": _token("ASIA", UPPER + "234567", 16),
    "google api": _token("AIza", URL, 35),
    "google oauth secret": _token("GOCSPX-", URL, 28),
    "google access": _token("ya29.", URL, 60),
    "discord bot": lambda make: f"MT{make.take(ALNUM, 22)}.{make.take(ALNUM, 6)}.{make.take(ALNUM, 38)}",
    "discord webhook": lambda make: f"https://discord.com/api/webhooks/{make.take(DIGITS, 18)}/{make.take(URL, 68)}",
    "twilio key": _token("SK", HEX, 32),
    "twilio account": _token("AC", HEX, 32),
    "mailgun": _token("key-", HEX, 32),
    "mailgun signing": lambda make: f"{make.take(HEX, 32)}-{make.take(HEX, 8)}-{make.take(HEX, 8)}",
    "mailchimp": lambda make: f"{make.take(HEX, 32)}-us12",
    "shopify access": _token("shpat_", HEX, 32),
    "shopify secret": _token("shpss_", HEX, 32),
    "shopify private app": _token("shppa_", HEX, 32),
    "digitalocean personal": _token("dop_v1_", HEX, 64),
    "digitalocean oauth": _token("doo_v1_", HEX, 64),
    "digitalocean refresh": _token("dor_v1_", HEX, 64),
    "databricks": _token("dapi", HEX, 32),
    "linear": _token("lin_api_", ALNUM, 40),
    "notion": _token("ntn_", ALNUM, 46),
    "notion before 2024": _token("secret_", ALNUM, 43),
    "vault service": _token("hvs.", URL, 95),
    "vault batch": _token("hvb.", URL, 140),
    "vault legacy": _token("s.", ALNUM, 24),
    "doppler": _token("dp.pt.", ALNUM, 43),
    "doppler service": _token("dp.st.dev.", ALNUM, 43),
    "age": _token("AGE-SECRET-KEY-1", BECH32, 58),
    "npm": _token("npm_", ALNUM, 36),
    "pypi": _token("pypi-AgEIcHlwaS5vcmc", URL, 80),
    "rubygems": _token("rubygems_", HEX, 48),
    "nuget": _token("oy2", LOWER + DIGITS, 43),
    "clojars": _token("CLOJARS_", LOWER + DIGITS, 60),
    "hugging face": _token("hf_", ALNUM, 34),
    "stripe live": _token("sk_live_", ALNUM, 24),
    "stripe restricted": _token("rk_live_", ALNUM, 24),
    "stripe webhook": _token("whsec_", ALNUM, 32),
    "square": _token("sq0csp-", URL, 43),
    "sendgrid": lambda make: f"SG.{make.take(URL, 22)}.{make.take(URL, 43)}",
    "brevo": lambda make: f"xkeysib-{make.take(HEX, 64)}-{make.take(ALNUM, 16)}",
    "telegram": lambda make: f"{make.take(DIGITS, 9)}:AA{make.take(ALNUM, 33)}",
    "grafana service account": lambda make: f"glsa_{make.take(ALNUM, 32)}_{make.take(HEX, 8)}",
    "sonar": _token("squ_", HEX, 40),
    "sentry": _token("sntryu_", HEX, 64),
    "new relic": _token("NRAK-", UPPER + DIGITS, 27),
    "postman": lambda make: f"PMAK-{make.take(HEX, 24)}-{make.take(HEX, 34)}",
    "planetscale": _token("pscale_tkn_", URL, 43),
    "pulumi": _token("pul-", HEX, 40),
    "prefect": _token("pnu_", ALNUM, 36),
    "readme": _token("rdme_", LOWER + DIGITS, 70),
    "shippo": _token("shippo_live_", HEX, 40),
    "duffel": _token("duffel_live_", URL, 43),
    "docker hub": _token("dckr_pat_", URL, 27),
    "circleci": lambda make: f"CCIPAT_{make.take(ALNUM, 22)}_{make.take(HEX, 40)}",
    "netlify": _token("nfp_", ALNUM, 36),
    "posthog": _token("phx_", ALNUM, 43),
    "pinecone": lambda make: f"pcsk_{make.take(ALNUM, 6)}_{make.take(ALNUM, 60)}",
    "langsmith": lambda make: f"lsv2_pt_{make.take(HEX, 32)}_{make.take(HEX, 10)}",
    "typeform": _token("tfp_", ALNUM, 59),
    "figma": _token("figd_", URL, 40),
    "supabase": _token("sbp_", HEX, 40),
    "groq": _token("gsk_", ALNUM, 52),
    "replicate": _token("r8_", ALNUM, 37),
    "perplexity": _token("pplx-", ALNUM, 48),
    "xai": _token("xai-", ALNUM, 80),
    "tavily": _token("tvly-", ALNUM, 32),
    "tailscale": lambda make: f"tskey-auth-{make.take(ALNUM, 12)}CNTRL-{make.take(ALNUM, 32)}",
    "sourcegraph": _token("sgp_", HEX, 40),
    "contentful": _token("CFPAT-", URL, 43),
    "dynatrace": lambda make: f"dt0c01.{make.take(UPPER + '234567', 24)}.{make.take(UPPER + '234567', 64)}",
    "openshift": _token("sha256~", URL, 43),
    "atlassian": _token("ATATT3xFfGF0", URL, 180),
    "bitbucket": _token("ATBB", ALNUM, 32),
    "yandex": _token("AQVN", URL, 36),
    "artifactory": _token("AKCp", ALNUM, 69),
    "easypost": _token("EZAK", ALNUM, 54),
    "azure client": lambda make: f"{make.take(ALNUM, 3)}8Q~{make.take(ALNUM, 34)}",
    "heroku": _token("HRKU-", URL, 60),
    "onepassword": _token("ops_eyJ", ALNUM, 250),
    "infracost": _token("ico-", ALNUM, 32),
    "adobe": _token("p8e-", URL, 32),
    "buildkite": _token("bkua_", LOWER + DIGITS, 40),
    "flutterwave": _token("FLWSECK_TEST-", HEX, 12),
    "fly": _token("fo1_", URL, 43),
    "frame.io": _token("fio-u-", URL, 64),
    "octopus": _token("API-", UPPER + DIGITS, 26),
    "render": _token("rnd_", ALNUM, 32),
    "scalingo": _token("tk-us-", URL, 48),
    "jwt": lambda make: f"eyJ{make.take(ALNUM, 33)}.eyJ{make.take(ALNUM, 60)}.{make.take(URL, 43)}",
}
"""Tokens by the name of who gives them: the whole token counts."""


def _wrap(text: str, width: int = 64) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def _make_der(start: bytes, make: SecretMaker) -> str:
    return base64.b64encode(start + make.source.randbytes(600)).decode()


PKCS1 = bytes.fromhex("308204a40201000282010100")
OPENSSH = b"openssh-key-v1\x00\x00\x00\x00\x04none"


def _iter_carried() -> Iterator[Sample]:
    """Passwords that commands, addresses and files carry."""
    password = "v3ryS3cretWord"
    texts = {
        "curl -u": f"curl -s -u admin:{password} https://example.org/api",
        "curl -u glued": f"curl -uadmin:{password} https://example.org",
        "curl -u quoted": f"curl -X POST -u 'admin:{password}' https://example.org",
        "curl --user": f"curl --user admin:{password} https://example.org",
        "curl --proxy-user": f"curl --proxy-user me:{password} -x proxy https://example.org",
        "curl -u after a header": f'curl -H "Accept: x" -u "admin:{password}" https://example.org',
        "httpie --auth": f"http --auth me:{password} example.org",
        "wget --password": f"wget --user=me --password={password} https://example.org",
        "mysql -p": f"mysql -h db -u root -p{password} app",
        "mysqldump -p quoted": f"mysqldump -uroot -p'{password}' app",
        "mariadb -p": f"mariadb -uroot -p{password}",
        "sshpass -p": f"sshpass -p {password} ssh me@example.org",
        "sshpass -p glued": f"sshpass -p{password} ssh me@example.org",
        "sshpass -p quoted": f"sshpass -p '{password}' scp a b:",
        "docker login -p": f"docker login -u me -p {password} registry.example.org",
        "podman login --password": f"podman login --username me --password {password} example.org",
        "az login -p": f"az login --service-principal -u app -p {password} --tenant t",
        "helm registry login": f"helm registry login -u me -p {password} example.org",
        "mongosh -p": f"mongosh -u me -p {password} --host h",
        "redis-cli -a": f"redis-cli -h h -a {password} ping",
        "ldapsearch -w": f"ldapsearch -x -D cn=me -w {password} -b dc=x",
        "smbclient -U": f"smbclient //h/s -U me%{password}",
        "sqlcmd -P": f"sqlcmd -S h -U sa -P {password} -Q 'select 1'",
        "zip -P": f"zip -P {password} a.zip b",
        "7z -p": f"7z a -p{password} a.7z b",
        "openssl pass:": f"openssl enc -aes-256-cbc -pass pass:{password} -in a",
        "htpasswd -b": f"htpasswd -bc .htpasswd me {password}",
        "chpasswd": f"echo root:{password} | chpasswd",
        "sudo -S": f"echo {password} | sudo -S true",
        "docker login from a pipe": f"echo {password} | docker login -u me --password-stdin example.org",
        "sudo -S from a text": f"sudo -S <<< {password} true",
        "sshpass -e": f"SSHPASS={password} sshpass -e ssh h",
        "aws configure": f"aws configure set aws_secret_access_key {password}",
        "kubectl --from-literal": f"kubectl create secret generic x --from-literal=k={password}",
        "secrets set": f"fly secrets set NAME={password}",
        "az --account-key": f"az storage blob list --account-key {password}",
        "xfreerdp /p:": f"xfreerdp /u:me /p:{password} /v:h",
        "a short name in YAML": f"DB_PASS: {password}",
        "XML element with an attribute": f"<password type='plain'>{password}</password>",
        "an option of several words": f"tool --db-password {password} run",
        "a variable in front": f"PGPASSWORD={password} psql -h db",
        "a short variable": f"export SMTP_PASS={password}",
        "netrc on one line": f"machine example.org login me password {password}",
        "netrc on several lines": f"machine example.org\n  login me\n  password {password}\n",
        "netrc without a machine": f"default login me password {password}",
        "pgpass": f"db.example.org:5432:app:me:{password}",
        "npmrc _auth": f"//r.example.org/:_auth={base64.b64encode(f'me:{password}'.encode()).decode()}",
        "address with user": f"git clone https://me:{password}@example.org/r.git",
        "address with an at sign": f"postgres://me:p@{password}@db/app",
        "address without user": f"redis://:{password}@h:6379/0",
        "address with a token alone": "git clone https://7b9f2c4e8a1d6f3b5c7e@example.org/r.git",
        "address ?token=": f"https://example.org/x?token={password}&a=1",
        "address &access_token=": f"https://example.org/x?a=1&access_token={password}",
        "address ?sig=": "https://x.blob.example.org/c?sv=2022-11-02&sr=b&sig=7Zq%2BabcD3fGhIjKlMnOpQrStUvWxYz%3D",
        "address signed by aws": f"https://b.s3.example.org/k?X-Amz-Date=2&X-Amz-Signature={'7f' * 32}",
        "address ?key=": "https://maps.example.org/x?key=7b9f2c4e8a1d6f3b",
        "XML element": f"<server><username>me</username><password>{password}</password></server>",
        "XML element in another case": f"<ApiKey>{password}</ApiKey>",
        "XML attribute": f'<add key="Password" value="{password}" />',
        "YAML of a container": f"env:\n  - name: DB_PASSWORD\n    value: {password}\n",
        "JSON of a container": f'{{"name": "DB_PASSWORD", "value": "{password}"}}',
        "SQL of a user": f"ALTER USER me WITH PASSWORD '{password}';",
        "SQL identified by": f"CREATE USER me IDENTIFIED BY '{password}';",
        "docker's config": '{"auths": {"example.org": {"auth": "bWU6djNyeVMzY3JldFdvcmQ="}}}',
        "authorization header": "curl -H 'Authorization: Bearer 7b9f2c4e8a1d6f3b5c7e'",
        "API key header": f"curl -H 'X-Api-Key: {password}' https://example.org",
        "cookie header": f"curl -H 'Cookie: session={password}'",
        "connection string": f"Server=h;User Id=sa;Password={password};",
        "storage connection": f"AccountName=a;AccountKey={'7Zq+abcD3fGh' * 7}==;EndpointSuffix=x",
        "kubeconfig": f"client-key-data: {'7ZqabcD3fGhI' * 5}",
        "wireguard": f"PrivateKey = {'7ZqabcD3fGhI' * 3}jKlMnOp=",
    }
    secrets = {
        "npmrc _auth": base64.b64encode(f"me:{password}".encode()).decode(),
        "address with a token alone": "7b9f2c4e8a1d6f3b5c7e",
        "address ?sig=": "7Zq%2BabcD3fGhIjKlMnOpQrStUvWxYz",
        "address signed by aws": "7f" * 32,
        "address ?key=": "7b9f2c4e8a1d6f3b",
        "docker's config": "bWU6djNyeVMzY3JldFdvcmQ",
        "authorization header": "7b9f2c4e8a1d6f3b5c7e",
        "storage connection": "7Zq+abcD3fGh" * 7,
        "kubeconfig": "7ZqabcD3fGhI" * 5,
        "wireguard": "7ZqabcD3fGhI" * 3,
    }
    yield from (Sample(name, text, secrets.get(name, password)) for name, text in texts.items())


def _iter_keys() -> Iterator[Sample]:
    """Private keys, whole and in parts; the middle of a key that has neither end is not among them."""
    make = SecretMaker("keys")
    rsa, ssh = _wrap(_make_der(PKCS1, make)), _wrap(_make_der(OPENSSH, make), 70)
    lines = rsa.splitlines()
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    yield Sample("key", f"{begin}\n{rsa}\n{end}", lines[4])
    yield Sample(
        "key of ssh", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{ssh}\n-----END OPENSSH PRIVATE KEY-----", ssh[71:141]
    )
    yield Sample(
        "key of pgp", f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{rsa}\n-----END PGP PRIVATE KEY BLOCK-----", lines[4]
    )
    yield Sample("first half of a key", f"{begin}\n" + "\n".join(lines[:6]), lines[4])
    yield Sample("second half of a key", "\n".join(lines[6:]) + f"\n{end}", lines[8])
    yield Sample("key without its first line", f"{rsa}\n{end}", lines[4])
    yield Sample("key without both lines", rsa, lines[4])
    yield Sample("key of ssh without both lines", ssh, ssh[71:141])
    yield Sample(
        "key in base64", "tls.key: " + base64.b64encode(f"{begin}\n{rsa}\n{end}\n".encode()).decode(), "LS0tLS1CRUdJTi"
    )
    yield Sample("putty", f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 14\n{rsa}\n", lines[4])


def _iter_stored() -> Iterator[Sample]:
    """What files of passwords hold."""
    make = SecretMaker("stored")
    letters = ALNUM + "./"
    md5, sha, bcrypt = make.take(letters, 22), make.take(letters, 86), make.take(letters, 53)
    yield Sample("htpasswd", f"me:$apr1$7b9f2c4e${md5}", md5)
    yield Sample("htpasswd of bcrypt", f"me:$2y$10${bcrypt}", bcrypt)
    yield Sample("htpasswd of sha", f"me:{{SHA}}{md5}abcde=", f"{md5}abcde")
    yield Sample("shadow", f"root:$6$7b9f2c4e8a${sha}:19000:0:99999:7:::", sha)
    yield Sample(
        "shadow of yescrypt",
        f"me:$y$j9T$7b9f2c4e8a1d6f3b5c7e${make.take(letters, 43)}:19000:::::",
        "7b9f2c4e8a1d6f3b5c7e",
    )
    yield Sample("argon2", f"$argon2id$v=19$m=65536,t=3,p=4$7b9f2c4e8a1d${make.take(ALNUM, 43)}", "7b9f2c4e8a1d")
    env = f"HOST=db\nDB_PASSWORD={make.take(ALNUM, 16)}\nAPI_TOKEN={make.take(ALNUM, 24)}\n"
    for shift in range(3):
        coded = base64.b64encode(f"{'A' * shift}={env}".encode()).decode()
        yield Sample(f"base64 of an .env, shifted by {shift}", f"echo {coded} | base64 -d", coded)
    wrapped = base64.encodebytes((env * 3).encode()).decode().strip()
    yield Sample("base64 of an .env in lines", f"x:\n{wrapped}\n", wrapped.splitlines()[1])


def _iter_disguised() -> Iterator[Sample]:
    """Tokens that are written so that only a shell or a parser puts them together."""
    make = SecretMaker("disguised")
    body = make.take(ALNUM, 36)
    yield Sample("escaped letter of JSON", f'{{"t": "\\u0067hp_{body}"}}', body)
    yield Sample("escaped letter of a shell", f"echo $'gh\\x70_{body}'", body)
    yield Sample("octal letter of a shell", f"printf 'gh\\160_{body}'", body)
    yield Sample("split by quotes", f"echo 'gh'\"p_{body}\"", body)
    yield Sample("split by empty quotes", f"echo gh''p_{body}", body)
    yield Sample("split inside", f"echo ghp_{body[:18]}''{body[18:]}", body[18:])
    yield Sample("split by a backslash", f"echo g\\hp_{body}", body)
    yield Sample("split by the end of a line", f"echo ghp_{body[:18]}\\\n{body[18:]}", body[18:])
    yield Sample("percent-encoded letter", f"https://h/%67hp_{body}", body)
    coded = base64.b64encode(f"ghp_{body}".encode()).decode()
    yield Sample("token in base64", f"echo {coded} | base64 -d", coded)
    yield Sample("token without a digit", f"ghp_{'AbCdEfGhIj' * 4}", "AbCdEfGhIj")
    yield Sample("joined by a plus", f'token("gh" + "p_{body}")', body)
    prefix, coded = ("".join(f"\\x{ord(letter):02x}" for letter in text) for text in ("ghp_", body))
    yield Sample("escaped letter by letter", f"echo $'{prefix}{coded}'", coded)


def iter_samples() -> Iterator[Sample]:
    """Every sample."""
    for name, make in TOKENS.items():
        token = make(SecretMaker(name))
        yield Sample(name, f"the value is {token} here", token)
    yield from _iter_carried()
    yield from _iter_keys()
    yield from _iter_stored()
    yield from _iter_disguised()


def iter_harmless() -> Iterator[tuple[str, str]]:
    """Texts that look like secrets and are none."""
    make = SecretMaker("harmless")
    hashed, digest = make.take(HEX, 40), base64.b64encode(make.source.randbytes(64)).decode()
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + make.source.randbytes(900)).decode()
    der = bytes.fromhex("30820122300d06092a864886f70d01010105000382010f00") + make.source.randbytes(270)
    public = base64.b64encode(der).decode()
    yield "git hash", f"commit {hashed}"
    yield "git diff", f"index {hashed[:7]}..{hashed[7:14]} 100644"
    yield "uuid", "550e8400-e29b-41d4-a716-446655440000"
    yield "sha256", f"sha256:{make.take(HEX, 64)}"
    yield "digest of a lock file", f'"integrity": "sha512-{digest}"'
    yield "hash of requirements", f"--hash=sha256:{make.take(HEX, 64)}"
    yield "go.sum", f"example.org/m v1.2.3 h1:{digest[:43]}="
    yield "image", f"data:image/png;base64,{image}"
    yield "image in lines", _wrap(image, 76)
    yield "public key", f"-----BEGIN PUBLIC KEY-----\n{_wrap(public)}\n-----END PUBLIC KEY-----"
    yield "certificate", f"-----BEGIN CERTIFICATE-----\n{_wrap(public)}\n-----END CERTIFICATE-----"
    yield "ssh public key", f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB{digest[:60]} me@example.org"
    yield "tool call", "toolu_01A09q90qw90lq917835lq9"
    yield "mac address", "link/ether 02:42:ac:11:00:02 brd ff:ff:ff:ff:ff:ff"
    yield "ip address", "2001:0db8:85a3:1234:1000:8a2e:0370:7334"
    yield "user and group", "docker run --user 1000:1000 -u root:root --user node:node image"
    yield "sort", "sort -u a:b | curl -s https://example.org -o x"
    yield "port", "mysql -h db -P 3306 -u root -p app"
    yield "login", "gh auth login --with-token < file; log in with a password reset link; docker login -u me"
    yield "machine", "the machine example has no login and needs a password soon"
    yield "awk", "awk '{print $1$2$3$4$5$6$7$8$9}' file"
    yield "shell variables", 'curl -u "$USER:$PASS" https://example.org; mysql -p"$PW"; sshpass -p $PW ssh h'
    yield "code", "def login(password: str, token: Optional[str] = None) -> Secret: return self.token"
    yield "types", "interface A { password: string; apiKey?: string; token: Token<string> }"
    yield "address", "https://example.org/a?page=2&sort=name&code=404&key=name#x"
    yield "address with a user", "ssh://git@github.example.org:22/o/r.git user@example.org"
    yield "escapes", "printf '\\x1b[31mred\\x1b[0m \\u001b[0m don't it's'"
    yield "placeholder", "curl -u user:$PASSWORD; password=<your password>; token=${TOKEN}; key=xxxxxxxx"
    yield "slug", "disk-encryption-performance-2024-final-version-of-the-long-paper"
    yield "identifier", "secret_manager_client_configuration_for_tests hf_transfer_enabled_by_default_in_tests"
    yield "kubernetes", "kubectl get secret db-credentials -o yaml; kubectl create secret generic x --from-file=y"
    yield "html", '<p>Forgot your password?</p><label>Password</label><input name="password" type="password">'
    yield (
        "words in base64",
        base64.b64encode(b"The quick brown fox jumps over the lazy dog and writes a secret letter").decode(),
    )
