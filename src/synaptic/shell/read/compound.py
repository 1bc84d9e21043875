"""What keywords and brackets open: groups, choices, loops, functions, tests."""

import re

from synaptic.shell.read.simple import REDIRECTION, STARTS_REDIRECT, SimpleCommands
from synaptic.shell.read.syntax import Choice, Function, Group, Loop, Node, Redirection, Test, Token
from synaptic.shell.read.whole import ROW

CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
KEYWORDS = CLOSING | {"if", "for", "select", "while", "until", "case", "function", "coproc", "time", "{", "!", "[["}
FUNCTION_NAME = re.compile(r"([^\s;&|()<>]++)(?:[ \t]*+\([ \t]*+\))?")
"""What follows the word `function`: the brackets behind the name may be missing."""
KEYWORD = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(KEYWORDS)))})(?=[ \t\n;&|()<>]|\\\n|$)")
THEN, ELSE, DO, DONE = frozenset({"then"}), frozenset({"elif", "else", "fi"}), frozenset({"do"}), frozenset({"done"})
CLOSES = {"}": frozenset("}"), ")": frozenset(")")}
BRANCH = frozenset({";;", "esac"})
STARTS_SEPARATOR = frozenset(" \t\n;&|#\\")
BETWEEN = re.compile(r"[; \t\n]*+")
LOOP = re.compile(rf"[ \t]++(\w++)[ \t]++in({ROW})[ \t]*+[;\n][ \t\n]*+do(?=[ \t\n])")
"""The head of a `for` as most are written."""
IN = re.compile(r"in(?=[ \t\n;\\])")
LOOP_NAME = re.compile(r"\w+")
CASE_END = re.compile(r";;&?|;&")
TIME_OPTION = re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?")


