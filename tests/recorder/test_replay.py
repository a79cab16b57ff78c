# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs: the records, replayed, must give the memory that the recorder finds at the end."""

from pathlib import Path

import pytest

from tests.recorder.recorder import Memory, record

PYTHON = "import json; print(len(json.dumps({str(i): [i] * 3 for i in range(200)})))"
PERL = 'my %h; $h{$_} = "x" x $_ for 1..50; print sort keys %h; $_ = "a" x 300; s/a/bc/g;'
COMMANDS = {
    "ls": ["/bin/ls", "-la", "/usr"],
    "sort": ["/usr/bin/sort", "-k2", "/etc/passwd"],
    "sed": ["/bin/sed", "-e", "s/root/ROOT/g", "/etc/passwd"],
    "bash": ["/bin/bash", "-c", "a=(); for i in {1..30}; do a+=($i$(echo x)); done; echo ${a[@]}"],
    "perl": ["/usr/bin/perl", "-e", PERL],
    "python": ["/usr/bin/python3", "-S", "-E", "-c", PYTHON],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_replay_gives_the_final_memory(recorder_library: Path, tmp_path: Path, name: str) -> None:
    result = record(recorder_library, COMMANDS[name], tmp_path, "--snapshot-at-exit=yes")
    assert result.status == 0
    tags = [r.tag for r in result.records]
    end = tags.index("SNAPSHOT")
    known = Memory(result.records[:end]).bytes
    compared, wrong = 0, []
    for r in result.records[end:]:
        if r.tag == "RANGE" and r.kind == "initial":
            for i, byte in enumerate(r.payload):
                if (expected := known.get(r.address + i)) is not None:
                    compared += 1
                    if expected != byte:
                        wrong.append((hex(r.address + i), expected, byte))
    assert compared > 10000 and wrong == []
