// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/roots.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace heapstory {

namespace {

// DWARF's numbers.
constexpr std::array<const char *, 16> registers = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                    "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                    "r12", "r13", "r14", "r15"};

uint64_t timestamp_at(const Store &store, uint32_t chunk, uint32_t position) {
    return position ? store.clock(chunk)->timestamps.of(position - 1)
                    : store.header(chunk).first_timestamp;
}

} // namespace

std::vector<ScannedWord> scanned_words(const Mark &mark) {
    std::vector<ScannedWord> out;
    if (ScanKind(mark.a) == ScanKind::parts)
        return out;
    std::string thread = "thread " + std::to_string(mark.b) + " ";
    for (const ScanWord &found : decode_scan(mark.text)) {
        ScannedWord word;
        word.value = found.value;
        if (ScanKind(mark.a) == ScanKind::registers) {
            word.name = thread + (found.where < registers.size() ? registers[found.where] : "?");
        } else {
            word.name = ScanKind(mark.a) == ScanKind::memory ? "memory" : thread + "stack";
            word.address = found.where;
        }
        out.push_back(std::move(word));
    }
    return out;
}

std::vector<ScannedWord> scanned_words(const Store &store, uint64_t timestamp, bool &scanned) {
    std::vector<ScannedWord> words;
    scanned = false;
    for (uint32_t chunk : store.event_chunks()) {
        const ChunkHeader &header = store.header(chunk);
        if (header.first_timestamp > timestamp)
            break;
        if (header.first_timestamp + header.changes < timestamp)
            continue;
        bool in_scan = false;
        for (const Mark &mark : store.events(chunk).marks()) {
            if (mark.kind != Mark::Kind::scan) {
                in_scan = false;
                continue;
            }
            if (timestamp_at(store, chunk, mark.event) != timestamp)
                continue;
            if (!in_scan) { // an earlier one at the same timestamp does not count
                words.clear();
                scanned = true;
            }
            in_scan = true;
            scanned &= ScanKind(mark.a) != ScanKind::partial;
            std::ranges::move(scanned_words(mark), std::back_inserter(words));
        }
    }
    return words;
}

Parts parts_at(const Store &store, uint64_t timestamp) {
    Parts parts;
    for (uint32_t chunk : store.event_chunks()) {
        const ChunkHeader &header = store.header(chunk);
        if (header.first_timestamp > timestamp)
            break;
        if (header.first_timestamp + header.changes < timestamp)
            continue;
        for (const Mark &mark : store.events(chunk).marks())
            if (mark.kind == Mark::Kind::scan && ScanKind(mark.a) == ScanKind::parts &&
                timestamp_at(store, chunk, mark.event) == timestamp)
                for (const ScanWord &word : decode_scan(mark.text))
                    parts[word.where] = uint8_t(word.value);
    }
    return parts;
}

void Labels::read() const {
    for (uint32_t chunk : store_->event_chunks())
        for (const Mark &mark : store_->events(chunk).marks())
            if (mark.kind == Mark::Kind::root)
                names_[mark.a].push_back({timestamp_at(*store_, chunk, mark.event), mark.text});
}

std::string_view Labels::of(const NodeRow &row, uint64_t timestamp) const {
    std::call_once(once_, [this] { read(); });
    for (auto at = names_.lower_bound(row.address); at != names_.end() && row.holds(at->first);
         ++at) {
        const std::vector<Name> &names = at->second;
        for (auto name = names.rbegin(); name != names.rend(); ++name)
            if (name->timestamp <= timestamp)
                return name->text;
    }
    return {};
}

} // namespace heapstory
