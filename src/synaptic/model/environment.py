"""The variables that hooks and an agent's shell scripts share: one path model for both."""

from collections.abc import Mapping

DEFAULT_CHANNEL = "main"
DEFAULT_AGENTS = "claude"
PLUGIN_VARIABLE = "CLAUDE_PLUGIN_ROOT"
"""What the agent sets for hooks of a plugin. Whoever sets it for others has its events judged twice."""
PATH_LINE = "path="
"""Begins the line of the engine file that says where programs were found when Synaptic was put in."""
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin"
"""Where programs are when nobody has noted that."""
SYSTEM_FOLDERS = (
    "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/etc/", "/opt/", "/nix/", "/System/", "/Library/",
    "/run/current-system/",
)  # fmt: skip
"""Folders of the system: what is in them does not come with a repository."""
UNSAFE_NAMES = frozenset(
    {"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE", "ZDOTDIR",
     "FPATH", "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
     "GCONV_PATH", "LOCPATH", "NLSPATH", "HOSTALIASES", "TERMINFO", "TERMCAP", "PAGER", "MANPAGER", "EDITOR",
     "VISUAL", "BROWSER", "LESSOPEN", "LESSCLOSE", "MAKEFLAGS", "MAKEFILES", "GREP_OPTIONS", "TAR_OPTIONS",
     "RSYNC_RSH", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES", "CURL_HOME", "WGETRC", "NETRC",
     "SSH_ASKPASS", "SUDO_ASKPASS", "AWKPATH", "AWKLIBPATH", "R_PROFILE", "R_ENVIRON", "R_PROFILE_USER", "PHPRC",
     "PHP_INI_SCAN_DIR", "JQ_LIBRARY_PATH", "SYNAPTIC_HOME", "SYNAPTIC_ENV"}
)  # fmt: skip
UNSAFE_PREFIXES = (
    "LD_", "DYLD_", "PYTHON", "PERL", "RUBY", "LUA_", "GIT_", "XDG_", "BASH_FUNC_", "NPM_CONFIG_", "npm_config_",
    "DOTNET_", "COMPlus_", "CORECLR_", "MALLOC_", "GLIBC_", "COR_",
)  # fmt: skip
"""Variables by which a program is replaced, told to load something, or sent to other settings: a repository can set
them for the hooks of an agent, so none of them is handed on."""
INPUT_LIMIT = 96 * 1024
"""A longer HOOK_INPUT is left out: one environment string of 128 KiB makes exec fail."""
ERRAND_VARIABLE = "SYNAPTIC_ERRAND"
"""Set for tests and linters that the engine runs for a policy: an agent may have written what they execute."""


def build_project_variables(
    root: str, channel: str = DEFAULT_CHANNEL, agents: str = DEFAULT_AGENTS
) -> Mapping[str, str]:
    """The six variables of `env.toml`, in its order."""
    synaptic = f"{root.rstrip('/')}/.synaptic"
    return {
        "SYNAPTIC_PROJECT_ROOT": root,
        "SYNAPTIC_ROOT": synaptic,
        "SYNAPTIC_SHARED": f"{synaptic}/shared",
        "SYNAPTIC_SKILLS": f"{synaptic}/skills",
        "SYNAPTIC_CHANNEL": channel,
        "SYNAPTIC_AGENTS": agents,
    }
