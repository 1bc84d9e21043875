"""The shapes of secrets: an anchor where to start looking, and what must follow for it to be a secret.

Anchors are searched in lowercased bytes. Each starts with its rarest letter and looks back for the rest, because the
search is quick only where it can skip to a letter that seldom occurs. What is redacted is group 1 of the shape that
matches right after the anchor. Every shape either fails within a bounded number of bytes or consumes what it read, so
the whole search is linear. No shape crosses a NUL, an unescaped quote or half an escape: JSON stays JSON.
"""

import re

_START = r"(?:(?<![a-z0-9]{0})|(?<=\\[nrtbf]{0}))"
"""Nothing before it but a JSON escape: `\\nsk-...` starts a word although an `n` stands there."""
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
_ASSIGNED = _MORE_NAME + _NAME + r"(?:" + _QUOTED + r"|" + _STRING + r"|" + _ENV + r"|" + _YAML + r")"
_OPTION = r"(?:=|\s{1,4}|\\?[\"'],\s?\\?[\"'])\\?[\"']?(?!-)" + _PLACEHOLDER + r"(" + _WORD + r"{3,})"

SECRET_SHAPES: dict[str, tuple[tuple[str, ...], str]] = {
    "password": ((r"w(?:(?<=passw)(?:or)?d|(?<=pw)d)", r"p(?<=passp)hrase"), _ASSIGNED),
    "secret": ((r"c(?<=sec)ret", r"c(?:redentials?)"), _ASSIGNED),
    "token": ((r"k(?<=tok)en",), _ASSIGNED),
    "key": (
        (
            r"k(?:(?<=[_\-]k)(?:(?<=api.k)|(?<=access.k)|(?<=private.k)|(?<=auth.k)|(?<=encryption.k)|(?<=signing.k)|"
            r"(?<=account.k)|(?<=master.k)|(?<=service.k))|(?<=apik)|(?<=accessk)|(?<=privatek)|(?<=authk)|"
            r"(?<=accountk))ey",
        ),
        _ASSIGNED,
    ),
    "option": (
        (
            r"-(?<=--)(?:password|passwd|passphrase|pass|token|api-?key|secret|auth-token|access-token|client-secret)"
            r"(?![a-z0-9_\-])",
        ),
        _OPTION,
    ),
    "anthropic-key": ((r"k(?<=sk)-ant-" + _START.format("sk-ant-"),), r"([A-Za-z0-9_\-]{16,})"),
    "api-key": (
        (r"k(?<=sk)-" + _START.format("sk-"),),
        r"(?=[A-Za-z0-9_\-]{0,64}[0-9])([A-Za-z0-9_\-]{20,})",
    ),
    "github-token": (
        (r"_(?:(?<=gh[pousr]_)|(?<=github_pat_))",),
        r"([A-Za-z0-9_]{30,})",
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
    "npm-token": ((r"_(?<=npm_)",), r"([A-Za-z0-9]{30,})"),
    "huggingface-token": ((r"_(?<=hf_)" + _START.format("hf_"),), r"([A-Za-z0-9]{30,})"),
    "stripe-key": ((r"_(?<=[sr]k_)(?:live|test)_", r"_(?<=whsec_)"), r"([0-9A-Za-z]{16,})"),
    "pypi-token": ((r"y(?<=py)pi-age",), r"([A-Za-z0-9_\-]{50,})"),
    "square-secret": ((r"q(?:0(?:csp|atp)-)",), r"([0-9A-Za-z_\-]{22,})"),
    "mailchimp-key": ((r"-(?=us[0-9]{1,2}(?![0-9a-z]))(?<=[0-9a-f]{32}-)",), r"()"),
    "telegram-token": ((r":(?<=[0-9]{8}:)",), r"([A-Za-z0-9_\-]{35})(?![A-Za-z0-9_\-])"),
    "url-password": (
        (r":(?=\\?/\\?/)",),
        r"\\?/\\?/[^\s/@:\"'\\\0?#]{0,256}:" + _PLACEHOLDER + r"([^\s/@\"'\\\0]{1,512})@",
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
