// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/facts.h"

#include "format/container/chunk.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace heapstory {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<int> &number) {
    return number ? Json(*number) : Json();
}

double seconds(const timeval &time) {
    return double(time.tv_sec) + double(time.tv_usec) / 1e6;
}

Json own_costs() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {{"cpu_seconds", seconds(usage.ru_utime) + seconds(usage.ru_stime)},
            {"peak_rss_kib", usage.ru_maxrss}};
}

Json unseen_writes(const Unseen &unseen) {
    Json ranges = Json::array();
    for (const Unseen::Range &range : unseen.ranges) {
        char address[32];
        std::snprintf(address, sizeof address, "0x%llx", (unsigned long long)range.address);
        ranges.push_back({{"address", address}, {"bytes", range.length}});
    }
    return {{"bytes", unseen.bytes}, {"ranges", ranges}, {"io_uring", unseen.by_io_uring}};
}

} // namespace

std::vector<std::string> program_of(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    std::vector<std::string> words;
    std::string word;
    std::getline(file, word, '\0');
    while (std::getline(file, word, '\0'))
        if (!words.empty() || !word.starts_with('-'))
            words.push_back(word);
    return words;
}

Ending ending_of(const hsw_ring &ring, const Recording &recording) {
    Ending ending;
    ending.dropped = ring.dropped;
    ending.bad_frees = recording.bad_frees();
    ending.findings = recording.findings();
    ending.scans = recording.scans();
    switch (ring.state) {
    case HSW_EXITED:
        ending.how = "exit";
        ending.code = recording.exit_code().value_or(ring.status);
        break;
    case HSW_SIGNALLED:
        ending.how = "signal";
        if (int signal = recording.crash_signal().value_or(ring.status))
            ending.signal = signal;
        break;
    case HSW_EXEC:
        ending.how = "exec";
        break;
    default:
        ending.how = "killed";
        break;
    }
    ending.unseen = recording.unseen();
    ending.complete = ending.how != "killed" && !ending.dropped && !ending.unseen.any();
    return ending;
}

void write_facts(const std::string &directory, const Process &process, const Ending &ending) {
    Json facts;
    facts["format"] = format_version;
    facts["pid"] = process.pid;
    facts["forked"] = process.forked;
    facts["complete"] = ending.complete;
    facts["ended"] = ending.how.empty() ? Json() : Json(ending.how);
    facts["exit"]["code"] = number_or_null(ending.code);
    facts["exit"]["signal"] = number_or_null(ending.signal);
    facts["dropped"] = ending.dropped;
    facts["bad_frees"] = ending.bad_frees ? Json(*ending.bad_frees) : Json();
    facts["findings"] = ending.findings;
    facts["scans"] = ending.scans;
    if (ending.unseen.any())
        facts["unseen"] = unseen_writes(ending.unseen);
    facts["collector"] = own_costs();
    if (!process.program.empty())
        facts["program"] = process.program;
    std::string path = directory + "/collector.json", fresh = path + ".new";
    std::ofstream(fresh) << facts.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
    std::rename(fresh.c_str(), path.c_str());
}

} // namespace heapstory
