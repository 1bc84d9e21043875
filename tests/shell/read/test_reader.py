"""Shell text in, the commands that would run out."""

import pytest

from synaptic.shell.read import reader
from synaptic.shell.read.reader import read_safely, read_script
from synaptic.shell.read.script import Command, Script


def script(text: str) -> Script:
    return read_script(text, "/p", "/home/u")


def lines(text: str) -> list[str]:
    """Each command as one line; what is not known stands in angle brackets."""
    return [" ".join(w.text if w.known else f"<{w.text}>" for w in command.argv) for command in script(text).commands]


def one(text: str, name: str) -> Command:
    return next(command for command in script(text).commands if command.name == name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("# rm x", []),
        ("a=1", []),
        ("ls -la", ["ls -la"]),
        ("a && b || c; d & e | f |& g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]),
        ("r''m x; r\\m x; \"rm\" x; 'r'\"m\" x; $'\\x72\\155' x", ["rm x"] * 5),
        ("a=rm; b='-rf /'; $a $b", ["rm -rf /"]),
        ("a=rm; ${a} x; ${a:-ls} x; ${b:-rm} x", ["rm x", "rm x", "<rm> x"]),
        ("rm${IFS}-rf${IFS}/", ["rm -rf /"]),
        ("IFS=,; a=rm,-rf,/; $a", ["rm -rf /"]),
        ("{rm,-rf,/}; rm a{1..3} b{c,d{e,f}}", ["rm -rf /", "rm a1 a2 a3 bc bde bdf"]),
        ('a=(rm -rf); a+=(/); ${a[@]}; "${a[0]}" x', ["rm -rf /", "rm x"]),
        ('set -- rm -rf /; "$@"', ["set -- rm -rf /", "rm -rf /"]),
        ("x=mr; y=/bin/rm.txt; ${y%.txt} a; ${y##*/} b", ["/bin/rm a", "rm.txt b"]),
        ("x=RM; ${x,,} a; y=xrmx; ${y:1:2} b; z=rxm; ${z/x/} c", ["rm a", "rm b", "rm c"]),
        ("n=a; a=rm; ${!n} x", ["rm x"]),
        ("$(echo rm) x; `echo rm` x", ["echo rm", "rm x", "echo rm", "rm x"]),
        ("$(which rm) x; $(command -v rm) x", ["which rm", "rm x", "command -v rm", "rm x"]),
        ("echo rm; $_ x", ["echo rm", "rm x"]),
        ("for f in a b; do rm $f; done", ["rm a", "rm b"]),
        ("if x; then c=rm; else c=ls; fi; $c a", ["x", "rm a", "ls a"]),
        ("alias x='rm -rf'; x /", ["alias x=rm -rf", "rm -rf /"]),
        ('f() { rm "$1"; }; f a', ["f a", "rm a"]),
        ("function f { rm x; }; f", ["f", "rm x"]),
        ("function f() { rm x; }; f", ["f", "rm x"]),
        ("function f ( )\n{ rm x; }\nf", ["f", "rm x"]),
        ("alias w='rm -rf'; w ~ $HOME", ["alias w=rm -rf", "rm -rf /home/u /home/u"]),
        ("f() { rm a; }; f() { rm b; }; f", ["f", "rm b"]),
        ("f() { rm a; }", []),
        ("while read l; do rm $l; done <<< $'a\\nb'", ["read l", "rm a", "read l", "rm b"]),
        ("cat x | while read l; do rm $l; done", ["cat x", "read l", "rm <$l>"]),
        ('rm $X $(curl u) "$Y"/z', ["curl u", "rm <$X> <$(curl u)> <$Y/z>"]),
        ("echo $(rm -rf 2>/dev/null /)", ["rm -rf /", "echo <$(rm -rf 2>/dev/null /)>"]),
        ("echo a#b $# ${#x}; ls # rm x", ["echo a#b <$#> <${#x}>", "ls"]),
        ("ls \\\n -l && \\\n pwd", ["ls -l", "pwd"]),
        ("ls\r\npwd\r\n", ["ls", "pwd"]),
        ("rm\u00a0x", ["rm\u00a0x"]),
        ("r\0m x", ["rm x"]),
        ("time -p rm x; time rm y; ! rm z", ["rm x", "rm y", "rm z"]),
        ("f() { rm x; }; time -- f; time -p -- f", ["f", "rm x", "f", "rm x"]),
        ('f() { rm x; }; time "--" f; f', ["time -- f", "f", "f", "rm x"]),
        ("f() { rm x; }; time -p '--' f; time -p -p f", ["time -p -- f", "f", "time -p -p f", "f"]),
        ('f() { rm x; }; time "f"', ["time f", "f", "rm x"]),
        ("parallel git reset --hard :::", ["parallel git reset --hard :::", "git reset --hard"]),
        ("parallel rm a/{} :::", ["parallel rm a/{} :::", "rm <a/{}>"]),
        ("ssh -o ProxyCommand=none h", ["ssh -o ProxyCommand=none h"]),
        ("ssh h x -o ProxyCommand='rm x'", ["ssh h x -o ProxyCommand=rm x", "x -o ProxyCommand=rm x"]),
        ("scp -i -oProxyCommand=x a h:b", ["scp -i -oProxyCommand=x a h:b"]),
        ("rsync -aze 'ssh -p 22' a h:b", ["rsync -aze ssh -p 22 a h:b"]),
        ("[[ a < b && -n $(rm x) ]]; (( 1 + $(rm y) ))", ["rm x", "rm y"]),
        ("case $x in a|b) rm x;; (c) rm y;& *) rm z;; esac", ["rm x", "rm y", "rm z"]),
        ("select x in a; do rm x; done; until a; do b; done", ["rm x", "a", "b"]),
        ("for ((i=0; i<3; i++)); do rm x; done", ["rm x"] * 3),
        ("exec 3<>f; {fd}>g rm x; 2>&1 rm y", ["exec", "rm x", "rm y"]),
        ("cat <<A <<-B; ls\n1\nA\n\t2\n\tB\npwd", ["cat", "ls", "pwd"]),
        ("cat <<EOF\nrm $(rm x)\nEOF", ["rm x", "cat"]),
        ("/bin/r? -rf x", ["/bin/r? -rf x"]),
        ("shopt -s extglob; rm !(a|b) ./!(c) d/*(e)", ["shopt -s extglob", "rm * ./* d/*"]),
        ("rm @(a|b)/c +(d|e) ?(f) +([0-9])", ["rm a/c b/c d e ?(f) +([0-9])"]),
        ("mapfile -t a <<< $'b\\nc'; rm \"${a[@]}\"", ["mapfile -t a", "rm b c"]),
        ("readarray -n 2 a < <(echo b); rm ${a[@]}", ["echo b", "readarray -n 2 a", "rm b"]),
        ('mapfile < f; rm "${MAPFILE[@]}"', ["mapfile", "rm <$MAPFILE>"]),
        ("read -r -a a <<< 'b c'; rm ${a[1]}", ["read -r -a a", "rm b", "rm c"]),
        ("IFS=, read -ra a <<< 'b,c d'; rm \"${a[@]}\"", ["read -ra a", "rm b c d"]),
        ("IFS=: read a b <<< 'c:d:e'; rm $b", ["read a b", "rm d:e"]),
        ("IFS= read -r a <<< 'b c'; rm \"$a\"", ["read -r a", "rm b c"]),
        ("command_not_found_handle() { rm x; }; foo", ["rm x", "foo", "rm x"]),
        ("fd . a b -x rm -rf", ["fd . a b -x rm -rf", "rm -rf <a/{}>", "rm -rf <b/{}>"]),
        ("fd -X rm {} {//}", ["fd -X rm {} {//}", "rm <./{}> <./{}>"]),
        ("rm x\ncase", ["rm x"]),
        ("rm x\nfunction", ["rm x"]),
    ],
)
def test_the_commands_that_run(text: str, found: list[str]) -> None:
    assert lines(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "sudo -u root -g wheel A=b rm x",
        "doas -u a rm x",
        "env -i -u A B=c rm x",
        "env -S 'rm x'",
        "nice -n 5 ionice -c 2 -n 3 rm x",
        "timeout -s KILL 5 rm x",
        "stdbuf -oL setsid nohup rm x",
        "chroot /r rm x",
        "unshare -r rm x",
        "strace -f -o t rm x",
        "exec -a n rm x",
        "command -p rm x",
        "builtin command rm x",
        "busybox rm x",
        "xargs -n 1 -I% rm x",
        "echo x | xargs rm",
        "echo x | xargs -I{} rm {}",
        "parallel rm ::: x",
        "parallel 'rm {}' ::: x",
        "parallel rm x :::",
        "parallel 'rm x' :::",
        "parallel rm x",
        "parallel rm x < /dev/null",
        "true | parallel rm x",
        "bash +x -c 'rm x'",
        "bash +o pipefail -e -c 'rm x'",
        "bash --rcfile <(echo 'rm x') -i",
        "bash --init-file <(echo 'rm x')",
        "su - a -c 'bash -s' <<< 'rm x'",
        "eval bash <<< 'rm x'",
        "npx -c sh <<< 'rm x'",
        "echo 'rm x' > a; chmod +x a; ./a",
        "echo 'rm x' > /t/a; sudo /t/a",
        "printf '#!/bin/bash -e\\nrm x\\n' > a && ./a",
        "printf '#!/usr/bin/env python3\\nimport os; os.system(\"rm x\")\\n' > a; ./a",
        "echo 'rm x' > a; mv a b; ./b",
        "echo 'rm x' > a; cp a /t/; bash /t/a",
        "echo '0 * * * * rm x' > a; crontab a",
        "echo 'rm x' > a; at -f a now",
        "echo 'rm x' > a; export BASH_ENV=a; bash b",
        "sudo -i <<< 'rm x'",
        "sudo -u a -s <<< 'rm x'",
        "chroot /r <<< 'rm x'",
        "npm exec -c 'rm x'",
        "flock /l rm x",
        "flock /l -c 'rm x'",
        "su - u -c 'rm x'",
        "script -qc 'rm x' /dev/null",
        "watch -n 5 rm x",
        "docker run --rm -v a:b img rm x",
        "docker run --entrypoint rm img x",
        "docker compose exec -T web rm x",
        "kubectl -n a exec -it pod -c b -- rm x",
        "ssh -p 22 -i k u@h rm x",
        "ssh -o ProxyCommand='rm x' h",
        "ssh h -vo 'proxycommand = rm x' ls",
        "ssh -o PermitLocalCommand=yes -o 'LocalCommand rm x' h ls",
        "ssh -oKnownHostsCommand='rm x' h",
        "scp -oProxyCommand='rm x' a h:b",
        "scp -P 22 -qvoProxyCommand='rm x' a h:b",
        "sftp -b f -o ProxyCommand='rm x' h",
        "rsync -e 'rm x' a h:b",
        "rsync -aze'rm x' a h:b",
        "rsync --rsh='rm x' a h:b",
        "rsync -e 'ssh -o ProxyCommand=\"rm x\"' a h:b",
        "uv run rm x",
        "npx -y rm x",
        "npm exec -- rm x",
        "bundle exec rm x",
        "tmux new-session -d 'rm x'",
        "tmux send-keys -t a 'rm x' Enter",
        "nix-shell --run 'rm x'",
        "entr -s 'rm x'",
        "fd -x rm x",
        "sed '1e rm x' f",
        "vim -c '!rm x'",
        "tar cf a b --checkpoint-action=exec='rm x'",
        "psql -c '\\! rm x'",
        "osascript -e 'do shell script \"rm x\"'",
        "echo '* * * * * rm x' | crontab -",
        "echo 'rm x' | at now",
        "BASH_ENV=/e bash s <<< y; echo 'rm x' > /e; BASH_ENV=/e bash s",
        "echo 'rm x' > s; . ./s",
        "echo 'rm x' | tee s; bash s",
        "echo 'x mr' | rev | sh",
        "echo 'sn x' | tr s r | tr n m | sh",
        "openssl base64 -d <<< cm0geA== | sh",
        "gdb --args rm x",
    ],
)
def test_a_wrapped_command_is_one_of_its_own(text: str) -> None:
    assert any(command.name == "rm" and command.args[:1] == ("x",) for command in script(text).commands)


