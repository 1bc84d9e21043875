"""The shapes of secrets: an anchor where to start looking, and what must follow for it to be a secret.

Anchors are searched in lowercased bytes. Each starts with its rarest letter and looks back for the rest, because the
search is quick only where it can skip to a letter that seldom occurs. What is redacted is group 1 of the shape that
matches right after the anchor. Every shape either fails within a bounded number of bytes or consumes what it read, so
the whole search is linear. No shape crosses a NUL, an unescaped quote or half an escape: JSON stays JSON.
"""

import base64
import re

from synaptic.store.vendors import (
    CASED_TOKENS,
    LETTER_TOKENS,
    RARE_LETTERS,
    UNDERSCORE_TOKENS,
    VendorToken,
)

_START = r"(?:(?<![a-z0-9]{0})|(?<=\\[nrtbf]{0}))"
"""Nothing before it but a JSON escape: `\\nsk-...` starts a word although an `n` stands there."""
START_ANYWHERE = ""
DASH_ENDINGS = tuple(f"{letter}-" for letter in "txksyilou")
CODED_WORDS = (
    "PASSWORD", "password", "SECRET_", "secret_", "_TOKEN", "_token", "API_KEY", "api_key", "PRIVATE KEY", "ghp_",
    "github_pat_", "glpat-", "sk-ant-", "xoxb-",
)  # fmt: skip
"""What files of secrets hold, and tokens themselves: by these they are known in base64."""
_CASED_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"
_NAME = r"[A-Za-z0-9_.\-]{0,40}"
_BODY = (
    # lines of base64, and the headers of an old key; a line of anything else ends it
    r"(?:(?:\s|\\+[nrt])++(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash):[^\r\n\"'\\\0]{0,80}"
    r"|[A-Za-z0-9+/=]++(?=[\r\n\"'\\\0]|--|$)|[A-Za-z0-9+/=]{32,}+(?=\s)))++"
)
_PLACEHOLDER = r"(?![$<{%*\[]|\.\.\.|x{4}|X{4})"
_MORE_NAME = (
    r"(?!e?s?[_\-]?(?i:name|type|field|file|path|url|uri|id|length|limit|count|usage|budget|policy|reset|endpoint|"
    r"expir\w{0,8}|hash|prompt)\b)(?!s\b|iz)"
)
_PLAIN = r"(?:[^\"\\\0]|\\[^\0]){3,}"
_SINGLE = r"(?:[^'\"\\\0]|\\+[^\"\\\0]){3,}"
_DEEP = r"(?:[^\"\\\0]|\\+[^\"\\\0]|(?P={0})(?:\\\\)+\"){{3,}}"
"""Until a quote as deep as the opening one; deeper ones belong to the value, and an even number of backslashes before
a quote ends the outermost string."""
_QUOTED = (
    # a quoted key and its value, at any depth of escaping
    r"(?P<depth>\\*)(?P<quote>[\"'])\]?\s{0,8}(?:=>|:=|[:=])\s{0,8}(?:(?P=depth)(?P=quote)"
    + _PLACEHOLDER
    + r"(?:(?<=[^\\]\")(?P<plain>"
    + _PLAIN
    + r")|(?<=')(?P<single>"
    + _SINGLE
    + r")|(?<=\\\")(?P<deep>"
    + _DEEP.format("depth")
    + r"))|(?P<number>-?\d{4,})(?=\s{0,8}[,}\]]))"
)
_STRING = (
    # name = "value"; a bare double quote that ends a JSON string is followed by , } ] : or a blank
    r"\s{0,8}(?:=>|:=|==?|:)\s{0,8}[bruf]?(?:\"(?![\s,}\]:\0])"
    + _PLACEHOLDER
    + r"(?P<string>"
    + _PLAIN
    + r")|\\*'"
    + _PLACEHOLDER
    + r"(?P<quoted>"
    + _SINGLE
    + r")|(?P<escape>\\+)\""
    + _PLACEHOLDER
    + r"(?P<escaped>"
    + _DEEP.format("escape")
    + r"))"
)
_WORD = r"[^\s\"'\\&;|<>(){}\[\]$,`\0]"
_ENV = r"=" + _PLACEHOLDER + r"(?P<env>" + _WORD + r"{4,}+)(?![(\[])"
_YAML = (
    r"(?:\s{0,8}:\s{0,8}|\s{1,8}=\s{1,8})" + _PLACEHOLDER + r"(?=" + _WORD + r"{0,64}[0-9!@#%^*~+])"
    r"(?P<yaml>" + _WORD + r"{6,}+)(?![(\[])"
)
_LISTED = (
    # the name and the value of a variable as two entries: `"name": "DB_PASSWORD", "value": "..."`, in YAML as well
    r"\\*[\"'](?:\s{0,8},|(?=\s{1,4}v))\s{0,8}(?:\\*[\"'])?(?i:value)(?:\\*[\"'])?\s{0,4}[:=]\s{0,4}\\*[\"']"
    + _PLACEHOLDER
    + r"(?P<listed>[^\s\"'\\\0]{3,})"
    + r"|(?:\\*[\"'])?(?:\s|\\+[nrt]){1,24}value:(?:\s|\\+[\"']){1,4}"
    + _PLACEHOLDER
    + r"(?P<below>[^\s\"'\\\0]{3,})"
)
_XML = r"(?:\s[^<>\0]{0,80})?>" + _PLACEHOLDER + r"(?P<xml>[^\s<>\"\\\0][^<>\"\\\0]{2,200})(?=<\\?/)"
"""An element; a closing tag is followed by text, too, but not by a closing tag of its own: see `redact`."""
_ASSIGNED = (
    _MORE_NAME
    + _NAME
    + r"(?:"
    + _QUOTED
    + r"|"
    + _STRING
    + r"|"
    + _ENV
    + r"|"
    + _YAML
    + r"|"
    + _LISTED
    + r"|"
    + _XML
    + r")"
)
_SAID = r"\s{1,4}\\*'" + _PLACEHOLDER + r"([^'\"\\\0]{4,64})\\*'"
_ARGS = r"(?:[^\"\\\0|;&\r\n]|\\[^\0nr]|\"(?![,:}\]])){0,200}?"
"""Other arguments of a program: no line break and no other command."""
MAX_ARGUMENTS = 400
"""Bytes behind a program in which an option must begin at all."""
PROGRAM_KINDS = frozenset({
    "curl-user", "glued-option", "short-option", "capital-option", "redis-password", "ldap-password", "smb-password",
})  # fmt: skip
_QUOTE = r"(?:\\(?:\\\\)*\"|\"(?![,:}\]]))"
"""An escaped quote has an odd number of backslashes; behind any other one a text may end, and its JSON go on."""
_VALUE = (
    r"(?:\\*'" + _PLACEHOLDER + r"([^'\"\\\0]{2,128})|" + _QUOTE + "?" + _PLACEHOLDER
    + r"([^\s\"'\\&;|<>()`\0]{2,}+))"
)  # fmt: skip
DASH_TOKENS = r"(?<=[txksyilou]-)(?=[a-z0-9_\-]{12})"
PLAIN_TOKENS = r"(?=[a-z0-9]{14})"
URL_TOKENS = r"(?=[a-z0-9_\-]{12})(?=[a-z_\-]{0,34}[0-9])"
"""What is before and after the last sign of a prefix at least: asked once for all that share it."""
OPTIONS = r"(?<=--)"
HEX_BEFORE = r"(?<=[0-9a-f]{32}-)"
_GAP = r"(?:\s|\\+[nrt]){1,8}"
_DIGITS = r"(?=[^\s\"'\\\0]{0,64}[0-9!@#%^*~+])"
_KEY_TEXT = r"([A-Za-z0-9+/=]{16,}+(?:(?:\s|\\+[nrt])++[A-Za-z0-9+/=]{16,}+)*+)"
_PARAMETERS = (
    "sig|signature|key|auth|authkey|code|sid|session|sessionid|jwt|credential|x-amz-signature|x-goog-signature"
)
_OPTION = r"(?:=|\s{1,4}|\\?[\"'],\s?\\?[\"'])\\?[\"']?(?!-)" + _PLACEHOLDER + r"(" + _WORD + r"{3,})"

