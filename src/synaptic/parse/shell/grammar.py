"""Shell text as a tree. Tolerant: what bash would reject is passed over and noted, never a reason to see less."""

import re

from synaptic.parse.shell.lexer import Source
from synaptic.parse.shell.limits import Budget
from synaptic.parse.shell.simple import ASSIGN, NOTHING, REDIRECTION, STARTS_REDIRECT, SimpleCommands
from synaptic.parse.shell.syntax import (
    Assignment,
    Choice,
    Function,
    Group,
    Loop,
    Node,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
    Test,
    Token,
)
from synaptic.parse.shell.whole import ROW

CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
KEYWORDS = CLOSING | {"if", "for", "select", "while", "until", "case", "function", "coproc", "time", "{", "!", "[["}
KEYWORD = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(KEYWORDS)))})(?=[ \t\n;&|()<>]|\\\n|$)")
NAME = r"[^ \t\n;&|()<>'\"\\$`{#=]++(?![^ \t\n;|)&]|&>)(?![ \t]*+\()"
"""A first word that is no assignment and no function's name, and may be a keyword."""
DEFINED = r"([^\s;&|()<>'\"\\$`#=][^\s;&|()<>'\"\\$`=]*+)[ \t]*+\([ \t]*+\)"
FIRST = rf"(?:({NAME}|[{{}}](?=[ \t\n;|)]|\Z)|\))|{ASSIGN.pattern}|{DEFINED})"
"""What a command begins with: a name or a keyword, an assignment, a definition, or a bracket that closes."""
HERE = re.compile(FIRST)
START = re.compile(rf"(?:[; \t\n]++|#[^\n]*+)*+{FIRST}")
IN_CASE = re.compile(rf"(?:[ \t\n]++|#[^\n]*+)*+(?:{FIRST}|(;;&?|;&))")
"""The same behind what stands between two commands. In a `case` semicolons have a meaning."""
NAMED, ASSIGNED, DEFINES, ENDS_CASE = 1, 4, 5, 6
"""The group that tells which it is."""
CLOSERS = CLOSING | {")"}
RESERVED = KEYWORDS | {")"}
JOINS = frozenset(" \t\\|&")
"""What may begin with these behind a command: more of its line."""
STARTS_CLOSING = frozenset({*");&", *(word[0] for word in CLOSING)})
"""What a closing word, a closing bracket or the end of a case begins with."""
THEN, ELSE, DO, DONE = frozenset({"then"}), frozenset({"elif", "else", "fi"}), frozenset({"do"}), frozenset({"done"})
CLOSES = {"}": frozenset("}"), ")": frozenset(")")}
BRANCH = frozenset({";;", "esac"})
STARTS_SEPARATOR = frozenset(" \t\n;&|#\\")
BETWEEN = re.compile(r"[; \t\n]*+")
PIPE = re.compile(r"(?:[ \t]++|\\\n)*+\|(?!\|)&?[ \t]*+")
LOOP = re.compile(rf"[ \t]++(\w++)[ \t]++in({ROW})[ \t]*+[;\n][ \t\n]*+do(?=[ \t\n])")
"""The head of a `for` as most are written."""
IN = re.compile(r"in(?=[ \t\n;\\])")
LOOP_NAME = re.compile(r"\w+")
BRACKETS = re.compile(r"\)+")
CASE_END = re.compile(r";;&?|;&")
TIME_OPTION = re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?")


def parse(text: str, budget: Budget, source: Source, depth: int = 0) -> tuple[Sequence, list[str]]:
    """The tree of a text and what is wrong with it. At a limit: what was read up to there."""
    grammar = Grammar(text, budget, source, depth)
    return grammar.commands(NOTHING), [] if budget.reason else grammar.broken