def test_the_way_through_is_kept() -> None:
    assert one("sudo env A=b bash -lc 'nohup rm x'", "rm").via == ("sudo", "env", "bash -c", "nohup")
    assert one("f() { rm x; }; f", "rm").via == ("function f",)


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("rm x", "/p"),
        ("cd a && rm x", "/p/a"),
        ("cd /a; cd ../b; rm x", "/b"),
        ("cd; rm x", "/home/u"),
        ("cd ~/a && rm x", "/home/u/a"),
        ("cd a; cd -; rm x", "/p"),
        ("(cd a); rm x", "/p"),
        ("cd a & rm x", "/p"),
        ("pushd a; rm x", "/p/a"),
        ("pushd a; popd; rm x", "/p"),
        ('cd "$X" && rm x', ""),
        ("sudo -D /a rm x", "/a"),
        ("env -C a rm x", "/p/a"),
        ("ssh h 'cd /a && rm x'", "/a"),
        ("ssh h rm x", ""),
    ],
)
def test_the_folder_it_runs_in(text: str, folder: str) -> None:
    assert one(text, "rm").cwd == folder


def test_make_runs_in_the_folder_it_is_told() -> None:
    assert one("make -C sub clean", "make").cwd == "/p/sub"


def test_find_names_what_lies_below_its_roots() -> None:
    assert lines("find /a b -exec rm -rf {} +")[1:] == ["rm -rf </a/{}>", "rm -rf <b/{}>"]
    assert lines("find . -delete")[1:] == ["rm -rf ."]
    assert lines("find . -name '*.pyc' -delete")[1:] == ["rm -f <./{}>"]


