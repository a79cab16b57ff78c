// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/find.h"

#include <algorithm>
#include <vector>

namespace heapstory::slice {

namespace {

constexpr uint16_t nowhere = 0xffff;

// Which of its instructions an address is, by block.
std::vector<uint16_t> places_of(const Prepared &prepared, uint64_t address) {
    std::vector<uint16_t> places(prepared.source().blocks() + 1, nowhere);
    for (uint32_t id = 1; id < places.size(); ++id) {
        const auto &all = prepared.effects(id).instructions;
        auto at = std::ranges::find(all, address, &stream::Instruction::address);
        if (at != all.end())
            places[id] = uint16_t(at - all.begin());
    }
    return places;
}

// The executions in one sequence, in order.
class Executions {
  public:
    Executions(const Prepared &prepared, uint64_t address)
        : prepared_(prepared), places_(places_of(prepared, address)) {}

    const std::vector<Point> &in(uint32_t number) {
        found_.clear();
        const stream::Source &source = prepared_.source();
        source.read(number, sequence_);
        for (uint32_t at = 0; at < sequence_.steps(); ++at) {
            const uint32_t id = sequence_.block[at];
            const uint16_t place = places_[id];
            if (place != nowhere &&
                place < instructions_of(sequence_, at, source.block(id), prepared_.effects(id)))
                found_.push_back({sequence_.first_step + at, place});
        }
        return found_;
    }
    bool possible() const {
        return std::ranges::any_of(places_, [](uint16_t place) { return place != nowhere; });
    }

  private:
    const Prepared &prepared_;
    std::vector<uint16_t> places_;
    stream::Sequence sequence_;
    std::vector<Point> found_;
};

} // namespace

std::optional<Point> find_execution(const Prepared &prepared, uint64_t address, int64_t number) {
    Executions executions(prepared, address);
    if (!number || !executions.possible())
        return std::nullopt;
    const uint32_t sequences = prepared.source().sequences();
    uint64_t left = number > 0 ? uint64_t(number) : -uint64_t(number);
    for (uint32_t i = 0; i < sequences; ++i) {
        const std::vector<Point> &found = executions.in(number > 0 ? i : sequences - 1 - i);
        if (left <= found.size())
            return number > 0 ? found[left - 1] : found[found.size() - left];
        left -= found.size();
    }
    return std::nullopt;
}

uint64_t count_executions(const Prepared &prepared, uint64_t address) {
    Executions executions(prepared, address);
    uint64_t count = 0;
    if (executions.possible())
        for (uint32_t i = 0; i < prepared.source().sequences(); ++i)
            count += executions.in(i).size();
    return count;
}

bool exists(const Prepared &prepared, Point point) {
    if (point.step >= prepared.steps())
        return false;
    stream::Sequence sequence;
    prepared.source().read(prepared.sequence_of(point.step), sequence);
    const uint32_t id = sequence.block[point.step - sequence.first_step];
    return id ? point.instruction < prepared.effects(id).instructions.size() : !point.instruction;
}

} // namespace heapstory::slice
