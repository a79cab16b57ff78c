#!/bin/sh
# Records the playlist and shows what heapstory knows of it. Run by `make demo`.
set -eu
cd "$(dirname "$0")/.."
rm -rf demo
mkdir demo
gcc -g -O0 -o demo/playlist examples/playlist.c
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
printf '\ndrawn: demo/graph.svg (the graph at the end) and demo/evolution.svg (its whole past)\n'
