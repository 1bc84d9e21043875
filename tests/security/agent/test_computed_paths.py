"""Guarded files whose paths awk or other code puts together."""

import pytest

from synaptic.model.decision import Kind
from tests.security.agent.judging import judge, list_commands

ATTEMPTS = list_commands(r"""
awk 'BEGIN{f=ENVIRON["HOME"] "/.claude/settings.json"; print "{}" > f}'
awk 'BEGIN{print "{}" > (ENVIRON["HOME"] "/.claude/settings.json")}'
awk 'BEGIN{print "{}" > (ENVIRON["HOME"] "/.cla" "ude/settings.json")}'
awk 'BEGIN{print "presets=[]" > (ENVIRON["HOME"] "/.syn" "aptic/config.toml")}'
gawk 'BEGIN{f=ENVIRON["HOME"] "/.codex/config.toml"; print "" >> f}'
awk -v a=$HOME/.cla -v b=ude/settings.json 'BEGIN{print > (a b)}'
awk -va=$HOME/.cla -vb=ude/settings.json 'BEGIN{print > (a b)}'
awk -v b=ude/settings.json -v a=$HOME/.cla 'BEGIN{print > (a b)}'
awk -v a=.cla -v b=ude/settings.local.json 'BEGIN{print "{}" > (a b)}'
A=$HOME/.cla B=ude/settings.json awk 'BEGIN{print > (ENVIRON["A"] ENVIRON["B"])}'
F=~/.synaptic/config.toml awk 'BEGIN{print > ENVIRON["F"]}'
awk -v h=$HOME 'BEGIN{print "{}" > (h "/.claude/settings.json")}'
awk -v h=$HOME 'BEGIN{printf "{}" > h "/.claude/settings.json"}'
echo $HOME | awk '{print "{}" > ($0 "/.claude/settings.json")}'
awk 'BEGIN{f=sprintf("%s/.claude/%s.json", ENVIRON["HOME"], "settings"); print "{}" > f}'
awk 'BEGIN{print "{}" | ("tee " ENVIRON["HOME"] "/.claude/settings.json")}'
python3 -c "open('nosj.sgnittes/edualc./u/emoh/'[::-1],'w').write('{}')"
python3 -c "open(''.join(reversed('lmot.gifnoc/citpanys./u/emoh/')),'w').write('')"
""")
HARMLESS = list_commands(r"""
awk '{print $1}' ~/.claude/settings.json
awk '/settings/ {print > "out.txt"}' .claude/settings.json
awk '$3 > 5 {print $1, "settings"}' data
awk -F: '{print $1}' settings.py | sort
awk -v d=out '{print > (d "/" $1 ".txt")}' data
awk '{print "a" "b" > "/tmp/x"}' data
python3 -c "print('abc'[::-1])"
""")


@pytest.mark.parametrize("command", ATTEMPTS)
def test_computed_path_is_noticed(command: str) -> None:
    assert judge(command) in (Kind.ASK, Kind.DENY)


@pytest.mark.parametrize("command", HARMLESS)
def test_harmless_command_is_free(command: str) -> None:
    assert judge(command) is Kind.NONE
