"""What code in other languages sends to another machine of what it reads."""

import re

from synaptic.model.once import computed_once
from synaptic.shell.languages.acts import CodeAct, Feed
from synaptic.shell.languages.dialects import SEND_METHODS, STREAM_METHODS, Dialect
from synaptic.shell.languages.foreign_names import CodeNames
from synaptic.shell.languages.tokens import CALL_SPAN
from synaptic.shell.read.script import Word

CONNECTS = re.compile(r"\bhttps?\.request|\bnet\.(?:connect|createConnection|Socket)|TCPSocket|IO::Socket|fsockopen")
CLIENTS = re.compile(r"\b(?:fetch|axios|got|ky|needle|superagent|https?|Net::HTTP|HTTP|Faraday|HTTParty)\b")
READING = re.compile(r"[Rr]ead|file|open|lines|env|ENV")
ENVIRONMENT = re.compile(r"process\.env|Deno\.env\.toObject|Bun\.env|ENV\.(?:to_|inspect|each|map).*|\$_ENV")
ADDRESS = re.compile(r"(?:https?|wss?|ftp)://[^\s'\"`]{1,500}")
LOCAL = re.compile(r"\w+://(?:localhost|127\.|0\.0\.0\.0|\[::1\])")
FETCHES = re.compile(
    r"\bhttps?(?:['\"]\))?\.(?:get|request)\b|\bfetch\s*\(|\baxios\b|\bgot\s*\(|\bLWP\b|Net::HTTP|HTTP::Tiny|open-uri|URI\.open"
    r"|curl_exec|socket\.http|\b(?:get|open|source|url|file_get_contents|download)\s*\(?\s*['\"](?:https?|ftp)://"
)
DECODES = re.compile(
    r"base64|atob\s*\(|decode64|\bunpack\b|fromCharCode|'hex'|rot13|inflate|\bpack\s*\(", re.IGNORECASE
)
UNKNOWN_ADDRESS = Word("$ADDRESS", known=False)


def fetches_remotely(code: str) -> bool:
    """Whether code asks another machine for something."""
    if not FETCHES.search(code):
        return False
    addresses = ADDRESS.findall(code)
    # Requests to servers on this machine are ordinary while developing.
    return not addresses or not all(map(LOCAL.match, addresses))


def classify_origin(code: str) -> str:
    """Where code gets what it holds: `fetched` from another machine, or `decoded`."""
    return "fetched" if fetches_remotely(code) else "decoded" if DECODES.search(code) else ""


class CodeSending(CodeNames):
    """Follows what is read into what is sent."""

    def __init__(self, code: str, dialect: Dialect) -> None:
        super().__init__(code, dialect)
        self.held: dict[str, tuple[Feed, ...]] = {}
        self.notes: dict[str, str] = {}
        """Where what a name was given comes from."""

    @computed_once
    def has_connection(self) -> bool:
        return bool(CONNECTS.search(self.code))

    @computed_once
    def may_run_input(self) -> bool:
        """Whether the code may run something that comes from elsewhere."""
        runs = any(name in self.code for name in (*self.dialect.code, *self.dialect.shell, *self.dialect.program))
        return runs and bool(classify_origin(self.code))

    @computed_once
    def is_reading(self) -> bool:
        return bool(READING.search(self.code))

    def note_read_value(self, place: int) -> None:
        """Remember that a name holds what was read, where something is assigned to it."""
        end = self.find_end(place + 2, call=False)
        name = self.text_at(place)
        # Forgotten first: what the name is given now may have been read from nowhere.
        for known in (self.held, self.notes):
            known.pop(name, None)
        if self.may_run_input and (note := classify_origin(" ".join(text for _, text in self.row[place + 2 : end]))):
            self.notes[name] = note
        if self.is_reading and (feeds := self._find_feeds(place + 2, end)):
            self.held[name] = feeds

    def find_sent(self, place: int, last: str) -> list[CodeAct]:
        """What the call at a place sends, when it holds something that was read."""
        streams = last in STREAM_METHODS
        if not self.is_reading or not (self.has_connection if streams else last in SEND_METHODS):
            return []
        end = self.find_end(place + 1, call=True)
        address = self._find_address(place, end)
        if not streams and not address.known and not CLIENTS.search(f"{self.text_at(place - 2)} {self.text_at(place)}"):
            return []  # `request` and `post` may be about anything
        feeds = self._find_feeds(place + 1, end)
        return [CodeAct("send", [address], feeds)] if feeds else []

    def find_end(self, place: int, call: bool) -> int:
        """Where a call ends, or a statement."""
        depth = 0
        for at in range(place, min(place + CALL_SPAN, len(self.row))):
            self.left -= 1
            text = self.text_at(at)
            if call and not depth and at > place and text in ("{", "or", "and"):
                return at
            depth += (text in ("(", "{", "[")) - (text in (")", "}", "]"))
            if depth < 0 or (text == ";" and not depth) or (call and text == ")" and not depth):
                return at
        return min(place + CALL_SPAN, len(self.row))

    def _find_feeds(self, start: int, end: int) -> tuple[Feed, ...]:
        found: list[Feed] = []
        behind = start
        for at in range(start, end):
            self.left -= 1
            text = self.text_at(at)
            if self.row[at][0] != "name" or at < behind:
                continue
            if text == "headers" and self.text_at(at + 2) == "{":
                behind = self.find_end(at + 3, call=False)  # what opens a door is used, not given away
                continue
            whole = text == "ENV" and self.text_at(at - 1) == "%"
            if whole or (ENVIRONMENT.fullmatch(text) and self.text_at(at + 1) not in (".", "[")):
                found.append((Word("env"),))
            elif self.last_name_at(at) in self.dialect.reads and (words := self.read_arguments(at + 1)):
                found.append((Word("cat"), words[0]))
            elif text.partition(".")[0] in self.held:
                found.extend(self.held[text.partition(".")[0]])
        return tuple(dict.fromkeys(found))

    def _find_address(self, start: int, end: int) -> Word:
        found = next(filter(None, (ADDRESS.search(self.text_at(at)) for at in range(start, end))), None)
        return Word(found[0]) if found else UNKNOWN_ADDRESS
