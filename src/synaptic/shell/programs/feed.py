"""Programs whose output is known from their input: `echo`, `printf`, `cat`, `base64 -d` and other filters."""

import base64
import binascii
import codecs
import re

from synaptic.shell.programs.sed import sed
from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.limits import MAX_ESCAPES, MAX_LITERAL
from synaptic.shell.read.quoting import escaped
from synaptic.shell.read.state import Call

ECHO_OPTION = re.compile(r"-[neE]+")
FORMAT = re.compile(r"%(?:%|[-+ #0]*\*?\d*(?:\.\d+)?([a-zA-Z]))")
SET_RANGE = re.compile(r"(.)-(.)", re.DOTALL)
CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n"}


def echo(_: Evaluation, call: Call) -> str | None:
    words = call.words[1:]
    line, special = "\n", False
    while words and ECHO_OPTION.fullmatch(words[0].text):
        line = "" if "n" in words[0].text else line
        special = special or "e" in words[0].text
        words = words[1:]
    if not all(word.known for word in words):
        return None
    text = " ".join(word.text for word in words)
    return (escaped(text) if special else text) + line


def printf(shell: Evaluation, call: Call) -> str | None:
    words = call.words[1:]
    target = ""
    if words and words[0].text == "-v" and len(words) > 2:
        target, words = words[1].text, words[2:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words or not all(word.known for word in words) or len(words[0].text) > MAX_ESCAPES:
        return None
    text = _formatted(words[0].text, [word.text for word in words[1:]])
    if target:
        shell.code(f"{target}='{text}'", "printf -v")
        return ""
    return text


def _formatted(form: str, arguments: list[str]) -> str:
    form = escaped(form)
    out: list[str] = []
    while True:
        before = len(arguments)
        out.append(FORMAT.sub(lambda found: _argument(found, arguments), form))
        # printf repeats its format until all arguments are used; a format without a sign would use none and never end.
        if not arguments or len(arguments) == before or len(out) > 200:
            return "".join(out)[:MAX_LITERAL]


def _argument(found: re.Match[str], arguments: list[str]) -> str:
    if found[0] == "%%":
        return "%"
    text = arguments.pop(0) if arguments else ""
    kind = found[1]
    if kind == "b":
        return escaped(text)
    if kind == "c":
        return text[:1]
    if kind in "xXo" and re.fullmatch(r"\d{1,12}", text):
        return format(int(text), kind)
    return text


def cat(shell: Evaluation, call: Call) -> str | None:
    words = read_call(call).operands
    if not words or [word.text for word in words] == ["-"]:
        return call.stdin
    texts = [shell.files.get(shell.path(word.text)) for word in words]
    return "".join(text or "" for text in texts) if all(text is not None for text in texts) else None


def tee(shell: Evaluation, call: Call) -> str | None:
    if call.stdin is not None:
        given = read_call(call)
        for word in given.operands:
            shell.keep(word.text, call.stdin, given.has("append"))
    return call.stdin


def decoded(shell: Evaluation, call: Call) -> str | None:
    """`base64 -d` and its kin; encoding is not followed."""
    text = cat(shell, call)
    if text is None or not read_call(call).has_role("decode"):
        return None
    plain = re.sub(r"\s", "", text)
    try:
        if call.name == "base32":
            return base64.b32decode(plain).decode("utf-8", "replace")
        # Missing padding is no error for many decoders, so it must not hide the text from the guards.
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return None


def openssl(shell: Evaluation, call: Call) -> str | None:
    texts = call.texts()
    if texts[:1] == ["base64"] or ("enc" in texts and "-base64" in texts):
        return decoded(
            shell, Call([call.words[0], *(w for w in call.words if w.text == "-d")], "base64", stdin=call.stdin)
        )
    return None


def xxd(_: Evaluation, call: Call) -> str | None:
    letters = "".join(text[1:] for text in call.texts() if text[:1] == "-")
    if call.stdin is None or "r" not in letters or "p" not in letters:
        return None
    digits = re.sub(r"[^0-9a-fA-F]", "", call.stdin)
    return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8", "replace")


def rev(_: Evaluation, call: Call) -> str | None:
    if call.stdin is None or len(call.words) > 1:
        return None
    return "".join(line.rstrip("\n")[::-1] + "\n" for line in call.stdin.splitlines(keepends=True))


def tac(_: Evaluation, call: Call) -> str | None:
    return None if call.stdin is None else "".join(line + "\n" for line in reversed(call.stdin.splitlines()))


def tr(_: Evaluation, call: Call) -> str | None:
    texts = call.texts()
    if call.stdin is None or not texts:
        return None
    if texts[0] in ("-d", "--delete") and len(texts) == 2:
        dropped = set(_set(texts[1]))
        return "".join(char for char in call.stdin if char not in dropped)
    if len(texts) != 2 or texts[0][:1] == "-":
        return None
    old, new = _set(texts[0]), _set(texts[1])
    if not new:
        return None
    return call.stdin.translate({ord(char): new[min(place, len(new) - 1)] for place, char in enumerate(old)})


def _set(text: str) -> str:
    for name, members in CLASSES.items():
        text = text.replace(name, members)
    return SET_RANGE.sub(_range, escaped(text))


def _range(found: re.Match[str]) -> str:
    first, last = ord(found[1]), ord(found[2])
    return "".join(chr(number) for number in range(first, min(last, first + 256) + 1))


def head(_: Evaluation, call: Call) -> str | None:
    """`head`, `sort`, `uniq`: their input, whole. Text that they would drop is judged rather than missed."""
    return call.stdin if all(text[:1] == "-" or text.isdigit() for text in call.texts()) else None


def rot13(_: Evaluation, call: Call) -> str | None:
    return None if call.stdin is None else codecs.encode(call.stdin, "rot13")


FEEDS: dict[str, Handler] = {
    "echo": echo,
    "printf": printf,
    "cat": cat,
    "tee": tee,
    "base64": decoded,
    "openssl": openssl,
    "xxd": xxd,
    "rev": rev,
    "tac": tac,
    "tr": tr,
    "sed": sed,
    "head": head,
    "sort": head,
    "uniq": head,
    "rot13": rot13,
}
