"""Filters whose output is known from their input: `cut`, `paste`, `tail -c`, and those that pass it on."""

import re

from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.state import CommandCall

RANGE = re.compile(r"(\d*)(-?)(\d*)")
ATTACHED_OPTION = re.compile(r"-([a-z])(.*)|--(bytes|characters|fields|delimiter|output-delimiter)=(.*)", re.DOTALL)
LONG_NAMES = {"bytes": "b", "characters": "c", "fields": "f", "delimiter": "d"}
PASSING_FILTERS = ("iconv", "pv", "sponge", "fold", "fmt", "expand", "unexpand", "strings", "column")
"""Filters that leave a short line of plain text as it is."""


def run_cut(_: Evaluation, call: CommandCall) -> str | None:
    """`cut -c2-`, `cut -d: -f2`."""
    given = _read_options(call, "cbfd")
    if call.stdin is None or given is None:
        return None
    ranges = _read_ranges(given.get("c") or given.get("b") or given.get("f") or "")
    if ranges is None:
        return None
    mark = "" if "f" not in given else given.get("d", "\t")
    return "".join(f"{_cut_line(line, ranges, mark)}\n" for line in call.stdin.splitlines())


def _read_options(call: CommandCall, letters: str) -> dict[str, str] | None:
    """Single letters with their values; None when there is more to the words."""
    given: dict[str, str] = {}
    waiting = ""
    for text in call.list_texts():
        if waiting:
            given[waiting], waiting = text, ""
            continue
        found = ATTACHED_OPTION.fullmatch(text)
        if found is None:
            return None
        name, value = (found[1], found[2]) if found[1] else (LONG_NAMES.get(found[3], ""), found[4])
        if not name:
            continue
        given[name] = value
        waiting = name if not value and name in letters else ""
    return given


def _read_ranges(text: str) -> list[tuple[int, int | None]] | None:
    found: list[tuple[int, int | None]] = []
    for part in text.split(","):
        match = RANGE.fullmatch(part)
        if match is None or not (match[1] or match[3]) or len(part) > 12:
            return None
        start = int(match[1] or 1)
        found.append((max(start, 1), (int(match[3]) if match[3] else None) if match[2] else start))
    return found


def _cut_line(line: str, ranges: list[tuple[int, int | None]], mark: str) -> str:
    if not mark:
        return "".join(line[start - 1 : end] for start, end in ranges)
    fields = line.split(mark)
    if len(fields) == 1:
        return line
    return mark.join(field for start, end in ranges for field in fields[start - 1 : end])


def run_paste(_: Evaluation, call: CommandCall) -> str | None:
    """`paste -s -d ' '`: the lines in one."""
    given = _read_options(call, "d") if call.list_texts()[-1:] != ["-"] else None
    if call.stdin is None or given is None:
        return call.stdin if call.list_texts() == ["-"] else None
    # `-sd' '` is `-s -d ' '`.
    mark = given["s"][1:] or "\t" if given.get("s", "")[:1] == "d" else given.get("d", "\t")
    return f"{mark[:1].join(call.stdin.splitlines())}\n" if "s" in given else call.stdin


def run_tail(_: Evaluation, call: CommandCall) -> str | None:
    """The input, whole but for what `-c +2` leaves out: text that is dropped is judged rather than missed."""
    texts = call.list_texts()
    joined = " ".join(texts)
    if call.stdin is None or any(text[:1] not in "-+" and not text.isdigit() for text in texts):
        return None
    found = re.fullmatch(r"(?:-c ?|--bytes=)\+(\d{1,6})", joined)
    return call.stdin[int(found[1]) - 1 :] if found and found[1] != "0" else call.stdin


def pass_plain(_: Evaluation, call: CommandCall) -> str | None:
    """Text that goes through as it is, where no file is named."""
    texts = call.list_texts()
    plain = all(text[:1] == "-" or texts[place - 1][:1] == "-" for place, text in enumerate(texts) if text)
    return call.stdin if not texts or plain else None


def run_dd(shell: Evaluation, call: CommandCall) -> str | None:
    texts = call.list_texts()
    named = next((text.removeprefix("if=") for text in texts if text.startswith("if=")), "")
    known = shell.files.get(shell.make_file_key(named)) if named else call.stdin
    if known is None or any(text.startswith(("skip=", "conv=")) for text in texts):
        return None
    for text in texts:
        if text.startswith("of="):
            shell.remember_file(text.removeprefix("of="), known)
            return ""
    return known


def run_shuffle(_: Evaluation, call: CommandCall) -> str | None:
    """`shuf -e a b`: its words, in any order."""
    given = read_call(call)
    if not any(text[:1] == "-" and "e" in text for text in call.list_texts()):
        return call.stdin if not given.operands else None
    words = [word for word in given.operands if word.known]
    return "".join(f"{word.text}\n" for word in words) if len(words) == len(given.operands) else None


FILTERS: dict[str, ProgramHandler] = {
    "cut": run_cut,
    "paste": run_paste,
    "tail": run_tail,
    "dd": run_dd,
    "shuf": run_shuffle,
    **dict.fromkeys(PASSING_FILTERS, pass_plain),
}
