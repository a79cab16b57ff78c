// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/meta.h"

#include "format/container/chunk.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <sys/resource.h>

namespace heapstory {

namespace {

// The members of an object, without its braces; empty if there are none.
std::string members_of(const std::string &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    std::string all = text.str();
    size_t first = all.find('{'), last = all.rfind('}');
    if (first == std::string::npos || last == std::string::npos || last <= first)
        return {};
    std::string inside = all.substr(first + 1, last - first - 1);
    return inside.find('"') == std::string::npos ? "" : inside;
}

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (c >= ' ') {
            out += char(c);
            continue;
        }
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
        out += escape;
    }
    return out + '"';
}

std::string number_or_null(const std::optional<int> &number) {
    return number ? std::to_string(*number) : "null";
}

double seconds(const timeval &time) {
    return double(time.tv_sec) + double(time.tv_usec) / 1e6;
}

} // namespace

std::string program_of(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    std::string word, list;
    std::getline(file, word, '\0');
    while (std::getline(file, word, '\0')) {
        if (list.empty() && word.starts_with('-'))
            continue;
        list += (list.empty() ? "" : ", ") + quoted(word);
    }
    return list;
}

Ending ending_of(const hsw_ring &ring, const Recording &recording) {
    Ending ending;
    ending.dropped = ring.dropped;
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
    ending.complete = ending.how != "killed" && !ending.dropped;
    return ending;
}

void write_meta(const std::string &directory, int pid, const std::string &program,
                const Ending &ending) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::ostringstream out;
    out << "{\n  \"format\": " << format_version << ",\n  \"pid\": " << pid
        << ",\n  \"complete\": " << (ending.complete ? "true" : "false")
        << ",\n  \"ended\": " << (ending.how.empty() ? "null" : "\"" + ending.how + "\"")
        << ",\n  \"exit\": {\"code\": " << number_or_null(ending.code)
        << ", \"signal\": " << number_or_null(ending.signal) << "}"
        << ",\n  \"dropped\": " << ending.dropped << ",\n  \"collector\": {\"cpu_seconds\": "
        << seconds(usage.ru_utime) + seconds(usage.ru_stime)
        << ", \"peak_rss_kib\": " << usage.ru_maxrss << "}";
    std::string given = members_of(directory + "/record.json");
    if (given.empty() && !program.empty())
        given = "\n  \"program\": [" + program + "]";
    if (!given.empty())
        out << "," << given;
    out << "\n}\n";
    std::string path = directory + "/meta.json", fresh = path + ".new";
    std::ofstream(fresh) << out.str();
    std::rename(fresh.c_str(), path.c_str());
}

} // namespace heapstory