def test_what_is_written_and_read_is_known() -> None:
    found = script("A=1 cat <<< hi >out 2>>err <in")
    command = found.commands[0]
    assert [(r.operator, r.target.text, r.descriptor) for r in command.redirects] == [
        ("<<<", "hi", ""), (">", "out", ""), (">>", "err", "2"), ("<", "in", ""),
    ]  # fmt: skip
    assert command.assignments[0][1].text == "1"
    assert [redirect.target.text for redirect in found.writes] == ["out", "err"]
    assert not script("ls 2>&1 >&-").writes
    assert [r.target.text for r in script("{ ls; } > a; while x; do y; done > b").writes] == ["a", "b"]


def test_what_a_command_reads_is_known_when_it_can_be() -> None:
    assert one("echo a | rm", "rm").stdin == "a\n"
    assert one("rm <<< a", "rm").stdin == "a\n"
    assert one("curl u | rm", "rm").stdin is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('eval "$X"', "code"),
        ('bash -c "$X"', "code"),
        ('bash -c "$(curl u)"', "code"),
        ("curl u | sh", "code"),
        ("curl u | sudo bash -s", "code"),
        ("source <(curl u)", "code"),
        ("curl u | python3", "code"),
        ("python -c 'exec(input())'", "code"),
        ("$X a", "command"),
        ("ls 'x", "syntax"),
        ("( ls", "syntax"),
        ("ls )", "syntax"),
    ],
)
def test_what_cannot_be_known_is_said(text: str, kind: str) -> None:
    assert kind in {gap.kind for gap in script(text).unresolved}


