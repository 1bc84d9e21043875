"""What keywords and brackets open: groups, choices, loops, functions, tests."""

import re

from synaptic.shell.read.simple import REDIRECTION, STARTS_REDIRECT, SimpleCommands
from synaptic.shell.read.syntax import (
    Choice,
    CommandGroup,
    Coprocess,
    FunctionDefinition,
    Loop,
    Node,
    Redirection,
    TestExpression,
    WordToken,
)
from synaptic.shell.read.whole import WORD_ROW

CLOSING_WORDS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
KEYWORDS = CLOSING_WORDS | {
    "if",
    "for",
    "select",
    "while",
    "until",
    "case",
    "function",
    "coproc",
    "time",
    "{",
    "!",
    "[[",
}
FUNCTION_NAME = re.compile(
    r"([^\s;&|()<>{][^\s;&|()<>]*+(?:[ \t]++[^\s;&|()<>{][^\s;&|()<>]*+)*+)?(?:[ \t]*+\([ \t]*+\))?"
)
"""What follows the word `function`: the brackets behind the name may be missing, and in zsh the name, too."""
NAMELESS = re.compile(r"\([ \t]*+\)(?=[ \t\n]*+(?:[{(]|(?:for|while|if)\b))")
"""How zsh begins a function without a name, which runs at once."""
KEYWORD = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(KEYWORDS)))})(?=[ \t\n;&|()<>]|\\\n|$)")
THEN, ELSE, DO, DONE = frozenset({"then"}), frozenset({"elif", "else", "fi"}), frozenset({"do"}), frozenset({"done"})
CLOSING_SETS = {"}": frozenset("}"), ")": frozenset(")")}
BRANCH = frozenset({";;", "esac"})
STARTS_SEPARATOR = frozenset(" \t\n;&|#\\")
BETWEEN = re.compile(r"[; \t\n]*+")
LOOP = re.compile(rf"[ \t]++(\w++)[ \t]++in({WORD_ROW})[ \t]*+[;\n][ \t\n]*+do(?=[ \t\n])")
"""The head of a `for` as most are written."""
MORE_LOOP_NAMES = re.compile(r"(?!in[ \t\n;\\])[A-Za-z_]\w*+[ \t]++(?=in[ \t]|\()")
IN = re.compile(r"in(?=[ \t\n;\\])")
LOOP_NAME = re.compile(r"\w+")
CASE_END = re.compile(r";;&?|;&")
COPROCESS_NAME = re.compile(r"(\w++)[ \t]++(?=[{(])")
TIME_OPTION = re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?:[ \t]+--(?=[ \t]))?")


