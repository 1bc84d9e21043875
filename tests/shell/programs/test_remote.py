"""Commands that run on other machines are seen, with the input they are given."""

import pytest

from synaptic.policies.reading import runs_elsewhere
from tests.shell.read.seen import commands, seen


@pytest.mark.parametrize(
    "text",
    [
        "sshpass -p x ssh root@h 'rm x'",
        "sshpass -f pw ssh -o X=y root@h rm x",
        "autossh -M 0 h rm x",
        "pdsh -w web[1-9] rm x",
        "clush -w n1 -b rm x",
        "pssh -h hosts -i 'rm x'",
        "mosh host -- rm x",
        "mosh --ssh='ssh -p 1' host rm x",
        "vagrant ssh -c 'rm x'",
        "vagrant ssh web --command 'rm x'",
        "gcloud compute ssh vm --command 'rm x'",
        """aws ssm send-command --instance-ids i --parameters 'commands=["ls","rm x"]'""",
        """aws ssm send-command --parameters '{"commands": ["rm x"]}' --instance-ids i""",
        "aws ssm send-command --instance-ids i --parameters commands='rm x'",
        "aws ecs execute-command --cluster c --task t --command 'rm x' --interactive",
        "az vm run-command invoke -g g -n vm --command-id RunShellScript --scripts 'rm x'",
        "gcloud compute ssh vm --zone z --command='rm x'",
        "gcloud compute ssh vm --zone z -- rm x",
        "fly ssh console -C 'rm x'",
        "heroku run -a app rm x",
        "docker-machine ssh m rm x",
        "multipass exec vm -- rm x",
        "lxc exec box -- rm x",
        "tsh ssh host rm x",
        "salt 'web*' cmd.run 'rm x'",
        "ansible all -m shell -a 'rm x'",
        "ansible web -b -a 'rm x'",
        "ansible all -m ansible.builtin.command --args='rm x'",
        "ssh prod 'bash -s' <<'EOF'\nrm x\nEOF",
        "ssh prod bash <<< 'rm x'",
        "ssh -T u@h 'sudo bash -s' <<'EOF'\nrm x\nEOF",
        "ssh prod <<'EOF'\nrm x\nEOF",
        "vagrant ssh <<< 'rm x'",
        "echo 'rm x' | ssh prod sh",
    ],
)
def test_the_command_is_found_and_runs_elsewhere(text: str) -> None:
    found = [command for command in commands(text) if command.args == ("x",) and command.name == "rm"]
    assert found, seen(text)
    assert all(runs_elsewhere(command) and command.cwd == "" for command in found)


@pytest.mark.parametrize(
    "text",
    [
        "mosh host",
        "gcloud compute ssh vm --zone z",
        "gcloud run deploy api",
        "ansible all -m ping",
        "ansible all -m copy -a 'src=rm dest=x'",
        "ssh prod 'cat > /tmp/a.txt' <<< 'rm x'",
        "vagrant up",
        "lxc list",
    ],
)
def test_what_runs_no_command_there_yields_none(text: str) -> None:
    assert not any(line.startswith("rm") for line in seen(text))


def test_a_file_that_ansible_makes_absent_is_removed() -> None:
    assert "rm -rf /etc/x" in seen("ansible all -b -m file -a 'path=/etc/x state=absent'")
    assert "rm -rf /etc/x" not in seen("ansible all -b -m file -a 'path=/etc/x state=directory'")


def test_code_on_the_input_of_a_shell_is_not_read_twice() -> None:
    assert seen("bash <<< 'sh'") == ["bash", "sh"]
    assert seen("ssh h <<< 'sudo bash'") == ["ssh h", "sudo bash", "bash"]
