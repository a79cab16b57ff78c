#!/bin/sh
# Records two small programs with bugs, and lets heapstory find the statements. Run by `make demo`.
set -eu
cd "$(dirname "$0")/.."
rm -rf demo
mkdir demo
gcc -g -O0 -o demo/playlist examples/playlist.c
gcc -g -O0 -o demo/catalogue examples/catalogue.c
cp examples/catalogue.spec demo
cd demo

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n$ %s\n' "$*"; }
run() {
    say "$@"
    "$@"
}

run heapstory record -- ./playlist
run heapstory info playlist.story
run heapstory graph playlist.story --root first
# The bug: the last song's prev still leads to the freed one. Who wrote it, and when?
last=$(heapstory query playlist.story --format csv "SELECT max(node) FROM nodes
    WHERE kind = 'heap' AND freed IS NULL AND type = 'struct song'" | tail -n 1)
run heapstory history playlist.story --node "$last" --field prev
run heapstory graph playlist.story -o graph.svg --type 'struct song'
run heapstory graph playlist.story --evolution -o evolution.svg --type 'struct song'

# The other way: say what must hold, and be told which statement broke it.
run heapstory record -- ./catalogue
run heapstory locate --explain catalogue.spec
heapstory locate catalogue.story --spec catalogue.spec -o located.html || [ $? = 1 ]
say heapstory locate catalogue.story --spec catalogue.spec
heapstory locate catalogue.story --spec catalogue.spec || [ $? = 1 ]
heapstory locate catalogue.story --spec catalogue.spec --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print("{file}:{line} in {function}".format(**answer["statements"][0]))
print(answer["faults"][0]["ts"])' >found
{ read -r line && read -r moment; } <found
run heapstory view catalogue.story --spec catalogue.spec -o catalogue.html
printf '\ndrawn: demo/graph.svg (the playlist at the end), demo/evolution.svg (its whole past),\n'
printf '       demo/located.html (the catalogue before and after it broke)\n'
printf 'located: %s\n' "$line"
printf 'view:    file://%s/catalogue.html#t=%s (that moment, in a browser)\n' "$PWD" "$moment"