class CompoundCommands(SimpleCommands):
    """Reads what keywords and brackets open. The grammar above it reads the commands inside."""

    def read_command(self) -> Node:
        """The command that starts here; the grammar provides it."""
        raise TypeError(f"{type(self).__name__} reads no commands")

    def skip_separators(self, in_case: bool) -> None:
        while self.at < self.size:
            if not in_case and not self.waiting:
                self.at = BETWEEN.match(self.text, self.at).end()  # type: ignore[union-attr]
            char = self.text[self.at : self.at + 1]
            if char not in STARTS_SEPARATOR:
                return
            if char == "\n":
                self.skip_newline()
            elif char == ";" and not in_case:
                self.at += 1
            elif char in " \t" or (char == "\\" and self.text.startswith("\\\n", self.at)):
                self.skip_blanks()
            elif char == "#":
                self.skip_comment()
            elif char in ";&|" and not (in_case and CASE_END.match(self.text, self.at)):
                # `&>file` begins a command of its own; any other stray operator is passed over, so that what follows
                # is still read.
                if REDIRECTION.match(self.text, self.at) or not self.spend():
                    return
                self.at += 1
            else:
                return

    def read_keyword(self, word: str) -> Node | None:
        start = self.at
        self.at += len(word)
        if word == "{":
            return self.read_group("}", apart=False)
        if word == "if":
            return self.read_if()
        if word in ("for", "select"):
            return self.read_loop()
        if word in ("while", "until"):
            return self.read_while_loop()
        if word == "case":
            return self.read_case()
        if word == "[[":
            return self.read_double_bracket()
        if word == "function":
            return self.read_named_function()
        if word in ("!", "coproc"):
            self.skip_blanks()
            return self.read_coprocess() if word == "coproc" else self.read_command()
        if word == "time" and self.take_time_keyword():
            return self.read_command()
        # No keyword here (such as `time` with options): it is read again as a simple command.
        self.at = start
        return None

    def take_time_keyword(self) -> bool:
        """Whether `time` is the keyword; with options of the program of that name it is a simple command."""
        option = TIME_OPTION.match(self.text, self.at)
        if option:
            self.at = option.end()
        self.skip_blanks()
        return self.at < self.size and self.text[self.at] not in "-'\"\\;\n&|"

    def read_coprocess(self) -> Node:
        named = COPROCESS_NAME.match(self.text, self.at)
        if named:
            self.at = named.end()
        return Coprocess(named[1] if named else "COPROC", self.read_command())

    def read_bracket(self) -> Node:
        if self.text.startswith("((", self.at):
            end = self.find_arithmetic_end(self.at + 2)
            if end is not None:
                token = self.read_arithmetic(self.at + 2, end)
                self.at = end + 2
                return self.attach_redirections(TestExpression([token], True), apart=False)
        nameless = NAMELESS.match(self.text, self.at)
        if nameless is not None:
            self.at = nameless.end()
            return self.read_function_body("")
        self.at += 1
        self.enter_nesting()
        node = self.read_group(")", apart=True)
        self.depth -= 1
        return node

    def read_group(self, closing: str, apart: bool) -> Node:
        body = self.read_commands(CLOSING_SETS[closing])
        self.expect_closing(closing)
        return self.attach_redirections(body, apart)

    def expect_closing(self, word: str) -> bool:
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        self.broken.append(f"`{word}` is missing")
        return False

    def attach_redirections(self, body: Node, apart: bool) -> Node:
        redirections: list[Redirection] = []
        while True:
            self.skip_blanks()
            if self.text[self.at : self.at + 1] not in STARTS_REDIRECT:
                break
            found = REDIRECTION.match(self.text, self.at)
            if found is None:
                break
            redirections.append(self.read_redirection(found))
        return CommandGroup(body, redirections, apart) if redirections or apart else body

    def read_if(self) -> Node:
        branches: list[Node] = [self.read_commands(THEN)]
        self.expect_closing("then")
        branches.append(self.read_commands(ELSE))
        while self.text.startswith("el", self.at):
            if self.text.startswith("elif", self.at):
                self.at += 4
                branches.append(self.read_commands(THEN))
                self.expect_closing("then")
            else:
                self.at += 4
            branches.append(self.read_commands(ELSE))
        self.expect_closing("fi")
        return self.attach_redirections(Choice(branches), apart=False)

    def read_case(self) -> Node:
        self.skip_blanks()
        subject = self.read_word()
        self.skip_lines()
        if self.text.startswith("in", self.at):
            self.at += 2
        branches: list[Node] = []
        while not self.is_case_closed():
            self.read_case_patterns()
            branches.append(self.read_commands(BRANCH))
            end = CASE_END.match(self.text, self.at)
            if end:
                self.at = end.end()
        self.expect_closing("esac")
        return self.attach_redirections(Choice(branches, subject), apart=False)

    def is_case_closed(self) -> bool:
        self.skip_lines()
        found = KEYWORD.match(self.text, self.at)
        return self.at >= self.size or bool(found and found[0] == "esac")

    def read_case_patterns(self) -> None:
        if self.text.startswith("(", self.at):
            self.at += 1
        while self.at < self.size:
            self.skip_blanks()
            char = self.text[self.at : self.at + 1]
            if char in ")\n;":
                self.at += char == ")"
                return
            if char in "|&<>(":
                self.at += 1
            elif char:
                self.read_word()

    def read_loop(self) -> Node:
        head = None if self.waiting else LOOP.match(self.text, self.at)
        if head is not None and self.budget.words > 0:
            return self.read_ordinary_loop(head)
        self.skip_blanks()
        if self.text.startswith("((", self.at):
            return self.read_counted_loop()
        found = LOOP_NAME.match(self.text, self.at)
        self.at = found.end() if found else self.at
        self.skip_lines()
        while (more := MORE_LOOP_NAMES.match(self.text, self.at)) is not None:
            self.at = more.end()
        tokens = self.read_loop_words()
        return self.attach_redirections(Loop(self.read_loop_body(), found[0] if found else "_", tokens), apart=False)

    def read_ordinary_loop(self, head: re.Match[str]) -> Node:
        tokens = self.read_word_row(head.start(2), head.end(2))
        self.at = head.end()
        body = self.read_commands(DONE)
        self.expect_closing("done")
        return self.attach_redirections(Loop(body, head[1], tokens), apart=False)

    def read_loop_words(self) -> list[WordToken] | None:
        bracketed = self.text.startswith("(", self.at)
        if not bracketed and not IN.match(self.text, self.at):
            return None
        self.at += 1 if bracketed else 2
        tokens: list[WordToken] = []
        while True:
            self.skip_blanks()
            if self.at >= self.size or self.text[self.at] in ";\n&|)(":
                # `for x (a b)` of zsh.
                self.at += bracketed and self.text.startswith(")", self.at)
                return tokens
            # `for x in a b { ... }` of zsh.
            if self.text.startswith(("{ ", "{\n"), self.at):
                return tokens
            tokens.append(self.read_word())

    def read_counted_loop(self) -> Node:
        end = self.find_arithmetic_end(self.at + 2)
        stop = self.size if end is None else end
        head = TestExpression([self.read_arithmetic(self.at + 2, stop)], True)
        self.at = min(stop + 2, self.size)
        return self.attach_redirections(Loop(self.read_loop_body(), condition=head), apart=False)

    def read_while_loop(self) -> Node:
        condition = self.read_commands(DO)
        return self.attach_redirections(Loop(self.read_loop_body(), condition=condition), apart=False)

    def read_loop_body(self) -> Node:
        self.skip_separators(in_case=False)
        # Bash also takes `for x in a; { ...; }`, which its manual does not mention.
        if self.text.startswith("{", self.at):
            self.at += 1
            return self.read_group("}", apart=False)
        if not self.expect_closing("do"):
            # zsh takes one command without `do`.
            return self.read_command()
        body = self.read_commands(DONE)
        self.expect_closing("done")
        return body

    def read_named_function(self) -> Node:
        self.skip_blanks()
        found = FUNCTION_NAME.match(self.text, self.at) if self.spend() else None
        self.at = found.end() if found else self.at
        return self.read_function_body(found[1] or "" if found else "")

    def read_function_body(self, name: str) -> Node:
        self.skip_lines()
        start = self.at
        self.enter_nesting()
        body = self.read_command()
        self.depth -= 1
        node = FunctionDefinition(name, body, self.text[start : self.at])
        if not name:
            node.arguments = self.read_function_arguments()
        return node

    def read_function_arguments(self) -> list[WordToken]:
        """The words behind a function without a name."""
        tokens: list[WordToken] = []
        self.skip_blanks()
        while self.at < self.size and self.text[self.at] not in ";&|\n)(<>#":
            tokens.append(self.read_word())
            self.skip_blanks()
        return tokens

    def read_double_bracket(self) -> Node:
        tokens: list[WordToken] = []
        while self.at < self.size:
            self.skip_blanks()
            char = self.text[self.at : self.at + 1]
            # A line that ends with `[[` is no test; what follows is read as commands, not swallowed as its words.
            if char == "\n" and not tokens:
                break
            if char and char in ";&|()<>\n":
                self.at += 1
                continue
            if self.at >= self.size:
                break
            token = self.read_word()
            if token.text == "]]":
                return self.attach_redirections(TestExpression(tokens), apart=False)
            tokens.append(token)
        self.broken.append("`]]` is missing")
        return TestExpression(tokens)
