"""What Python code reads, and what of it goes to another machine."""

import ast
import re
from collections.abc import Iterator

from synaptic.shell.languages.acts import Act, Feed
from synaptic.shell.languages.python_names import Names
from synaptic.shell.languages.python_value import ENVIRONMENT
from synaptic.shell.read.script import Word

OPENS = frozenset(
    {"open", "io.open", "codecs.open", "builtins.open", "os.open", "dotenv.dotenv_values", "dotenv.load_dotenv",
     "linecache.getlines", "gzip.open"}
)  # fmt: skip
READS = frozenset({"read_text", "read_bytes"})
CLIENTS = re.compile(r"(?:requests|httpx|urllib3|aiohttp|urllib\.request|http\.client|ftplib|smtplib|boto3)\b")
SENDS = frozenset({"get", "post", "put", "patch", "request", "urlopen", "Request", "send", "stream", "storbinary",
                   "sendmail", "send_message"})  # fmt: skip
"""Calls of an HTTP client, or of what it made, that send what they are given."""
ALWAYS = frozenset({"post", "sendall", "sendto", "sendmail", "upload_file", "upload_fileobj", "put_object"})
"""Methods that send, whatever they are called on."""
ASIDE = frozenset({"headers", "auth", "cert", "verify", "timeout", "cookies", "context"})
"""Arguments that are used, not sent: a key that opens a door is not given away."""
FETCHES = re.compile(
    r"(?:.*\.)?(?:urlopen|urlretrieve)|(?:requests|httpx|aiohttp|urllib3|http\.client)\..+|socket\..*recv\w*"
)
DECODES = frozenset(
    {"b64decode", "b32decode", "b85decode", "a85decode", "urlsafe_b64decode", "decodebytes", "decompress", "fromhex",
     "unhexlify", "decrypt"}
)  # fmt: skip
SINGLE = frozenset({"get", "pop", "setdefault"})
MAX_LOOKED_AT = 300
ADDRESS = Word("$ADDRESS", known=False)
"""Stands for an address that is not known."""


class Sending(Names):
    """Follows values from where they are read to where they are sent or run."""

    def origin(self, node: ast.expr) -> str:
        """`fetched` when a value comes from another machine, `decoded` when nobody can read it as it stands."""
        found = {note for one in self._parts(node) if isinstance(one, ast.Call) and (note := self._note(one))}
        return "fetched" if "fetched" in found else "decoded" if found else ""

    def _note(self, node: ast.Call) -> str:
        name = self.name(node.func)
        if FETCHES.fullmatch(name):
            return "fetched"
        return "decoded" if name.rpartition(".")[2] in DECODES or name == "marshal.loads" else ""

    def sent(self, node: ast.Call, name: str) -> Act | None:
        """What a call sends, when it holds something that was read."""
        last = name.rpartition(".")[2]
        if last not in ALWAYS and not (last in SENDS and CLIENTS.match(name)):
            return None
        given = [*node.args, *(item.value for item in node.keywords if item.arg not in ASIDE)]
        feeds = tuple(dict.fromkeys(feed for item in given for feed in self._feeds(item)))
        if last == "upload_file" and node.args:
            feeds = ((Word("cat"), self.word(node.args[0])),)
        return Act("send", [self._address(node, name)], feeds) if feeds else None

    def _address(self, node: ast.Call, name: str) -> Word:
        url = next((item.value for item in node.keywords if item.arg == "url"), None)
        if name.startswith("http.client") and isinstance(node.func, ast.Attribute):
            made = self.value(node.func.value)
            url = made.args[0] if isinstance(made, ast.Call) and made.args else None
        elif url is None:
            texts = (item for item in node.args[:2] if "://" in self.word(item).text)
            url = next(texts, None)
        word = self.word(url) if url is not None else ADDRESS
        return word if word.known else ADDRESS

    def _feeds(self, node: ast.expr) -> Iterator[Feed]:
        """The files and the environment that a value is made of."""
        for one in self._parts(node):
            if isinstance(one, ast.Call) and (path := self.opened(one)) is not None:
                yield (Word("cat"), path)
            elif isinstance(one, ast.Attribute | ast.Name) and self.name(one) in ENVIRONMENT:
                yield (Word("env"),)

    def opened(self, node: ast.Call) -> Word | None:
        """The file that a call reads; None when it reads none."""
        name = self.name(node.func)
        if name in OPENS:
            return self.word(node.args[0]) if node.args else Word(".env") if "dotenv" in name else None
        if not isinstance(node.func, ast.Attribute):
            return None
        if node.func.attr in READS or (node.func.attr == "open" and self.is_path(node.func.value)):
            return self.word(node.func.value)
        if node.func.attr == "read" and len(node.args) == 1:  # `ConfigParser().read(path)`
            path = self.word(node.args[0])
            return path if "/" in path.text else None
        return None

    def is_path(self, node: ast.expr) -> bool:
        """Whether an expression is a path object: `Path(...)`, `Path(...) / x`, or one of unknown kind."""
        node = self.value(node)
        if isinstance(node, ast.Call):
            last = self.name(node.func).rpartition(".")[2]
            return last in ("Path", "PosixPath", "home", "cwd", "resolve", "joinpath", "expanduser", "absolute")
        return isinstance(node, ast.BinOp | ast.Name) or (isinstance(node, ast.Attribute) and node.attr == "parent")

    def _parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """The pieces of an expression, and of what its names stand for. A single variable is not the environment."""
        waiting: list[ast.AST] = [node]
        seen: set[str] = set()
        for _ in range(MAX_LOOKED_AT):
            if not waiting or self.left <= 0:
                return
            one = waiting.pop()
            self.left -= 1
            yield one
            if isinstance(one, ast.Name) and one.id not in seen:
                seen.add(one.id)
                waiting.extend(held for held in (self.values.get(one.id), self.drawn.get(one.id)) if held is not None)
            elif isinstance(one, ast.Subscript) and self.name(one.value) in ENVIRONMENT:
                waiting.append(one.slice)
            elif isinstance(one, ast.Call) and self._single(one):
                waiting.extend(one.args[1:])
            else:
                waiting.extend(ast.iter_child_nodes(one))

    def _single(self, node: ast.Call) -> bool:
        func = node.func
        return isinstance(func, ast.Attribute) and func.attr in SINGLE and self.name(func.value) in ENVIRONMENT
