"""Draw frames of a terminal as one SVG: a picture for a single frame, a film that plays by itself for several."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from demo.screen import COLUMNS, LINES, Cell, Frame

CHAR, LINE, EDGE = 8.4, 18, 14
WIDTH, HEIGHT = COLUMNS * CHAR + 2 * EDGE, LINES * LINE + 2 * EDGE
STYLE = """\
text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #d4d8df; white-space: pre }
.red { fill: #ff7b72 } .green { fill: #7ee787 } .yellow { fill: #e3b341 }
.cyan { fill: #79c0ff } .blue { fill: #79c0ff }
.bold { font-weight: bold }
"""


def draw_picture(frame: Frame, title: str) -> str:
    return _wrap(title, "", [f"<g>{_draw_lines(frame)}</g>"])


def draw_film(frames: Sequence[tuple[Frame, float]], title: str) -> str:
    """Frames with the seconds that each is seen. Who wants no motion sees the last one."""
    total = sum(seconds for _, seconds in frames)
    start, style, groups = 0.0, ["g { opacity: 0 }\n"], []
    for number, (frame, seconds) in enumerate(frames):
        begin, end = 100 * start / total, 100 * (start + seconds) / total
        style.append(
            f"#f{number} {{ animation: k{number} {total:g}s steps(1) infinite }}\n@keyframes k{number} "
            f"{{ 0% {{ opacity: {0 if number else 1} }} {begin:.2f}% {{ opacity: 1 }} "
            f"{end:.2f}% {{ opacity: {0 if end < 99.99 else 1} }} }}\n"
        )
        groups.append(f'<g id="f{number}">{_draw_lines(frame)}</g>')
        start += seconds
    style.append("@media (prefers-reduced-motion) { g { animation: none !important } g:last-of-type { opacity: 1 } }\n")
    return _wrap(title, "".join(style), groups)


def _wrap(title: str, style: str, groups: Sequence[str]) -> str:
    size = f'width="{WIDTH:g}" height="{HEIGHT:g}" viewBox="0 0 {WIDTH:g} {HEIGHT:g}"'
    body = "\n".join(groups)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(title)}</title>\n'
        f"<style>\n{STYLE}{style}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#15181e"/>\n{body}\n</svg>\n'
    )


def _draw_lines(frame: Frame) -> str:
    return "\n".join(text for row, line in enumerate(frame) for text in _draw_line(row, line))


def _draw_line(row: int, line: Sequence[Cell]) -> Iterator[str]:
    column = 0
    for colour, run in groupby(line, key=lambda cell: cell[1]):
        text = "".join(cell[0] for cell in run)
        if text.strip():
            x, y = EDGE + column * CHAR, EDGE + row * LINE + 14
            kind = f' class="{colour}"' if colour else ""
            # The width is given, so that columns stand below each other in any font.
            width = f'textLength="{len(text) * CHAR:.1f}"'
            yield f'<text x="{x:.1f}" y="{y}" {width}{kind} xml:space="preserve">{escape(text)}</text>'
        column += len(text)
