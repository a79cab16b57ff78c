// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/histories.h"

#include <algorithm>

namespace heapstory::explore::ir {
namespace {

uint32_t slot(const World &world, int32_t thread) {
    auto before = std::count_if(world.calls.begin(), world.calls.end(),
                                [&](const Call &call) { return call.thread() == thread; });
    return uint32_t(thread * calls_of_thread + before);
}

int64_t value(const Operation &operation, const World &world, int32_t thread) {
    return (value_base + slot(world, thread)) * operation.spread;
}

} // namespace

Histories::Histories(const Code &code, const Limits &limits)
    : code_(code), limits_(limits), machine_(code),
      end_(Time::now() + std::chrono::duration_cast<Time::duration>(
                             std::chrono::duration<double>(limits.seconds))) {
    found_.outcome = Found::all_explained;
    found_.ended.resize(code.operations.size());
    machine_.spurious = !limits.alone; // many such failures in a row are no answer
}

World Histories::initial() {
    World world;
    world.memory = machine_.initial();
    world.running.fill(-1);
    if (code_.set_up >= 0)
        set_up(world);
    world.memory.threads = limits_.threads;
    for (const auto &object : world.memory.objects)
        object->touched = false;
    return world;
}

void Histories::set_up(World &world) {
    Thread thread;
    Choices choices;
    machine_.call(world.memory, thread, code_.set_up, {});
    machine_.glide(world.memory, thread, set_up_thread, choices);
    take_faults();
}

std::vector<Move> Histories::moves(const World &world) const {
    std::vector<Move> found;
    bool before = true; // threads are alike: the second begins after the first
    for (int32_t t = 0; t < limits_.threads; ++t) {
        const Thread &thread = world.threads[size_t(t)];
        bool began = std::any_of(world.calls.begin(), world.calls.end(),
                                 [t](const Call &call) { return call.thread() == t; });
        if (world.running[size_t(t)] >= 0) {
            if (!thread.frames.empty())
                found.push_back({t});
        } else if (before || began || code_.named || !limits_.program.empty()) {
            calls(world, t, found);
        }
        if (!reserved(t))
            before = before && began;
    }
    return found;
}

bool Histories::reserved(int32_t thread) const {
    return std::any_of(code_.operations.begin(), code_.operations.end(),
                       [thread](const Operation &each) { return each.role == thread; });
}

void Histories::calls(const World &world, int32_t thread, std::vector<Move> &found) const {
    auto runs = [](int32_t call) { return call >= 0; };
    if (int32_t(world.calls.size()) >= limits_.calls ||
        (limits_.alone && std::any_of(world.running.begin(), world.running.end(), runs)))
        return;
    bool others = !code_.strong && !limits_.alone &&
                  std::any_of(world.calls.begin(), world.calls.end(), [&](const Call &call) {
                      return call.answered && call.thread() != thread;
                  });
    for (size_t i = 0; i < code_.operations.size(); ++i) {
        const Operation &operation = code_.operations[i];
        if (!limits_.program.empty() && !is_next(world, thread, int32_t(i)))
            continue;
        if (operation.role >= 0 ? operation.role != thread : reserved(thread))
            continue;
        int64_t count = operation.argument && code_.keyed ? limits_.keys : 1;
        for (int64_t key = 1; key <= count; ++key) {
            int64_t argument = !operation.argument ? 0
                               : code_.keyed       ? key
                                                   : value(operation, world, thread);
            found.push_back({thread, int32_t(i), argument, true});
            if (others)
                found.push_back({thread, int32_t(i), argument, false});
        }
    }
}

bool Histories::is_next(const World &world, int32_t thread, int32_t operation) const {
    const auto &own = limits_.program[size_t(thread)];
    size_t made = slot(world, thread) % calls_of_thread;
    return made < own.size() && own[made] == operation;
}

bool Histories::make(World &world, const Move &move, Choices &choices) {
    auto t = size_t(move.thread);
    Thread &thread = world.threads[t];
    machine_.faults.clear();
    if (move.operation >= 0)
        begin(world, move);
    machine_.glide(world.memory, thread, move.thread, choices);
    if (!thread.frames.empty()) {
        if (!machine_.step(world.memory, thread, move.thread, choices))
            return false;
        machine_.glide(world.memory, thread, move.thread, choices, false);
    }
    if (thread.frames.empty())
        end(world, move.thread);
    retire(world);
    world.memory.forget();
    return true;
}

void Histories::retire(World &world) const {
    if (int32_t(world.calls.size()) < limits_.calls)
        return;
    for (size_t t = 0; t < size_t(limits_.threads); ++t)
        if (world.running[t] < 0 && !world.memory.retired[t]) {
            world.memory.retired[t] = true;
            world.memory.watchers[t] = {};
        }
}

void Histories::begin(World &world, const Move &move) {
    auto t = size_t(move.thread);
    const Operation &operation = code_.operations[size_t(move.operation)];
    Call call{move.operation, slot(world, move.thread), move.argument, done, false, 0};
    if (move.synchronised && !code_.strong)
        synchronise(world.memory, move.thread);
    for (const Call &each : world.calls)
        if (each.answered && (move.synchronised || each.thread() == move.thread))
            call.after |= 1U << each.slot | each.after;
    world.running[t] = int32_t(world.calls.size());
    world.calls.push_back(call);
    world.threads[t].patience = {};
    machine_.call(world.memory, world.threads[t], operation.function,
                  {{uint64_t(move.argument), 0, false}});
}

void Histories::synchronise(Memory &memory, int32_t thread) const {
    for (int32_t other = 0; other < limits_.threads; ++other)
        if (other != thread) {
            Sight &theirs = memory.watchers[size_t(other)].now;
            memory.watchers[size_t(thread)].now.join(theirs);
            ++theirs.clock[size_t(other)];
        }
}

void Histories::end(World &world, int32_t t) {
    Thread &thread = world.threads[size_t(t)];
    Call &call = world.calls[size_t(world.running[size_t(t)])];
    if (thread.given.empty())
        return; // it never answers
    if (thread.given[0].unset) {
        machine_.faults.push_back({Trouble::no_value, 0, -1, 0});
        return;
    }
    uint64_t value = thread.given.size() > 1 ? thread.given[1].low : 0;
    const Operation &operation = code_.operations[size_t(call.operation)];
    auto said = answer_of(operation, thread.given[0].low, value);
    if (said && operation.says == Says::value && *said != empty && *said != lost &&
        thread.given[1].unset)
        machine_.faults.push_back({Trouble::no_value, 0, -1, 0});
    found_.ended[size_t(call.operation)] = true;
    if (!said) {
        found_.outcome = Found::odd;
        found_.status = int64_t(thread.given[0].low);
    }
    world.running[size_t(t)] = -1;
    thread.given.clear();
    thread.registers.clear();
    call.answered = true;
    call.answer = said.value_or(lost);
    if (limits_.collect)
        collect(world);
    else if (said && !explained(code_, world.calls))
        found_.outcome = Found::unexplained;
    if (found_.outcome != Found::all_explained)
        found_.calls = world.calls;
}

void Histories::collect(const World &world) {
    Longs answers(size_t(limits_.threads), lost);
    for (const Call &call : world.calls)
        if (call.answered)
            answers[size_t(call.thread())] = call.answer;
    if (std::find(answers.begin(), answers.end(), lost) == answers.end())
        found_.answers.insert(answers);
}

void Histories::take_faults() {
    for (const Fault &fault : machine_.faults)
        if (known_.insert(fault).second)
            found_.faults.push_back(fault);
}

void Histories::note(size_t depth, const World &first, const Made &last, bool wrong) {
    bool fresh = found_.faults.empty() && !machine_.faults.empty();
    take_faults();
    if (!wrong && !fresh)
        return;
    auto outcome = found_.outcome;
    auto faults = machine_.faults;
    std::vector<Event> trail;
    machine_.trail = &trail;
    World world = first;
    for (size_t i = 0; i + 1 < depth; ++i)
        again(world, path_[i]);
    again(world, last);
    machine_.trail = nullptr;
    machine_.faults = faults;
    found_.outcome = outcome;
    if (wrong) {
        found_.trail = trail;
    } else {
        found_.fault_trail = trail;
        found_.fault_calls = world.calls;
    }
}

void Histories::again(World &world, Made each) {
    each.choices.at = 0;
    size_t call = world.calls.size();
    if (each.move.operation >= 0)
        machine_.trail->push_back({each.move.thread, 0, 0, 0, int64_t(call)});
    int32_t running = world.running[size_t(each.move.thread)];
    make(world, each.move, each.choices);
    running = running < 0 ? int32_t(call) : running;
    if (world.calls[size_t(running)].answered)
        machine_.trail->push_back({each.move.thread, 0, 6, 0, running});
}

bool Histories::late() {
    if (Time::now() > end_)
        found_.outcome = Found::out_of_time;
    else if (limits_.cancelled && *limits_.cancelled)
        found_.outcome = Found::cancelled;
    return found_.outcome != Found::all_explained;
}

} // namespace heapstory::explore::ir
