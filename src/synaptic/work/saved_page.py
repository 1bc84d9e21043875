"""What pages that are saved as one file have in common: they ask nothing of anybody, and are light and dark."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""No script, no picture, no request: only what is in the file."""
STYLE = """
:root{color-scheme:light dark;--a:#c0362c;--b:#b7791f;--c:#2b7a9b;--d:#8a94a0;--line:#8884}
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
background:Canvas;color:CanvasText}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}
th,td{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line);
vertical-align:top;overflow-wrap:anywhere}
th{font-weight:600;font-size:.8em;letter-spacing:.04em}svg{width:100%;height:auto}
.a{fill:var(--a);color:var(--a)}.b{fill:var(--b);color:var(--b)}.c{fill:var(--c);color:var(--c)}
.d{fill:var(--d);color:var(--d)}
svg text{font-size:11px;fill:CanvasText}.key span{margin-right:1rem}
"""


def format_head(title: str) -> str:
    """The beginning of such a page, up to its body. The title is ours."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>"
    )
