"""Programs whose output is known from their input: `echo`, `printf`, `cat`, `base64 -d` and other filters."""

import base64
import binascii
import codecs
import re

from synaptic.shell.programs.derived import DESTROYING
from synaptic.shell.programs.sed import run_sed
from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ESCAPES, MAX_LITERAL
from synaptic.shell.read.quoting import decode_escapes
from synaptic.shell.read.script import are_known
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.value import VariableValue
from synaptic.shell.read.writing import quote_word

BYTE_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|0?[0-7]{3})")
PRINT_OPTION = re.compile(r"-[a-zA-Z0-9-]*")
ECHO_OPTION = re.compile(r"-[neE]+")
FORMAT_SIGN = re.compile(r"%(?:%|[-+ #0]*\*?\d*(?:\.\d+)?([a-zA-Z]))")
SET_RANGE = re.compile(r"(.)-(.)", re.DOTALL)
LETTER_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n"}


def run_echo(_: Evaluation, call: CommandCall) -> str | None:
    words = call.words[1:]
    line, special = "\n", False
    while words and ECHO_OPTION.fullmatch(words[0].text):
        line = "" if "n" in words[0].text else line
        special = special or "e" in words[0].text
        words = words[1:]
    if not are_known(words):
        return None
    text = " ".join([word.text for word in words])
    # `echo` of zsh and dash decodes escapes; where that makes a command of it, that is what counts.
    if not special and "\\" in text and BYTE_ESCAPE.search(text):
        special = DESTROYING.search(decode_escapes(text)) is not None
    return (decode_escapes(text) if special else text) + line


def run_print(shell: Evaluation, call: CommandCall) -> str | None:
    """`print` of zsh: words, or lines with `-l`; into a variable with `-v`, to a descriptor with `-u`."""
    words, letters, given = call.words[1:], "", ""
    while words and PRINT_OPTION.fullmatch(words[0].text):
        option, words = words[0].text[1:], words[1:]
        if option in ("-", ""):
            break
        letters += option.rstrip("0123456789")
        given = option[len(option.rstrip("0123456789")) :] or given
        if option[-1] in "vfuC" and words:
            given, words = words[0].text, words[1:]
    if not all(word.known for word in words):
        return None
    text = ("\n" if "l" in letters else " ").join(word.text for word in words)
    if "P" in letters:
        shell.expand_text(text, "print -P")
    text = text if "r" in letters or "R" in letters else decode_escapes(text)
    return _deliver_print(shell, text, letters, given)


def _deliver_print(shell: Evaluation, text: str, letters: str, given: str) -> str:
    if "v" in letters and given:
        shell.variables[given] = VariableValue(text)
        return ""
    name = shell.descriptors.get("p" if "p" in letters else given)
    if name and ("p" in letters or "u" in letters):
        shell.remember_file(name, f"{text}\n", more=True)
        return ""
    return text if "n" in letters else f"{text}\n"