SECRET_SHAPES: dict[str, tuple[tuple[str, ...], str]] = {
    "password": (
        (
            r"w(?<=passw)ord",
            r"w(?<=passw)d",
            r"w(?<=pw)d",
            r"p(?<=passp)hrase",
            r"p(?<=[_\-.\"'?&;h]p)ass(?=[=:\"'>]|\\+[\"'])",
        ),
        _ASSIGNED,
    ),
    "secret": ((r"c(?<=sec)ret", r"c(?:redentials?)"), _ASSIGNED),
    "token": ((r"k(?<=tok)en",), _ASSIGNED),
    "key": (
        (
            r"key(?:(?<=[_\-]key)(?:(?<=api.key)|(?<=access.key)|(?<=private.key)|(?<=auth.key)|(?<=encryption.key)|"
            r"(?<=signing.key)|(?<=account.key)|(?<=master.key)|(?<=service.key))|(?<=apikey)|(?<=accesskey)|"
            r"(?<=privatekey)|(?<=authkey)|(?<=accountkey))",
        ),
        _ASSIGNED,
    ),
    "option": (
        (
            r"-(?<=--)(?:password|passwd|passphrase|pass|token|api-?key|secret|auth-token|access-token|client-secret"
            r"|account-key|access-key|secret-key|secret-access-key)"
            r"(?![a-z0-9_\-])",
        ),
        _OPTION,
    ),
    "anthropic-key": ((r"k(?<=sk)-ant-" + _START.format("sk-ant-"),), r"([A-Za-z0-9_\-]{16,})"),
    "api-key": (
        (r"k(?<=sk)-" + _START.format("sk-"),),
        r"(?=[A-Za-z0-9_\-]{0,64}[0-9])([A-Za-z0-9_\-]{20,})",
    ),
    "gitlab-token": (
        (r"g(?:l(?:[dfr]t|pat|cbt|imt|ptt|soat|agent|oas)-)",),
        r"([A-Za-z0-9_\-]{20,})",
    ),
    "slack-token": ((r"x(?:ox[abeoprs](?:\.xox[bp])?-|app-)",), r"([A-Za-z0-9\-]{10,})"),
    "slack-webhook": ((r"k(?<=hooks\.slack)\.com\\?/services\\?/",), r"((?:\\?/|[A-Za-z0-9_]){16,})"),
    "aws-key": ((r"k(?<=ak)ia" + _START.format("akia"),), r"([0-9A-Z]{16})(?![0-9A-Za-z])"),
    "google-key": ((r"z(?<=aiz)a",), r"([A-Za-z0-9_\-]{35})"),
    "google-token": ((r"y(?:a29\.)",), r"([A-Za-z0-9_\-.]{20,})"),
    "jwt": (
        (r"j(?<=eyj)(?:(?<![a-z0-9_\-]eyj)|(?<=\\[nrtbf]eyj))",),
        r"([A-Za-z0-9_\-=]{8,}+\.[A-Za-z0-9_\-=]{8,}+(?:\.[A-Za-z0-9_\-.+/=]*)?)",
    ),
    "pypi-token": ((r"y(?<=py)pi-age",), r"([A-Za-z0-9_\-]{50,})"),
    "square-secret": ((r"q(?:0(?:csp|atp)-)",), r"([0-9A-Za-z_\-]{22,})"),
    "mailchimp-key": ((rf"-{HEX_BEFORE}(?=us[0-9]{{1,2}}(?![0-9a-z]))",), r"()"),
    "telegram-token": ((r":(?<=[0-9]{8}:)",), r"([A-Za-z0-9_\-]{35})(?![A-Za-z0-9_\-])"),
    "url-password": (
        (r":(?=\\?/\\?/)",),
        r"\\?/\\?/(?:[^\s/@:\"'\\\0?#]{0,256}:" + _PLACEHOLDER + r"([^\s/\"'\\\0]{1,512})@"
        r"|(?=[^\s/@:\"'\\\0]{0,64}[0-9])([A-Za-z0-9_\-.~%]{16,256})@)",
    ),
    "private-key": ((r"b(?<=-----b)egin ",), r"(?:[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----(" + _BODY + r")"),
    "putty-key": ((r"v(?<=priv)ate-lines:",), r"\s?[0-9]{1,4}(" + _BODY + r")"),
    "authorization": (
        (r"z(?<=authoriz)ation",),
        r"(?:\\*[\"'])?\s{0,4}[:=,]\s{0,4}(?:\\*[\"'])?(?:(?i:bearer|basic|token|digest|apikey)\s{1,4}"
        + _PLACEHOLDER
        + r"([A-Za-z0-9._~+/=\-]{6,})|([A-Za-z0-9._~+/=\-]{16,}))",
    ),
    "bearer": ((r"b(?:earer )",), _PLACEHOLDER + r"([A-Za-z0-9._~+/=\-]{16,})"),
    "cookie": (
        (r"k(?<=cook)ie",),
        r"(?:\\*[\"'])?\s{0,4}:\s{0,4}(?:\\*[\"'])?((?:[A-Za-z0-9_.\-]{1,64}=[^\s\"'\\\0;]*+(?:;\s?)?)++)",
    ),
}


