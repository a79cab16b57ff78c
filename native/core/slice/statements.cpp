// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/statements.h"

#include "slice/arguments.h"
#include "stream/execution.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace heapstory::slice {

Statements::Statements(const Prepared &prepared, std::span<const uint64_t> addresses,
                       std::span<const uint32_t> numbers)
    : first_(1) {
    for (size_t i = 0; i < addresses.size() && i < numbers.size(); ++i) {
        by_address_[addresses[i]] = numbers[i];
        count_ = std::max(count_, numbers[i]);
    }
    any_.push_back(false);
    for (uint32_t id = 1; id <= prepared.source().blocks(); ++id) {
        bool any = false;
        first_.push_back(uint32_t(of_.size()));
        for (const stream::Instruction &one : prepared.effects(id).instructions) {
            of_.push_back(at(one.address));
            any |= of_.back() != 0;
        }
        any_.push_back(any);
    }
}

namespace {

bool is_before(Point one, Point other) {
    return one.step != other.step ? one.step < other.step : one.instruction < other.instruction;
}

} // namespace

// An instruction of the statement that ran.
struct StatementRuns::Visited {
    Point point;
    uint64_t address = 0, activation = 0;
    const Activations &activations;
};

template <class Visit> void StatementRuns::each_instruction(uint32_t number, Visit visit) const {
    stream::Sequence sequence;
    Activations activations;
    activations.wants_origins = true;
    const stream::Source &source = prepared_.source();
    source.read(number, sequence);
    prepared_.follow(number, sequence, activations);
    for (uint32_t at = 0; at < sequence.steps(); ++at) {
        const uint32_t id = sequence.block[at];
        if (!id || !wanted_.any_in(id))
            continue;
        const stream::Effects &effects = prepared_.effects(id);
        const unsigned count =
            stream::Execution(sequence, at, source.block(id)).instructions(effects);
        for (unsigned i = 0; i < count; ++i) {
            const Point point{sequence.first_step + at, uint16_t(i)};
            if (before_ && !is_before(point, *before_))
                return;
            if (wanted_.of(id, i) && !visit(Visited{point, effects.instructions[i].address,
                                                    activations.of_step[at], activations}))
                return;
        }
    }
}

StatementRuns::StatementRuns(const Prepared &prepared, std::span<const uint64_t> addresses,
                             std::optional<Point> before, FunctionAt function)
    : prepared_(prepared), wanted_(prepared, addresses, std::vector<uint32_t>(addresses.size(), 1)),
      before_(before), function_(std::move(function)) {
    struct Open {
        uint64_t address = 0; // of the last instruction
        size_t run = 0;
    };
    std::unordered_map<uint64_t, Open> open; // by activation
    for (uint32_t number = 0; number < prepared.source().sequences(); ++number)
        each_instruction(number, [&](const Visited &one) {
            auto [found, is_new] = open.try_emplace(one.activation);
            if (is_new || one.address <= found->second.address) {
                found->second.run = runs_.size();
                runs_.push_back({one.point, one.point, one.activation});
            }
            found->second.address = one.address;
            runs_[found->second.run].last = one.point;
            return true;
        });
}

std::optional<StatementRun> StatementRuns::find(int64_t number) const {
    const auto all = int64_t(runs_.size());
    const int64_t index = number > 0 ? number - 1 : all + number;
    if (!number || index < 0 || index >= all)
        return std::nullopt;
    const Run &wanted = runs_[size_t(index)];
    StatementRun run;
    run.activation = wanted.activation;
    const uint32_t end = prepared_.sequence_of(wanted.last.step);
    for (uint32_t n = prepared_.sequence_of(wanted.first.step); n <= end; ++n)
        each_instruction(n, [&](const Visited &one) {
            if (is_before(wanted.last, one.point))
                return false;
            if (is_before(one.point, wanted.first) || one.activation != wanted.activation)
                return true;
            if (run.instructions.empty()) {
                auto origin = one.activations.origins.find(wanted.activation);
                run.stack = origin == one.activations.origins.end() ? 0 : origin->second.stack;
            }
            run.instructions.push_back(one.point);
            return true;
        });
    find_end(run);
    find_arguments(run);
    return run;
}

