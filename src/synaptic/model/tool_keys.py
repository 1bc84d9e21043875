"""What the names of tools and of their arguments say about a call that no table of an agent describes."""

from collections.abc import Mapping


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


COMMAND_KEYS = _split("bash sh zsh shell exec execute run argv powershell cmdline commandline oneliner entrypoint")
"""Arguments that hold a command, in lower case without `_` and `-`; so do all that end like one of the next."""
COMMAND_ENDINGS = ("command", "commands", "cmd", "cmds")
TYPED_KEYS = _split("input inputs stdin keys keystrokes chars line lines args arguments argument params parameters")
"""Arguments whose text may be typed into a shell. Most hold something else, which reads as no command that destroys."""
SAID_KEYS = _split("text data content value message string body source")
"""Arguments whose text is a command where the tool's name says that something runs."""
RUNNING_WORDS = _split(
    "exec execute executes run runs running shell bash sh zsh cmd command terminal term console process spawn launch"
    " powershell pwsh ssh eval repl tmux screen stdin keys iterm pty tty subprocess invoke"
)
CODE_KEYS = _split(
    "code script scripts sourcecode snippet expression function cell cells javascript js python py ruby perl"
    " php node typescript eval"
)
"""Arguments that hold code, in the language that the key, `LANGUAGE_KEYS` or the tool's name says."""
LANGUAGE_KEYS = _split("language lang runtime interpreter kernel kernelname syntax")
SQL_KEYS = _split("sql query queries statement statements sqlquery")
FIRST_WORD_KEYS = _split("command cmd program executable binary exec subcommand action operation verb")
"""Arguments that hold the first word of a command whose other words are beside it."""
WEAK_FIRST_WORD_KEYS = _split("name file path tool app")
"""Arguments that may do so, beside a list of words."""
ARGUMENT_KEYS = _split("args arguments argument options flags commandargs cmdargs programargs")
"""Those other words."""
FOLDER_KEYS = _split("cwd workdir workingdirectory workingdir currentdirectory")
"""Where a command runs."""
NESTED_TEXT_KEYS = _split("arguments args params parameters input toolinput payload request data options")
"""Arguments that some clients send as JSON text."""

PATH_KEYS = _split("path paths file files filename filenames uri directory dir folder folders dirs notebook")
VAGUE_PATH_KEYS = _split(
    "target targets destination destinations dest dst source sources src from to old new output out location"
)
"""Arguments that hold paths where the tool's name speaks of files or of what is done to them."""
FILE_WORDS = _split("file files fs filesystem folder directory dir disk document notebook")
PATH_ENDINGS = (
    "path", "paths", "file", "files", "filename", "filenames", "dir", "directory", "folder", "uri", "attachment",
    "attachments",
)  # fmt: skip
ENDING_PATH_KEYS = _split("destination destinations dest dst to new newpath destinationpath targetpath target newname")
"""Where something is moved or copied to."""

PATCH_KEYS = _split("patch diff patchtext unifieddiff changes input")
CONTENT_KEYS = _split("content contents newtext newstring newstr filetext newsource edits oldtext oldstring")
"""Arguments that hold what a file will say."""

DELETING_WORDS = _split(
    "delete deletes remove rm unlink rmdir erase destroy trash purge wipe prune rmtree clear empty clean"
)
MOVING_WORDS = _split("move rename mv relocate")
COPYING_WORDS = _split("copy cp duplicate clone")
WRITING_WORDS = _split(
    "write writes edit edits create update append replace insert patch save put modify overwrite touch mkdir apply set"
    " truncate store export generate download format fix add make change import extract unzip untar symlink link chmod"
)
READING_WORDS = _split(
    "read reads get list ls view search find show open load stat info tree glob grep cat head tail fetch query describe"
    " check analyze analyse lint diff explore browse count hash inspect parse preview exists is has lookup navigate"
    " definition references hover symbols symbol outline diagnostics lsp send upload attach share index summarize"
    " summarise explain validate verify test compare watch status log logs blame review scan ask goto render convert"
)

LANGUAGE_PROGRAMS: Mapping[str, str] = {
    "python": "python3 -c", "python3": "python3 -c", "py": "python3 -c", "ipython": "python3 -c",
    "jupyter": "python3 -c", "notebook": "python3 -c",
    "javascript": "node -e", "js": "node -e", "node": "node -e", "nodejs": "node -e", "typescript": "node -e",
    "ts": "node -e", "deno": "node -e", "bun": "node -e", "browser": "node -e", "playwright": "node -e",
    "puppeteer": "node -e",
    "ruby": "ruby -e", "rb": "ruby -e", "irb": "ruby -e", "perl": "perl -e", "php": "php -r", "lua": "lua -e",
    "bash": "bash -c", "sh": "bash -c", "zsh": "bash -c", "shell": "bash -c", "dash": "bash -c",
    "powershell": "bash -c", "pwsh": "bash -c", "applescript": "osascript -e", "osascript": "osascript -e",
}  # fmt: skip
"""How code of a language is given to its interpreter."""
ANY_LANGUAGE = ("bash -c", "python3 -c", "node -e")
"""How code is read when nobody says what it is."""
NAMED_PROGRAMS: Mapping[str, str] = {
    "git": "git", "docker": "docker", "podman": "podman", "kubectl": "kubectl", "kubernetes": "kubectl",
    "k8s": "kubectl", "helm": "helm", "terraform": "terraform", "tofu": "tofu", "aws": "aws", "gcloud": "gcloud",
    "az": "az", "gh": "gh", "npm": "npm", "redis": "redis-cli", "mongo": "mongosh", "mongodb": "mongosh",
    "psql": "psql", "mysql": "mysql", "sqlite": "sqlite3", "find": "find", "systemctl": "systemctl", "dolt": "dolt",
}  # fmt: skip
"""Programs by the word of a tool's name that stands for them: their arguments come alone there."""
SQL_PROGRAMS: Mapping[str, str] = {
    "mysql": "mysql -e", "mariadb": "mysql -e", "mongo": "mongosh --eval", "mongodb": "mongosh --eval",
    "redis": "redis-cli",
}  # fmt: skip
DEFAULT_SQL_PROGRAM = "psql -c"
GIT_MODES = _split("hard soft mixed keep merge force delete drop clear mirror all prune")
"""Values of an argument that are options of git: `mode = "hard"`."""
