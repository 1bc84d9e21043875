"""Shell text as a tree. Tolerant: what bash would reject is passed over and noted, never a reason to see less."""

import re

from synaptic.parse.shell.lexer import Source
from synaptic.parse.shell.limits import Budget
from synaptic.parse.shell.simple import NOTHING, REDIRECT, SimpleCommands
from synaptic.parse.shell.syntax import (
    Choice,
    Function,
    Group,
    Loop,
    Node,
    Pipeline,
    Redirection,
    Sequence,
    Test,
    Token,
)

KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|function|coproc|time|\{|\}|!|\[\[)"
    r"(?=[ \t\n;&|()<>]|\\\n|$)"
)
DEFINITION = re.compile(r"([^\s;&|()<>'\"\\$`#=][^\s;&|()<>'\"\\$`=]*+)[ \t]*+\([ \t]*+\)")
CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
COMMENT = re.compile(r"#[^\n]*")
SEMICOLONS = re.compile(r"[; \t]+")
LOOP_NAME = re.compile(r"\w+")
CASE_END = re.compile(r";;&?|;&")
TIME_OPTION = re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?")


def parse(text: str, budget: Budget, source: Source, depth: int = 0) -> tuple[Sequence, list[str]]:
    """The tree of a text and what is wrong with it. At a limit: what was read up to there."""
    grammar = Grammar(text, budget, source, depth)
    return grammar.commands(NOTHING), [] if budget.reason else grammar.broken


class Grammar(SimpleCommands):
    """Recursive descent over one text."""

    def commands(self, stop: frozenset[str]) -> Sequence:
        tree = Sequence([])
        self.fill(tree, stop)
        return tree

    def fill(self, tree: Sequence, stop: frozenset[str]) -> None:
        """Append commands to the tree up to a closing word, or to the end."""
        while not self.ended(stop):
            items: list[Node] = []
            self.and_or(items)
            if self.text.startswith("&", self.at):
                self.at += 1
                body = items[0] if len(items) == 1 else Sequence(items)
                tree.items.append(Group(body, [], apart=True, background=True))
            else:
                tree.items.extend(items)

    def ended(self, stop: frozenset[str]) -> bool:
        """Skip separators; whether a closing word or the end is reached. Stray closing words are passed over."""
        while True:
            self.separators(";;" in stop)
            if self.at >= self.size:
                self.bodies()
                return True
            if self.text[self.at] == ")":
                if ")" in stop:
                    return True
                self.stray(1)
                continue
            if ";;" in stop and CASE_END.match(self.text, self.at):
                return True
            word = KEYWORD.match(self.text, self.at)
            if word is None or word[0] not in CLOSING:
                return False
            if word[0] in stop:
                return True
            self.stray(len(word[0]))

    def stray(self, length: int) -> None:
        self.broken.append(f"`{self.text[self.at : self.at + length]}` stands alone")
        self.at += length

    def separators(self, in_case: bool) -> None:
        while self.at < self.size:
            char = self.text[self.at]
            if char == "\n":
                self.newline()
            elif char == ";" and not in_case:
                self.at = SEMICOLONS.match(self.text, self.at).end()  # type: ignore[union-attr]
            elif char in " \t" or (char == "\\" and self.text.startswith("\\\n", self.at)):
                self.blank()
            elif char == "#":
                self.comment()
            elif char in ";&|" and not (in_case and CASE_END.match(self.text, self.at)):
                if REDIRECT.match(self.text, self.at) or not self.spend():
                    return
                self.at += 1
            else:
                return

    def and_or(self, items: list[Node]) -> None:
        while True:
            items.append(self.pipeline())
            if not self.text.startswith(("&&", "||"), self.at):
                return
            self.at += 2
            if self.ended(NOTHING):
                return

    def pipeline(self) -> Node:
        stages = [self.command()]
        while True:
            self.blank()
            if not self.text.startswith("|", self.at) or self.text.startswith("||", self.at):
                break
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self.lines()
            stages.append(self.command())
        return stages[0] if len(stages) == 1 else Pipeline(stages)

    def command(self) -> Node:
        self.blank()
        if self.text.startswith("(", self.at):
            return self.bracket()
        if self.text.startswith("!(", self.at):
            self.at += 1
            return self.command()
        found = KEYWORD.match(self.text, self.at)
        if found:
            self.deeper()
            node = self.keyword(found[0])
            self.depth -= 1
            if node is not None:
                return node
        defined = DEFINITION.match(self.text, self.at)
        if defined:
            self.at = defined.end()
            return self.definition(defined[1])
        return self.simple()

    def keyword(self, word: str) -> Node | None:
        start = self.at
        self.at += len(word)
        if word == "if":
            return self.choice()
        if word in ("for", "select"):
            return self.loop()
        if word in ("while", "until"):
            return self.conditional()
        if word == "case":
            return self.case()
        if word == "{":
            return self.group("}", apart=False)
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
        body = self.commands(frozenset({closing}))
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
            found = REDIRECT.match(self.text, self.at)
            if found is None:
                break
            redirections.append(self.redirection(found))
        return Group(body, redirections, apart) if redirections or apart else body

    def choice(self) -> Node:
        branches: list[Node] = [self.commands(frozenset({"then"}))]
        self.close("then")
        branches.append(self.commands(frozenset({"elif", "else", "fi"})))
        while self.text.startswith("el", self.at):
            if self.text.startswith("elif", self.at):
                self.at += 4
                branches.append(self.commands(frozenset({"then"})))
                self.close("then")
            else:
                self.at += 4
            branches.append(self.commands(frozenset({"elif", "else", "fi"})))
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
            branches.append(self.commands(frozenset({";;", "esac"})))
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
        self.blank()
        if self.text.startswith("((", self.at):
            return self.counted()
        found = LOOP_NAME.match(self.text, self.at)
        self.at = found.end() if found else self.at
        self.lines()
        tokens = self.loop_words()
        return self.redirected(Loop(self.do(), found[0] if found else "_", tokens), apart=False)

    def loop_words(self) -> list[Token] | None:
        if not re.compile(r"in(?=[ \t\n;\\])").match(self.text, self.at):
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
        condition = self.commands(frozenset({"do"}))
        return self.redirected(Loop(self.do(), condition=condition), apart=False)

    def do(self) -> Node:
        self.separators(in_case=False)
        if self.text.startswith("{", self.at):
            self.at += 1
            return self.group("}", apart=False)
        self.close("do")
        body = self.commands(frozenset({"done"}))
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