// Whether a block that ran ends with a jump to another function, which returns in its place.
bool StatementRuns::goes_elsewhere(const stream::Sequence &sequence, const Activations &activations,
                                   uint32_t at) const {
    const uint64_t activation = activations.of_step[at];
    const stream::Instruction &last = prepared_.effects(sequence.block[at]).instructions.back();
    if (last.branch != stream::Branch::jump && last.branch != stream::Branch::indirect)
        return false;
    uint32_t next = at + 1;
    while (next < sequence.steps() &&
           (!sequence.block[next] || activations.of_step[next] != activation))
        ++next;
    if (next == sequence.steps())
        return false;
    const auto &there = prepared_.effects(sequence.block[next]).instructions;
    if (there.empty() || there.back().role == stream::Role::link)
        return !there.empty();
    const uint64_t from = function_(last.address), to = function_(there.front().address);
    return from && to && from != to;
}

std::optional<CallMade> StatementRuns::call_at(const stream::Sequence &sequence,
                                               const Activations &activations,
                                               const StatementRun &run, Point point) const {
    const auto at = uint32_t(point.step - sequence.first_step);
    const uint32_t id = sequence.block[at];
    const stream::Block &block = prepared_.source().block(id);
    if (point.instruction + 1u != prepared_.effects(id).instructions.size())
        return std::nullopt;
    if (block.jump == stream::Jump::call && !block.accesses.empty())
        return CallMade{point, run.activation,
                        stream::Execution(sequence, at, block).address(block.accesses.back()),
                        false};
    if (goes_elsewhere(sequence, activations, at))
        return CallMade{point, run.activation, run.stack, true};
    return std::nullopt;
}

void StatementRuns::find_arguments(StatementRun &run) const {
    stream::Sequence sequence;
    Activations activations;
    std::optional<uint32_t> read;
    for (const Point &point : run.instructions) {
        const uint32_t number = prepared_.sequence_of(point.step);
        if (read != number) {
            prepared_.source().read(number, sequence);
            prepared_.follow(number, sequence, activations);
            read = number;
        }
        const std::optional<CallMade> call = call_at(sequence, activations, run, point);
        if (!call)
            continue;
        const Arguments arguments = arguments_of(prepared_, sequence, activations, point);
        for (Point one : arguments.setups)
            if (!std::ranges::binary_search(run.instructions, one))
                run.arguments.push_back(one);
        Handed handed = used_arguments(prepared_, *call, arguments.untouched, arguments.pushed);
        if (!handed.registers.empty() || !handed.memory.empty())
            run.handed.push_back(std::move(handed));
        if (const std::optional<Handed> results = used_results(prepared_, *call))
            run.handed.push_back(*results);
    }
    std::ranges::sort(run.handed, {}, &Handed::point);
}

void StatementRuns::find_end(StatementRun &run) const {
    const Point last = run.instructions.back();
    run.after = {last.step, uint16_t(last.instruction + 1)};
    stream::Sequence sequence;
    Activations activations;
    const stream::Source &source = prepared_.source();
    bool calls = false;
    for (uint32_t n = prepared_.sequence_of(last.step); n < source.sequences(); ++n) {
        source.read(n, sequence);
        prepared_.follow(n, sequence, activations);
        const uint64_t begin = std::max(last.step, sequence.first_step) - sequence.first_step;
        for (auto at = uint32_t(begin); at < sequence.steps(); ++at) {
            const uint32_t id = sequence.block[at];
            if (!id || activations.of_step[at] != run.activation)
                continue;
            const stream::Effects &effects = prepared_.effects(id);
            unsigned next = 0;
            if (sequence.first_step + at == last.step) {
                const stream::Block &block = source.block(id);
                const unsigned count = stream::Execution(sequence, at, block).instructions(effects);
                next = last.instruction + 1u;
                calls = next == count && block.jump == stream::Jump::call;
                if (next >= count && block.jump == stream::Jump::ret)
                    return;
                if (next >= count)
                    continue;
            }
            run.next = effects.instructions[next].address;
            if (calls)
                run.after = {sequence.first_step + at, 0};
            return;
        }
    }
    if (calls) // and never came back
        run.after = prepared_.end();
}

} // namespace heapstory::slice