class Compounds(SimpleCommands):
    """Reads what keywords and brackets open. The grammar above it reads the commands inside."""

    def command(self) -> Node:
        """The command that starts here; the grammar provides it."""
        raise TypeError(f"{type(self).__name__} reads no commands")

    def separators(self, in_case: bool) -> None:
        while self.at < self.size:
            if not in_case and not self.waiting:
                self.at = BETWEEN.match(self.text, self.at).end()  # type: ignore[union-attr]
            char = self.text[self.at : self.at + 1]
            if char not in STARTS_SEPARATOR:
                return
            if char == "\n":
                self.newline()
            elif char == ";" and not in_case:
                self.at += 1
            elif char in " \t" or (char == "\\" and self.text.startswith("\\\n", self.at)):
                self.blank()
            elif char == "#":
                self.comment()
            elif char in ";&|" and not (in_case and CASE_END.match(self.text, self.at)):
                # `&>file` begins a command of its own; any other stray operator is passed over, so that what follows
                # is still read.
                if REDIRECTION.match(self.text, self.at) or not self.spend():
                    return
                self.at += 1
            else:
                return

    def keyword(self, word: str) -> Node | None:
        start = self.at
        self.at += len(word)
        if word == "{":
            return self.group("}", apart=False)
        if word == "if":
            return self.choice()
        if word in ("for", "select"):
            return self.loop()
        if word in ("while", "until"):
            return self.conditional()
        if word == "case":
            return self.case()
        if word == "[[":
            return self.double_bracket()
        if word == "function":
            return self.named_function()
        if word in ("!", "coproc"):
            self.blank()
            return self.coprocess() if word == "coproc" else self.command()
        if word == "time" and self.timed():
            return self.command()
        # No keyword here (such as `time` with options): it is read again as a simple command.
        self.at = start
        return None

    def timed(self) -> bool:
        """Whether `time` is the keyword; with options of the program of that name it is a simple command."""
        option = TIME_OPTION.match(self.text, self.at)
        if option:
            self.at = option.end()
        self.blank()
        return self.at < self.size and self.text[self.at] not in "-'\"\\;\n&|"

    def coprocess(self) -> Node:
        named = re.compile(r"\w+[ \t]+(?=[{(])").match(self.text, self.at)
        if named:
            self.at = named.end()
        return Group(self.command(), [], apart=True, background=True)

    def bracket(self) -> Node:
        if self.text.startswith("((", self.at):
            end = self.arithmetic_end(self.at + 2)
            if end is not None:
                token = self.arithmetic(self.at + 2, end)
                self.at = end + 2
                return self.redirected(Test([token]), apart=False)
        self.at += 1
        self.deeper()
        node = self.group(")", apart=True)
        self.depth -= 1
        return node

    def group(self, closing: str, apart: bool) -> Node:
        body = self.commands(CLOSES[closing])
        self.close(closing)
        return self.redirected(body, apart)

    def close(self, word: str) -> bool:
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        self.broken.append(f"`{word}` is missing")
        return False

    def redirected(self, body: Node, apart: bool) -> Node:
        redirections: list[Redirection] = []
        while True:
            self.blank()
            if self.text[self.at : self.at + 1] not in STARTS_REDIRECT:
                break
            found = REDIRECTION.match(self.text, self.at)
            if found is None:
                break
            redirections.append(self.redirection(found))
        return Group(body, redirections, apart) if redirections or apart else body

    def choice(self) -> Node:
        branches: list[Node] = [self.commands(THEN)]
        self.close("then")
        branches.append(self.commands(ELSE))
        while self.text.startswith("el", self.at):
            if self.text.startswith("elif", self.at):
                self.at += 4
                branches.append(self.commands(THEN))
                self.close("then")
            else:
                self.at += 4
            branches.append(self.commands(ELSE))
        self.close("fi")
        return self.redirected(Choice(branches), apart=False)

    def case(self) -> Node:
        self.blank()
        subject = self.word()
        self.lines()
        if self.text.startswith("in", self.at):
            self.at += 2
        branches: list[Node] = []
        while not self.case_closed():
            self.patterns()
            branches.append(self.commands(BRANCH))
            end = CASE_END.match(self.text, self.at)
            if end:
                self.at = end.end()
        self.close("esac")
        return self.redirected(Choice(branches, subject), apart=False)

    def case_closed(self) -> bool:
        self.lines()
        found = KEYWORD.match(self.text, self.at)
        return self.at >= self.size or bool(found and found[0] == "esac")

    def patterns(self) -> None:
        if self.text.startswith("(", self.at):
            self.at += 1
        while self.at < self.size:
            self.blank()
            char = self.text[self.at : self.at + 1]
            if char in ")\n;":
                self.at += char == ")"
                return
            if char in "|&<>(":
                self.at += 1
            elif char:
                self.word()

    def loop(self) -> Node:
        head = None if self.waiting else LOOP.match(self.text, self.at)
        if head is not None and self.budget.words > 0:
            return self.ordinary_loop(head)
        self.blank()
        if self.text.startswith("((", self.at):
            return self.counted()
        found = LOOP_NAME.match(self.text, self.at)
        self.at = found.end() if found else self.at
        self.lines()
        tokens = self.loop_words()
        return self.redirected(Loop(self.do(), found[0] if found else "_", tokens), apart=False)

    def ordinary_loop(self, head: re.Match[str]) -> Node:
        tokens = self.row(head.start(2), head.end(2))
        self.at = head.end()
        body = self.commands(DONE)
        self.close("done")
        return self.redirected(Loop(body, head[1], tokens), apart=False)

    def loop_words(self) -> list[Token] | None:
        if not IN.match(self.text, self.at):
            return None
        self.at += 2
        tokens: list[Token] = []
        while True:
            self.blank()
            if self.at >= self.size or self.text[self.at] in ";\n&|)(":
                return tokens
            tokens.append(self.word())

    def counted(self) -> Node:
        end = self.arithmetic_end(self.at + 2)
        stop = self.size if end is None else end
        head = Test([self.arithmetic(self.at + 2, stop)])
        self.at = min(stop + 2, self.size)
        return self.redirected(Loop(self.do(), condition=head), apart=False)

    def conditional(self) -> Node:
        condition = self.commands(DO)
        return self.redirected(Loop(self.do(), condition=condition), apart=False)

    def do(self) -> Node:
        self.separators(in_case=False)
        # Bash also takes `for x in a; { ...; }`, which its manual does not mention.
        if self.text.startswith("{", self.at):
            self.at += 1
            return self.group("}", apart=False)
        self.close("do")
        body = self.commands(DONE)
        self.close("done")
        return body

    def named_function(self) -> Node:
        self.blank()
        found = FUNCTION_NAME.match(self.text, self.at) if self.spend() else None
        self.at = found.end() if found else self.at
        return self.definition(found[1] if found else "")

    def definition(self, name: str) -> Node:
        self.lines()
        start = self.at
        self.deeper()
        body = self.command()
        self.depth -= 1
        return Function(name, body, self.text[start : self.at])

    def double_bracket(self) -> Node:
        tokens: list[Token] = []
        while self.at < self.size:
            self.blank()
            char = self.text[self.at : self.at + 1]
            # A line that ends with `[[` is no test; what follows is read as commands, not swallowed as its words.
            if char == "\n" and not tokens:
                break
            if char and char in ";&|()<>\n":
                self.at += 1
                continue
            if self.at >= self.size:
                break
            token = self.word()
            if token.text == "]]":
                return self.redirected(Test(tokens), apart=False)
            tokens.append(token)
        self.broken.append("`]]` is missing")
        return Test(tokens)
