// collector.json: what the collector knows of a recording and of how it ended.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/recording.h"
#include "heapstory_wire.h"

#include <optional>
#include <string>
#include <vector>

namespace heapstory {

struct Ending {
    bool complete = false;
    std::string how; // exit, signal, exec, killed; empty while running
    std::optional<int> code, signal;
    uint64_t dropped = 0;
    std::optional<uint64_t> bad_frees; // double, bad and mismatched ones
    uint64_t findings = 0;             // so far: errors and bad frees
    uint64_t scans = 0;                // for leaks, that somebody asked for
    Unseen unseen;
};

// How the recorder says that the program ended.
Ending ending_of(const hsw_ring &ring, const Recording &recording);

// The words of a process that runs under Valgrind, without Valgrind's options before them.
std::vector<std::string> program_of(int pid);

// The recorded process.
struct Process {
    int pid = 0;
    bool forked = false;              // it began in the middle of another one's run
    std::vector<std::string> program; // empty: the record command knows it
};

// Writes DIRECTORY/collector.json anew. What was asked, the record command writes into
// DIRECTORY/record.json, but not for a process that an exec or a fork began: then the program is
// our own finding.
void write_facts(const std::string &directory, const Process &process, const Ending &ending);

} // namespace heapstory
