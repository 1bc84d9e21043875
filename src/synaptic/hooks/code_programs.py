"""Programs as a hook's command may name them: which run no code of a project, and which are told what to run."""

import re

from synaptic.shell.names import split_names

PLAIN_PROGRAMS = split_names(
    # What a shell does itself.
    ": . [ [[ alias bg break builtin case cd command continue declare dirs do done echo eval exec exit export false "
    "fc fg fi function getopts hash if jobs let local mapfile popd printf pushd pwd read readarray readonly return "
    "set shift shopt source test then time times trap true type typeset ulimit umask unalias unset wait while "
    # What reads, prints and moves data, and starts nothing but what its words say.
    "awk gawk mawk nawk base32 base64 basename bc b2sum cat chgrp chmod chown cksum cmp column comm cp curl cut "
    "date dd df diff dirname du egrep env expand expr fgrep file find flock fmt fold getconf grep groups gunzip "
    "gzip head hostname iconv id install ionice join jq kill killall ln logger logname ls md5sum mkdir mkfifo "
    "mktemp mv nice nl nohup notify-send nproc od paste pgrep pkill ps readlink realpath rev rm rmdir say sed seq "
    "setsid sha1sum sha256sum sha512sum shasum shuf sleep sort stat stdbuf stty sum sync tac tail tee timeout touch "
    "tr truncate tty uname ruff shellcheck shfmt gofmt rustfmt clang-format black isort gitleaks hadolint "
    "actionlint rg yq tput clear terminal-notifier afplay paplay uniq uptime users wc wget which who "
    "whoami xargs xxd yes zcat "
)
"""Programs that run no code of the folder they are in; what they start themselves, the shell reader shows."""
MOVING_PROGRAMS = frozenset({"cp", "mv", "ln", "install", "dd", "tee"})
"""Plain programs whose data may be run under another name."""
FOLDER_PROGRAMS = frozenset({"run-parts"})
"""Programs that run every file of the folders they are given."""
SCRIPTED_PROGRAMS = split_names("awk gawk mawk nawk sed jq")
SCRIPT_OPTION = re.compile(r"(?:-[A-Za-z]*?f|--(?:file|from-file|expression-file)=?)(.*)", re.DOTALL)
"""The option of those behind which a file of code is named, and that file when it is attached."""
LOADING_OPTIONS = {
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), re.compile(r"-[liE]|--(?:load|include|exec)")),
    "jq": re.compile(r"-[a-zA-Z]*L|--library-path"),
    **dict.fromkeys(("mapfile", "readarray"), re.compile(r"-[a-zA-Z]*C")),
}
"""Options of plain programs by which they load or start something."""
SAFE_LANGUAGE_OPTIONS = {
    "python": re.compile(r"-[bBdOqsSuvPcm]+|-|-W.*"),
    "javascript": re.compile(r"-|-[epi]+|--(?:eval|print|no-warnings|no-deprecation|use-strict)"),
}
OTHER_LANGUAGE_OPTIONS = re.compile(r"-|-[enpalwWtTE0]+|--")
"""Options of interpreters by which nothing is loaded."""
STARTING_WORD = re.compile(
    r"\bsystem\b|\||\bgetline\b|@\w+|\bimport\b|\binclude\b|^\s*\S*e\b|/[a-z0-9]*e[a-z0-9]*\s*$", re.MULTILINE
)
"""By these a file of awk, sed or jq may start or load something."""
LOOKUP_VARIABLES = split_names(
    "BASH_ENV ENV PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH PYTHONPATH "
    "PYTHONHOME PYTHONSTARTUP NODE_PATH NODE_OPTIONS PERL5LIB PERL5OPT RUBYLIB RUBYOPT LUA_PATH GIT_DIR GIT_CONFIG "
    "GIT_CONFIG_GLOBAL GIT_EXEC_PATH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR PAGER EDITOR MAKEFLAGS "
    "MAKEFILES CDPATH "
)
"""Variables that say where programs and modules are looked for, or which are started beside the one that is meant."""
HARMLESS_DEVICES = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"})