def run_printf(shell: Evaluation, call: CommandCall) -> str | None:
    words = call.words[1:]
    target = ""
    if words and words[0].text == "-v" and len(words) > 2:
        target, words = words[1].text, words[2:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words or not all(word.known for word in words) or len(words[0].text) > MAX_ESCAPES:
        return None
    text = _format_text(words[0].text, [word.text for word in words[1:]])
    if target:
        shell.run_code(f"{target}={quote_word(text)}", "printf -v")
        return ""
    return text


def _format_text(form: str, arguments: list[str]) -> str:
    form = decode_escapes(form)
    out: list[str] = []
    while True:
        before = len(arguments)
        out.append(FORMAT_SIGN.sub(lambda found: _format_argument(found, arguments), form))
        # printf repeats its format until all arguments are used; a format without a sign would use none and never end.
        if not arguments or len(arguments) == before or len(out) > 200:
            return "".join(out)[:MAX_LITERAL]


def _format_argument(found: re.Match[str], arguments: list[str]) -> str:
    if found[0] == "%%":
        return "%"
    text = arguments.pop(0) if arguments else ""
    kind = found[1]
    if kind == "b":
        return decode_escapes(text)
    if kind == "c":
        return text[:1]
    if kind in "xXo" and re.fullmatch(r"\d{1,12}", text):
        return format(int(text), kind)
    return text


def run_cat(shell: Evaluation, call: CommandCall) -> str | None:
    words = read_call(call).operands
    if not words or [word.text for word in words] == ["-"]:
        return call.stdin
    texts = [shell.files.get(shell.make_file_key(word.text)) for word in words]
    return "".join(text or "" for text in texts) if all(text is not None for text in texts) else None


def run_tee(shell: Evaluation, call: CommandCall) -> str | None:
    if call.stdin is not None:
        given = read_call(call)
        for word in given.operands:
            shell.remember_file(word.text, call.stdin, given.has("append"))
    return call.stdin


def run_base64(shell: Evaluation, call: CommandCall) -> str | None:
    """`base64 -d` and its kin; encoding is not followed."""
    text = run_cat(shell, call)
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


def run_openssl(shell: Evaluation, call: CommandCall) -> str | None:
    texts = call.list_texts()
    if texts[:1] == ["base64"] or ("enc" in texts and "-base64" in texts):
        return run_base64(
            shell, CommandCall([call.words[0], *(w for w in call.words if w.text == "-d")], "base64", stdin=call.stdin)
        )
    return None


def run_xxd(_: Evaluation, call: CommandCall) -> str | None:
    letters = "".join(text[1:] for text in call.list_texts() if text[:1] == "-")
    if call.stdin is None or "r" not in letters or "p" not in letters:
        return None
    digits = re.sub(r"[^0-9a-fA-F]", "", call.stdin)
    return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8", "replace")


def run_rev(_: Evaluation, call: CommandCall) -> str | None:
    if call.stdin is None or len(call.words) > 1:
        return None
    return "".join(line.rstrip("\n")[::-1] + "\n" for line in call.stdin.splitlines(keepends=True))


def run_tac(_: Evaluation, call: CommandCall) -> str | None:
    return None if call.stdin is None else "".join(line + "\n" for line in reversed(call.stdin.splitlines()))


def run_tr(_: Evaluation, call: CommandCall) -> str | None:
    texts = call.list_texts()
    if call.stdin is None or not texts:
        return None
    if texts[0] in ("-d", "--delete") and len(texts) == 2:
        dropped = set(_expand_set(texts[1]))
        return "".join(char for char in call.stdin if char not in dropped)
    if len(texts) != 2 or texts[0][:1] == "-":
        return None
    old, new = _expand_set(texts[0]), _expand_set(texts[1])
    if not new:
        return None
    return call.stdin.translate({ord(char): new[min(place, len(new) - 1)] for place, char in enumerate(old)})


def _expand_set(text: str) -> str:
    for name, members in LETTER_CLASSES.items():
        text = text.replace(name, members)
    return SET_RANGE.sub(_expand_range, decode_escapes(text))


def _expand_range(found: re.Match[str]) -> str:
    first, last = ord(found[1]), ord(found[2])
    return "".join(chr(number) for number in range(first, min(last, first + 256) + 1))


def pass_input(_: Evaluation, call: CommandCall) -> str | None:
    """`head`, `sort`, `uniq`: their input, whole. Text that they would drop is judged rather than missed."""
    return call.stdin if all(text[:1] == "-" or text.isdigit() for text in call.list_texts()) else None


def run_rot13(_: Evaluation, call: CommandCall) -> str | None:
    return None if call.stdin is None else codecs.encode(call.stdin, "rot13")


FEEDS: dict[str, ProgramHandler] = {
    "echo": run_echo,
    "printf": run_printf,
    "cat": run_cat,
    "tee": run_tee,
    "base64": run_base64,
    "openssl": run_openssl,
    "xxd": run_xxd,
    "rev": run_rev,
    "tac": run_tac,
    "tr": run_tr,
    "sed": run_sed,
    "head": pass_input,
    "sort": pass_input,
    "uniq": pass_input,
    "rot13": run_rot13,
}
