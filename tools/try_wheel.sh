#!/bin/sh
# Run by tools/distros.py in a bare system: the wheel beside this file is installed, and must record,
# draw and locate without anything else.
set -eu
cd "$(dirname "$0")"
for tool in valgrind gcc cc clang dot; do
    if command -v "$tool" > /dev/null; then echo "$tool is here: this system is not bare" >&2; exit 1; fi
done
python3 -m venv venv
venv/bin/pip install -q ./*.whl
PATH="$PWD/venv/bin:$PATH"
heapstory --version
heapstory record -- ./catalogue
heapstory graph catalogue.story --root shelf --depth 2 | head -n 5
heapstory view catalogue.story -o catalogue.html
heapstory query catalogue.story 'SELECT count(*) AS nodes FROM nodes'
status=0
heapstory locate catalogue.story --spec catalogue.spec > answer.txt || status=$?
[ "$status" = 1 ]
grep 'catalogue.c:39 in lift_right' answer.txt
heapstory check -- ./catalogue > check.txt 2>&1 || true
grep -q '^check: ' check.txt
heapstory guard -- ./catalogue > guard.txt 2>&1 || true
# What needs more names it.
heapstory leaks catalogue.c 2> leaks.txt && exit 1
grep 'apt-get install clang' leaks.txt
heapstory graph catalogue.story -o x.png 2> graph.txt && exit 1
grep 'apt-get install graphviz' graph.txt
status=0
heapstory prove treiber_stack.lin 2> prove.txt || status=$?
[ "$status" = 3 ]
grep "pip install 'heapstory\[prove\]'" prove.txt