@pytest.mark.parametrize(
    "text",
    [
        "rm $X",
        "bash build.sh",
        "python manage.py",
        "make",
        "npm test",
        'cd "$X"',
        'git commit -m "$X"',
        "ls *.py",
        "$HOME/bin/x",
    ],
)
def test_ordinary_unknowns_are_no_gap(text: str) -> None:
    assert not script(text).unresolved


def test_a_patch_names_its_files() -> None:
    text = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n*** Add File: b c.py\n*** End Patch\nEOF"
    assert script(text).commands[0].paths == ("a.py", "b c.py")


def test_functions_say_whether_they_call_themselves() -> None:
    (bomb,) = script(":(){ :|:& };:").functions
    assert (bomb.name, bomb.called, bomb.recursive) == (":", True, True)
    (plain,) = script("f() { ls; }").functions
    assert (plain.called, plain.recursive) == (False, False)


def test_home_tilde_and_variables_of_the_environment() -> None:
    found = read_script("rm ~/a $HOME/b $PWD/c $X/d '~/e' ~", "/p", "/home/u", {"X": "/x"})
    assert found.commands[0].args == ("/home/u/a", "/home/u/b", "/p/c", "/x/d", "~/e", "/home/u")
    assert not read_script("rm ~/a").commands[0].argv[1].known


def test_globs_outside_quotes_are_marked() -> None:
    words = script("rm *.py 'a*' b[1] \"c?\"").commands[0].argv[1:]
    assert [word.glob for word in words] == [True, False, True, False]


def test_a_defect_of_the_reader_is_text_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str, cwd: str, home: str) -> None:
        raise IndexError("on purpose")

    monkeypatch.setattr(reader, "read_script", broken)
    assert "IndexError" in read_safely("ls").truncated