class Grammar(SimpleCommands):
    """Recursive descent over one text."""

    def commands(self, stop: frozenset[str]) -> Sequence:
        """Commands up to a closing word, or to the end."""
        found: list[Node] = []
        while (node := self.following(stop)) is not None:
            if self.text[self.at : self.at + 1] in JOINS:
                self.and_or(node, found)
            else:
                found.append(node)
        return Sequence(found)

    def following(self, stop: frozenset[str]) -> Node | None:
        """The next command; None at a closing word or the end."""
        pattern = IN_CASE if ";;" in stop else START
        while not self.waiting and self.budget.words > 0:
            found = pattern.match(self.text, self.at)
            if found is None:
                break
            name, end = found[NAMED], found.end()
            if name is None:
                if found.lastindex == ENDS_CASE:
                    self.at = found.start(ENDS_CASE)
                    return None
                if found[DEFINES] in KEYWORDS:
                    break
                return self.unnamed(found)
            if name not in RESERVED:
                return self.begun(name, end)
            if name not in CLOSERS:
                self.at = end - len(name)
                return self.opened(name)
            if name in stop:
                self.at = end - len(name)
                return None
            self.stray(name, BRACKETS.match(self.text, end - 1).end() if name == ")" else end)  # type: ignore[union-attr]
        return None if self.ended(stop) else self.command()

    def unnamed(self, found: re.Match[str]) -> Node:
        """What begins with an assignment or is a definition."""
        if found.lastindex == ASSIGNED:
            start, self.at = found.start(2), found.end()
            value = Assignment(found[2], self.value(), found[4] == "+", found[3] or "")
            return self.rest(Simple([], [value], []), start)
        self.at = found.end()
        return self.definition(found[DEFINES])

    def ended(self, stop: frozenset[str]) -> bool:
        """Skip separators; whether a closing word or the end is reached. Stray closing words are passed over."""
        while True:
            self.separators(";;" in stop)
            if self.at >= self.size:
                self.bodies()
                return True
            char = self.text[self.at]
            if char not in STARTS_CLOSING:
                return False
            if char == ")":
                if ")" in stop:
                    return True
                self.stray(")", BRACKETS.match(self.text, self.at).end())  # type: ignore[union-attr]
                continue
            if ";;" in stop and CASE_END.match(self.text, self.at):
                return True
            word = KEYWORD.match(self.text, self.at)
            if word is None or word[0] not in CLOSING:
                return False
            if word[0] in stop:
                return True
            self.stray(word[0], word.end())

    def stray(self, word: str, end: int) -> None:
        """Pass over a closing word that closes nothing; it counts, so that a megabyte of them does not."""
        reason = f"`{word}` stands alone"
        if reason not in self.broken:
            self.broken.append(reason)
        self.at = end
        self.spend()

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
                if REDIRECTION.match(self.text, self.at) or not self.spend():
                    return
                self.at += 1
            else:
                return

    def and_or(self, node: Node, items: list[Node]) -> None:
        """What stands behind a command on its line: pipes, `&&`, `||`, and `&`."""
        before = len(items)
        while True:
            items.append(self.pipeline(node))
            if not self.text.startswith(("&&", "||"), self.at):
                break
            self.at += 2
            following = self.following(NOTHING)
            if following is None:
                break
            node = following
        if self.text.startswith("&", self.at):
            self.at += 1
            body = items[before] if len(items) == before + 1 else Sequence(items[before:])
            items[before:] = [Group(body, [], apart=True, background=True)]

    def pipeline(self, node: Node) -> Node:
        found = PIPE.match(self.text, self.at)
        if found is None:
            self.blank()
            return node
        stages = [node]
        while found is not None:
            self.at = found.end()
            self.lines()
            stages.append(self.command())
            found = PIPE.match(self.text, self.at)
        self.blank()
        return Pipeline(stages)

    def command(self) -> Node:
        """The command that starts here, without blanks in front of it."""
        found = HERE.match(self.text, self.at) if self.budget.words > 0 else None
        if found is not None and found[NAMED] != ")" and found[DEFINES] not in KEYWORDS:
            name = found[NAMED]
            if name is None:
                return self.unnamed(found)
            return self.opened(name) if name in KEYWORDS else self.begun(name, found.end())
        if self.text.startswith("(", self.at):
            return self.bracket()
        if self.text.startswith("!(", self.at):
            self.at += 1
            return self.command()
        found = KEYWORD.match(self.text, self.at)
        return self.simple() if found is None else self.opened(found[0])

    def opened(self, word: str) -> Node:
        """What a keyword opens; a command of that name where it is none."""
        self.deeper()
        node = self.keyword(word)
        self.depth -= 1
        return self.simple() if node is None else node

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
        if self.text.startswith("{", self.at):
            self.at += 1
            return self.group("}", apart=False)
        self.close("do")
        body = self.commands(DONE)
        self.close("done")
        return body

    def named_function(self) -> Node:
        self.blank()
        name = self.word()
        found = re.compile(r"[ \t]*\([ \t]*\)").match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.definition(name.text or "")

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
