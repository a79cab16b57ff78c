// The collector: started by the recorder, reads its ring until the program has gone, writes the
// trace. SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/facts.h"
#include "collect/input/ring.h"
#include "collect/recording.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace {

using namespace heapstory;

struct Arguments {
    int ring_fd = -1, socket_fd = -1;
    std::string trace;
    std::string records; // a file to take the records from, in place of a ring
    RecordingOptions options;
};

bool value_of(std::string_view word, std::string_view name, std::string &value) {
    if (word.substr(0, name.size()) != name)
        return false;
    value = word.substr(name.size());
    return true;
}

Arguments parse(int argc, char **argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        std::string value;
        if (value_of(argv[i], "--ring-fd=", value))
            arguments.ring_fd = std::stoi(value);
        else if (value_of(argv[i], "--socket-fd=", value))
            arguments.socket_fd = std::stoi(value);
        else if (value_of(argv[i], "--trace=", value))
            arguments.trace = value;
        else if (value_of(argv[i], "--records=", value))
            arguments.records = value;
        else if (value_of(argv[i], "--for=", value))
            arguments.options.most_changes = std::stoull(value);
        else if (value_of(argv[i], "--stream-for=", value))
            arguments.options.most_instructions = std::stoull(value);
        else if (value_of(argv[i], "--keyframe-least=", value))
            arguments.options.keyframe_least = std::stoull(value);
        else if (value_of(argv[i], "--held-back=", value))
            arguments.options.held_back = std::stoull(value);
        else if (value_of(argv[i], "--redzone=", value))
            arguments.options.redzone = std::stoull(value);
        else if (value_of(argv[i], "--frame=", value))
            arguments.options.frames.push_back(value);
        else if (value_of(argv[i], "--source-from=", value))
            arguments.options.source_from.push_back(value);
        else if (std::string_view(argv[i]) == "--no-source")
            arguments.options.source = false;
        else
            throw std::invalid_argument(std::string("unknown argument ") + argv[i]);
    }
    return arguments;
}

// NAME.story for the first process of a recording; NAME.1.story and so on after an exec or for
// followed children.
std::unique_ptr<TraceWriter> claim(const std::string &first) {
    std::string stem = first, ending;
    if (size_t dot = first.rfind(".story"); dot != std::string::npos && dot + 6 == first.size()) {
        stem = first.substr(0, dot);
        ending = ".story";
    }
    for (unsigned number = 0;; ++number) {
        std::string directory = number ? stem + "." + std::to_string(number) + ending : first;
        if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
            throw std::system_error(errno, std::generic_category(), directory);
        try {
            return std::make_unique<TraceWriter>(directory);
        } catch (const std::system_error &error) {
            if (error.code() != std::errc::file_exists)
                throw;
        }
    }
}

void collect(Ring &ring, TraceWriter &writer, const RecordingOptions &options, bool is_successor) {
    Recording recording(writer, options);
    Process process;
    process.pid = ring.header().pid;
    process.forked = ring.header().forked;
    // What the first process runs, the record command knows; who came by exec or fork, only we.
    if (is_successor)
        process.program = program_of(process.pid);
    write_facts(writer.directory(), process, {});
    ring.ready();
    uint64_t told = 0, scans = 0;
    bool is_much = false; // since the last time it was written: chunks must not get too small
    constexpr int patience = 1000; // milliseconds until what has been gathered is written
    for (;;) {
        ByteSpan records;
        Ring::Got got = ring.next(0, records);
        if (got == Ring::Got::idle) {
            recording.look_up();
            got = ring.next(patience, records);
        }
        if (got == Ring::Got::idle) {
            if (std::exchange(is_much, false))
                recording.flush();
            continue;
        }
        is_much |= records.size() > ring.header().segment_bytes / 2;
        recording.feed(records);
        if (got == Ring::Got::end)
            break;
        ring.release();
        if (recording.findings() != told || recording.scans() != scans) { // somebody waits
            recording.write_out();
            told = recording.findings();
            scans = recording.scans();
            Ending so_far;
            so_far.findings = told;
            so_far.scans = scans;
            write_facts(writer.directory(), process, so_far);
        }
        if (recording.enough())
            ring.stop();
        if (recording.enough_of_stream())
            ring.stop_stream();
    }
    recording.close();
    write_facts(writer.directory(), process, ending_of(ring.header(), recording));
}

// The records of a file: what no program can be made to do can still be tried.
void replay(const std::string &path, TraceWriter &writer, const RecordingOptions &options) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        throw std::runtime_error(path + ": cannot be read");
    Bytes records(size_t(file.tellg()));
    file.seekg(0);
    file.read(reinterpret_cast<char *>(records.data()), std::streamsize(records.size()));
    Recording recording(writer, options);
    recording.feed(records);
    recording.close();
    Ending ending;
    ending.complete = true;
    ending.how = "exit";
    ending.code = recording.exit_code();
    write_facts(writer.directory(), {}, ending);
}

// The record command shows what is in error.txt; without a folder for it there is only stderr.
int fail(const std::string &directory, const std::string &message) {
    std::ofstream file(directory + "/error.txt");
    if (directory.empty() || !(file << message << std::endl))
        std::cerr << "heapstory: " << message << "\n";
    return 1;
}

} // namespace

int main(int argc, char **argv) {
    // Chunks are made and dropped all the time: keep their memory instead of mapping it anew.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    // The program's terminal signals are not ours: we end when it does.
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ})
        std::signal(number, SIG_IGN);
    std::string directory;
    try {
        Arguments arguments = parse(argc, argv);
        directory = arguments.trace;
        std::optional<Ring> ring;
        if (arguments.records.empty())
            ring.emplace(arguments.ring_fd, arguments.socket_fd);
        std::unique_ptr<TraceWriter> writer = claim(arguments.trace);
        directory = writer->directory();
        if (ring)
            collect(*ring, *writer, arguments.options, directory != arguments.trace);
        else
            replay(arguments.records, *writer, arguments.options);
        return 0;
    } catch (const std::system_error &error) {
        return fail(directory, std::string(error.what()) + ": the recording stops here");
    } catch (const std::exception &error) {
        return fail(directory, error.what());
    }
}