def _make_letter_anchor(prefix: str, start: str = _START) -> str:
    """Start at the rarest letter, look back for what is before it."""
    if prefix.endswith(DASH_ENDINGS):
        return f"-{DASH_TOKENS}(?<={re.escape(prefix)})" + start.format(re.escape(prefix))
    # One that has something behind it, if there is one: that ends the search sooner than a look back.
    letter = next(letter for part in (prefix[:-1], prefix) for letter in RARE_LETTERS if letter in part)
    at = prefix.index(letter)
    before, after = re.escape(prefix[: at + 1]), re.escape(prefix[at + 1 :])
    return f"{letter}(?<={before}){after}" + start.format(re.escape(prefix))


def _make_underscore_anchor(token: VendorToken, prefix: str) -> str:
    ahead = URL_TOKENS if "_" in token.body else PLAIN_TOKENS
    return f"_{ahead}(?<={prefix})" + _START.format(prefix)


def list_coded_words() -> list[str]:
    """Telling words in base64, at each of the three places at which they can begin."""
    found = []
    for word in CODED_WORDS:
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + word.encode()).decode()
            # The first and last letter also hold bits of what is beside the word.
            found.append(coded[(shift * 8 + 5) // 6 : (shift + len(word)) * 8 // 6])
    return found


SECRET_SHAPES |= {
    "base64": (tuple(_make_letter_anchor(word.lower(), START_ANYWHERE) for word in list_coded_words()), r"()"),
    "sudo-password": ((r"u(?<=su)do -s(?=\s)",), r"[^|;&\r\n\"\\\0]{0,80}<<<\s{0,3}" + _VALUE),
    "secret-setting": (
        (r"c(?<=aws_sec)ret_access_key(?=\s)", r"c(?<=sec)rets? set(?=\s)", r"-(?<=--)from-literal(?=[\s=])"),
        r"[\s=]{1,4}(?:[A-Za-z_][\w.\-]{0,64}=)?(?!=)" + _VALUE,
    ),
    "key-end": ((r"v(?<=priv)ate key(?: block)?-----",), r"()"),
    "piped-password": (
        (r"w(?<=chpassw)d", r"u(?<=su)do -s(?![a-z0-9])", r"w(?<=passw)ord-stdin", r"w(?<=--w)ith-token"),
        r"()",
    ),
    "long-option": (
        (r"w(?<=-passw)ord(?=[\s=])", r"w(?<=-passw)d(?=[\s=])", r"k(?<=-tok)en(?=[\s=])", r"c(?<=-sec)ret(?=[\s=])"),
        _OPTION,
    ),
    "statement": ((r"w(?<=passw)ord(?=\s{1,4}\\*')",), _SAID),
    "password-hash": (
        (r"$(?:apr1|[1567y]|2[abxy]|argon2(?:id?|d)|scrypt|pbkdf2[a-z0-9\-]{0,10})\$",),
        r"([./A-Za-z0-9$=,+\-]{20,})",
    ),
    "url-parameter": (
        (rf"?(?:{_PARAMETERS})=", rf"&(?:amp;)?(?:{_PARAMETERS})="),
        _DIGITS + r"([A-Za-z0-9%+/_.~=\-]{12,})",
    ),
    "ldap-hash": ((r":(?=\{s?sha(?:256|512)?\})",), r"\{\w{3,7}\}([A-Za-z0-9+/=]{20,})"),
    "pgpass": (
        (r":(?=[0-9]{4,5}:[a-z_*][a-z0-9_\-]{0,64}:[a-z_][a-z0-9_\-]{0,64}:[^\s:])",),
        r"[0-9]{4,5}:(?=[^:]{0,64}[g-zG-Z_*])[^:\s]{1,64}:[^:\s]{1,64}:" + _PLACEHOLDER + r"([^\s\"'\\\0]{4,})",
    ),
    "discord-token": (
        (r".(?=[a-z0-9_\-]{6}\.[a-z0-9_\-]{27})(?<=[a-z0-9_\-]{24}\.)",),
        r"[\w\-]{6}\.([\w\-]{27,})",
    ),
    "vault-legacy-token": (
        (r".(?<=s\.)(?=[a-z0-9]{24}(?![a-z0-9_(]))(?<![a-z0-9_.]s\.)",),
        r"(?=[a-zA-Z]{0,23}[0-9])([A-Za-z0-9]{24})",
    ),
    "twilio-key": ((r"k(?<=sk)(?=[0-9a-f]{32}(?![0-9a-z]))" + _START.format("sk"),), r"([0-9a-f]{32})"),
    "mailgun-signing-key": (
        (rf"-{HEX_BEFORE}(?=[0-9a-f]{{8}}-[0-9a-f]{{8}}(?![0-9a-z\-]))",),
        r"([0-9a-f]{8}-[0-9a-f]{8})",
    ),
    "azure-secret": ((r"q(?<=[0-9]q)~",), r"([A-Za-z0-9_~.\-]{31,40})"),
    "npm-auth": ((r"_(?:auth=)",), r"\\*[\"']?([A-Za-z0-9+/=]{8,})"),
    "key-text": (
        (
            r"z(?<=b3blbnnz)ac1rzxktdj", r"q(?<=ibadanbgkq)hkig9w0baqefaasc", r"k(?<=ibaak)ca[gq]ea",
            r"q(?<=mhccaq)ee", r"q(?<=mighageambmgbyq)gsm49", r"q(?<=mc4caqawbq)ydk2vwbciei",
        ),
        _KEY_TEXT,
    ),
    **{
        token.kind: (
            tuple(_make_underscore_anchor(token, prefix) for prefix in token.prefixes),
            f"({token.body}{{{token.least},}}+)",
        )
        for token in UNDERSCORE_TOKENS
    },
}  # fmt: skip

SECRET_SHAPES |= {
    "identified-by": ((r"b(?<=identified b)y",), r"(?:\s{1,4}password)?" + _SAID),
    "curl-user": (
        (r"c(?:url)(?=\s)", r"w(?:get)(?=\s)"),
        _ARGS + r"\s(?:-[a-zA-Z]{0,6}u|--user|--proxy-user|-U)(?:\s{1,4}|=)?\\*[\"']?"
        r"[^\s:\"'\\\0]{0,128}:(?!//)" + _PLACEHOLDER + r"([^\s\"'\\\0]{2,})",
    ),
    "user-option": (
        (r"-(?<=--)(?:user|auth|creds?|credentials|basic-auth|proxy-user)(?=[\s=])",),
        # `--user root:root` and `--user 1000:1000` name a group
        r"[\s=]{1,4}\\*[\"']?([^\s:\"'\\\0$]{1,64}):(?!\1(?![\w])|[0-9]{1,6}(?![\w])|//)" + _PLACEHOLDER
        + r"([^\s\"'\\\0]{3,})",
    ),
    "glued-option": ((r"q(?<=mysq)l", r"b(?<=mariadb)", r"z(?<=7z)a?(?=\s)"), _ARGS + r"\s-p" + _VALUE),
    "sshpass": ((r"p(?<=sshp)ass(?=\s)",), r"\s{1,4}-p\s{0,4}" + _VALUE),
    "short-option": (
        (r"g(?<=log)in(?=\s)", r"g(?<=mong)o(?:sh|dump|restore|export|import)?(?=\s)"),
        _ARGS + r"\s-p(?:\s{1,4}|=)" + _VALUE,
    ),
    "capital-option": (
        (r"z(?:ip)(?=\s)", r"q(?<=sq)lcmd(?=\s)", r"b(?:cp)(?=\s)"),
        _ARGS + r"\s-P\s{0,4}" + _VALUE,
    ),
    "redis-password": ((r"c(?<=redis-c)li(?=\s)",), _ARGS + r"\s-a\s{1,4}" + _VALUE),
    "ldap-password": (
        (r"p(?<=ldap)(?:search|modify|add|whoami|passwd|delete)(?=\s)",),
        _ARGS + r"\s-w\s{0,4}" + _VALUE,
    ),
    "smb-password": (
        (r"b(?<=smb)client(?=\s)", r"b(?<=smb)map(?=\s)"), _ARGS + r"\s-U\s{0,4}\\*[\"']?[\w.\-/]{1,64}%" + _VALUE
    ),
    "htpasswd": (
        (r"w(?<=htpassw)d(?=\s)",),
        r"\s{1,4}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}\s{1,4}(?:[^\s\"'\\\0-]{1,128}\s{1,4}){1,2}" + _VALUE,
    ),
    "openssl-password": ((r":(?<=[\s\"'=]pass:)", r":(?<=\s/p:)"), r"([^\s\"'\\\0]{2,})"),
    "netrc": (
        (r"c(?<=mac)hine(?=\s)",),
        _GAP + r"[^\s\"'\\\0]{1,128}(?:" + _GAP + r"(?:login|account)" + _GAP + r"[^\s\"'\\\0]{1,128}){0,2}" + _GAP
        + r"password" + _GAP + _PLACEHOLDER + r"([^\s\"'\\\0]{2,})",
    ),
    "netrc-login": (
        (r"g(?<=log)in(?=\s|\\)",),
        _GAP + r"[^\s\"'\\\0]{1,128}" + _GAP + r"password" + _GAP + _DIGITS + _PLACEHOLDER + r"([^\s\"'\\\0]{4,})",
    ),
    "webhook": (
        (r"k(?<=webhook)s\\?/", r"k(?<=webhook)b2\\?/"),
        r"(?:[0-9]{8,25}\\?/([A-Za-z0-9_\-]{32,})|([A-Za-z0-9@\-]{36,}/[A-Za-z0-9@\-/]{40,}))",
    ),
    "docker-auth": ((r"u(?<=[\"']au)th(?=\\*\")",), r"\\*\"\s{0,4}:\s{0,4}\\*\"([A-Za-z0-9+/=]{8,})"),
    "client-key": ((r"k(?<=client-k)ey-data",), r"\\*[\"']?\s{0,4}:\s{0,4}\\*[\"']?([A-Za-z0-9+/=]{32,})"),
    **{
        token.kind: (tuple(map(_make_letter_anchor, token.prefixes)), f"({token.body}{{{token.least},}}+)")
        for token in LETTER_TOKENS
    },
    **{kind: ((anchor,), shape) for kind, (anchor, shape) in CASED_TOKENS.items()},
}  # fmt: skip
"""Programs that are given a password, and prefixes of tokens."""

CASED_SHAPES: dict[str, tuple[bytes, str]] = {
    "aws-key": (b"ASIA", _CASED_START + r"ASIA([0-9A-Z]{16})(?![0-9A-Za-z])"),
    "sendgrid-key": (b"SG.", _CASED_START + r"SG\.([A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64})"),
}
"""Shapes whose prefix is too common in lower case (`sg.`, `asia`): searched case-sensitively."""

SECRET_IDENTIFIER = re.compile(
    rb"(?i)(?:[a-z_]\w{0,40}\.){0,6}[a-z_]{0,40}(?:password|passwd|token|secret|key|credentials?)s?"
    rb"|none|null|true|false|undefined|string|(?:self|this|args|settings|config|options|process\.env|os\.environ)\.[\w.]+"
)
"""`password=password`, `token=self.token`: code that names a secret and holds none."""
