// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/find.h"

#include "stream/execution.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace heapstory::slice {

namespace {

using stream::Execution;

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
                place <
                    Execution(sequence_, at, source.block(id)).instructions(prepared_.effects(id)))
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

// Walks the sequences in the direction in which things are counted; `in` gives what is in one.
template <class In>
std::optional<Point> nth(const Prepared &prepared, int64_t number, const In &in) {
    const uint32_t sequences = prepared.source().sequences();
    uint64_t left = number > 0 ? uint64_t(number) : -uint64_t(number);
    for (uint32_t i = 0; i < sequences; ++i) {
        const std::vector<Point> &found = in(number > 0 ? i : sequences - 1 - i);
        if (left <= found.size())
            return number > 0 ? found[left - 1] : found[found.size() - left];
        left -= found.size();
    }
    return std::nullopt;
}

std::vector<Point> reads_in(const Prepared &prepared, uint32_t number) {
    std::vector<Point> found;
    stream::Sequence sequence;
    const stream::Source &source = prepared.source();
    source.read(number, sequence);
    for (uint32_t at = 0; at < sequence.steps(); ++at) {
        const uint32_t id = sequence.block[at];
        if (!id)
            continue;
        const Execution execution(sequence, at, source.block(id));
        const stream::Effects &effects = prepared.effects(id);
        for (unsigned i = 0, count = execution.instructions(effects); i < count; ++i)
            execution.each_access(effects, i, stream::AccessKind::load,
                                  [&](const stream::Access &, uint64_t) {
                                      found.push_back({sequence.first_step + at, uint16_t(i)});
                                  });
    }
    return found;
}

bool holds(uint64_t first, uint64_t size, uint64_t address) {
    return address - first < size;
}

} // namespace

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

std::optional<Point> find_execution(const Prepared &prepared, uint64_t address, int64_t number) {
    Executions executions(prepared, address);
    if (!number || !executions.possible())
        return std::nullopt;
    return nth(prepared, number, [&](uint32_t i) { return executions.in(i); });
}

std::optional<Point> first_since(const Prepared &prepared, uint64_t address, uint64_t step) {
    Executions executions(prepared, address);
    if (step >= prepared.steps() || !executions.possible())
        return std::nullopt;
    for (uint32_t i = prepared.sequence_of(step); i < prepared.source().sequences(); ++i)
        for (const Point &point : executions.in(i))
            if (point.step >= step)
                return point;
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
    return address_at(prepared, point).has_value();
}

std::optional<uint64_t> address_at(const Prepared &prepared, Point point) {
    if (point.step >= prepared.steps())
        return std::nullopt;
    stream::Sequence sequence;
    prepared.source().read(prepared.sequence_of(point.step), sequence);
    const auto at = uint32_t(point.step - sequence.first_step);
    const uint32_t id = sequence.block[at];
    if (!id)
        return point.instruction ? std::nullopt
                                 : std::optional(sequence.effects[sequence.operand[at]].address);
    const auto &instructions = prepared.effects(id).instructions;
    if (point.instruction >= instructions.size())
        return std::nullopt;
    return instructions[point.instruction].address;
}

std::optional<Point> find_read(const Prepared &prepared, int64_t number) {
    if (!number)
        return std::nullopt;
    return nth(prepared, number, [&](uint32_t i) { return reads_in(prepared, i); });
}

std::optional<Point> find_fault(const Prepared &prepared) {
    stream::Sequence sequence;
    for (uint32_t left = prepared.source().sequences(); left-- > 0;) {
        prepared.source().read(left, sequence);
        if (sequence.faults.empty())
            continue;
        const stream::Fault &fault = sequence.faults.back();
        return Point{sequence.first_step + fault.step, fault.instructions};
    }
    return std::nullopt;
}

std::optional<Point> find_writer(const Prepared &prepared, uint64_t step, uint64_t address) {
    if (step >= prepared.steps())
        return std::nullopt;
    stream::Sequence sequence;
    const stream::Source &source = prepared.source();
    source.read(prepared.sequence_of(step), sequence);
    const auto at = uint32_t(step - sequence.first_step);
    const uint32_t id = sequence.block[at];
    if (!id) {
        for (const stream::Range &range : sequence.effects[sequence.operand[at]].defined)
            if (holds(range.address, range.size, address))
                return Point{step, 0};
        return std::nullopt;
    }
    const Execution execution(sequence, at, source.block(id));
    const stream::Effects &effects = prepared.effects(id);
    std::optional<Point> found;
    for (unsigned i = 0, count = execution.instructions(effects); i < count; ++i)
        execution.each_access(effects, i, stream::AccessKind::store,
                              [&](const stream::Access &access, uint64_t first) {
                                  if (holds(first, access.size, address))
                                      found = Point{step, uint16_t(i)};
                              });
    return found;
}

std::vector<uint64_t> deciders(const Prepared &prepared, uint64_t address) {
    std::vector<uint32_t> branches;
    const std::vector<uint16_t> places = places_of(prepared, address);
    for (uint32_t id = 1; id < places.size(); ++id)
        if (places[id] != nowhere)
            std::ranges::copy(
                prepared.graph().controllers(prepared.graph().node_of(id, places[id])),
                std::back_inserter(branches));
    std::vector<uint64_t> found;
    for (uint32_t id = 1; id <= prepared.source().blocks(); ++id)
        for (const BlockPart &part : prepared.graph().parts(id))
            if (std::ranges::find(branches, part.node) != branches.end())
                found.push_back(prepared.effects(id).instructions[part.end - 1u].address);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace heapstory::slice
