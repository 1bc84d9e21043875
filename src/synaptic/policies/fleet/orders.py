"""What an agent is told to type."""

from synaptic.model.layers import Effort

LOG_COMMAND = """synaptic effort log <<'EOF'
## What you did
What you found, what you decided, what comes next.
EOF"""
DEHYDRATE_COMMAND = """synaptic effort dehydrate <<'EOF'
{"summary": "...", "lastAction": "...", "nextSteps": ["..."],
 "handoverInstructions": "...", "userHistory": "...", "requiredFiles": ["at most 8 paths"]}
EOF"""


def build_log_order(count: int, limit: int) -> str:
    """Why a call is stopped, and what frees the next one."""
    return (
        f"heartbeat-block: {count}/{limit} tool calls without a word in the log. Write down what you did and what "
        "comes next; every other tool call is stopped until then. Type this as a command of its own, with nothing "
        f"before or after it:\n{LOG_COMMAND}"
    )


def build_dehydrate_order(usage: float) -> str:
    """What to do while there is still room for it."""
    return (
        f"The context is {usage:.0%} full. Leave what you are doing and hand over to the next context window, which "
        f"knows only what you write down now (summary, lastAction and nextSteps are required). Type:\n"
        f"{DEHYDRATE_COMMAND}\nThen end your turn."
    )


def build_resume_prompt(effort: Effort) -> str:
    """The first prompt of a window that takes over an effort."""
    phase = f", phase {effort.phase}" if effort.phase else ""
    return (
        f"Go on with the effort {effort.skill} of the task {effort.task}{phase}. The context window before this one "
        "was full. What it left is in your session's context: read it, then continue with its next steps."
    )
