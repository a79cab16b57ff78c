// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/prepared.h"

#include "stream/execution.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace heapstory::slice {

namespace {

// Where files are mapped at a time.
class FileRanges {
  public:
    bool has(uint64_t address) const {
        auto after = ends_.upper_bound(address);
        return after != ends_.begin() && address < std::prev(after)->second;
    }
    // Nothing is there.
    void add(uint64_t start, uint64_t end) { ends_[start] = end; }
    void remove(uint64_t start, uint64_t end) {
        auto at = ends_.lower_bound(start);
        if (at != ends_.begin() && std::prev(at)->second > start)
            --at;
        while (at != ends_.end() && at->first < end) {
            const auto [first, last] = *at;
            at = ends_.erase(at);
            if (first < start)
                ends_[first] = start;
            if (end < last)
                ends_[end] = last;
        }
    }

  private:
    std::map<uint64_t, uint64_t> ends_; // by start
};

} // namespace

Prepared::Prepared(const stream::Source &source, const Code &code, const Progress &progress)
    : source_(source), effects_(1) {
    for (uint32_t id = 1; id <= source.blocks(); ++id)
        effects_.push_back(stream::effects_of(source.block(id)));
    first_run_.assign(effects_.size(), 0);
    std::vector<uint32_t> whole; // instructions of a block, by id
    for (const stream::Effects &effects : effects_)
        whole.push_back(uint32_t(effects.instructions.size()));
    Frames frames;
    Transitions transitions;
    stream::Sequence sequence;
    Activations activations;
    for (uint32_t number = 0; number < source.sequences(); ++number) {
        if (progress)
            progress(number, source.sequences());
        source.read(number, sequence);
        before_.push_back(frames);
        frames.follow(sequence, source, activations, &transitions);
        steps_ += sequence.steps();
        count_instructions(sequence, whole);
        note_first_runs(sequence);
    }
    frames.finish(transitions, source);
    graph_ = std::make_unique<FlowGraph>(source, effects_, transitions, code);
    find_lookups();
    made_.assign(effects_.size(), false);
}

// When a block ran first says whose code it is: an address that held a file may hold other memory
// later.
void Prepared::set_files(std::span<const FileChange> changes) {
    std::vector<uint32_t> by_time;
    for (uint32_t id = 1; id < effects_.size(); ++id)
        if (first_run_[id])
            by_time.push_back(id);
    std::ranges::sort(by_time, {}, [&](uint32_t id) { return first_run_[id]; });
    FileRanges files;
    auto next = changes.begin();
    for (uint32_t id : by_time) {
        for (; next != changes.end() && next->step < first_run_[id]; ++next) {
            files.remove(next->address, next->address + next->size);
            if (next->is_mapped)
                files.add(next->address, next->address + next->size);
        }
        made_[id] = !files.has(source_.block(id).address);
    }
}

void Prepared::note_first_runs(const stream::Sequence &sequence) {
    for (uint32_t at = 0; at < sequence.steps(); ++at)
        if (uint64_t &first = first_run_[sequence.block[at]]; !first)
            first = sequence.first_step + at + 1;
}

void Prepared::count_instructions(const stream::Sequence &sequence,
                                  const std::vector<uint32_t> &whole) {
    for (uint32_t at = 0; at < sequence.steps(); ++at) {
        const uint32_t id = sequence.block[at];
        if (!id || sequence.exit[at] == stream::ran_to_end)
            instructions_ += whole[id];
        else
            instructions_ +=
                stream::Execution(sequence, at, source_.block(id)).instructions(effects_[id]);
    }
}

// The first call of a library's function goes to the loader, which looks the function up and jumps
// there. Its code is what follows in the same activation, up to that jump.
void Prepared::find_lookups() {
    ends_lookup_.assign(effects_.size(), false);
    std::vector<uint32_t> waiting;
    std::unordered_set<uint32_t> seen;
    std::unordered_map<uint32_t, std::vector<uint32_t>> ending; // blocks, by their last node
    for (uint32_t id = 1; id < effects_.size(); ++id) {
        if (effects_[id].instructions.empty())
            continue;
        const uint32_t node = graph_->parts(id).back().node;
        const stream::Instruction &last = effects_[id].instructions.back();
        if (last.role == stream::Role::resolve)
            waiting.push_back(node);
        else if (last.branch == stream::Branch::indirect)
            ending[node].push_back(id);
    }
    while (!waiting.empty()) {
        const uint32_t node = waiting.back();
        waiting.pop_back();
        for (uint32_t next : graph_->successors(node)) {
            if (!next || !seen.insert(next).second)
                continue;
            auto found = ending.find(next);
            if (found == ending.end())
                waiting.push_back(next);
            else
                for (uint32_t id : found->second)
                    ends_lookup_[id] = true;
        }
    }
}

uint32_t Prepared::sequence_of(uint64_t step) const {
    uint32_t low = 0, high = source_.sequences();
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        (source_.first_step(middle) <= step ? low : high) = middle;
    }
    return low;
}

} // namespace heapstory::slice
