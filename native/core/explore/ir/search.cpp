// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/search.h"

#include "explore/ir/histories.h"
#include "explore/room.h"
#include "explore/visited.h"

#include <algorithm>
#include <unordered_set>

namespace heapstory::explore::ir {
namespace {

constexpr size_t patience = 256; // states between two looks at the clock and the memory

// A state as words, equal for states that behave alike.
class Encoder {
  public:
    const std::vector<int32_t> &encode(const World &world, int threads) {
        words_.clear();
        ranks(world.memory);
        for (int t = 0; t < threads; ++t)
            thread(world.threads[size_t(t)]);
        for (const auto &object : world.memory.objects)
            if (object->touched)
                put(*object);
        for (int t = 0; t < threads; ++t) {
            const Watcher &watcher = world.memory.watchers[size_t(t)];
            put(watcher.now);
            put(watcher.acquired);
            put(watcher.released);
        }
        put(world.memory.strong_sight);
        calls(world.calls);
        return words_;
    }

  private:
    void put(uint64_t value) {
        words_.push_back(int32_t(value));
        words_.push_back(int32_t(value >> 32));
    }
    void put(const Value &value) {
        put(value.low);
        put(value.high);
        words_.push_back(value.unset);
    }
    // In the order of threads: which of two began first is in `after`, if it matters.
    void calls(std::vector<Call> calls) {
        std::sort(calls.begin(), calls.end(),
                  [](const Call &a, const Call &b) { return a.slot < b.slot; });
        for (const Call &call : calls) {
            put(uint64_t(call.argument));
            put(uint64_t(call.answer));
            words_.insert(words_.end(),
                          {call.operation, int32_t(call.slot), call.answered, int32_t(call.after)});
        }
    }
    // Of clocks only matters which of the marks that are left they cover.
    void ranks(const Memory &memory) {
        for (auto &each : marks_)
            each.clear();
        for (const auto &object : memory.objects)
            for (size_t c = 0; object->touched && c < object->cells.size(); ++c)
                for (auto member :
                     {&Marks::plain_read, &Marks::plain_write, &Marks::read, &Marks::write})
                    for (size_t t = 0; t < most_threads; ++t)
                        if (uint16_t when = (object->cells[c].marks.*member)[t]; when != 0)
                            marks_[t].push_back(when);
        for (auto &each : marks_) {
            std::sort(each.begin(), each.end());
            each.erase(std::unique(each.begin(), each.end()), each.end());
        }
    }
    int32_t rank(size_t t, uint16_t clock) const {
        return int32_t(std::upper_bound(marks_[t].begin(), marks_[t].end(), clock) -
                       marks_[t].begin());
    }
    void put(const Clock &clock) {
        static_assert(most_threads * 16 <= 64);
        uint64_t all = 0;
        for (size_t t = 0; t < most_threads; ++t)
            all = all << 16 | uint16_t(rank(t, clock[t]));
        put(all);
    }
    void put(const Sight &sight) {
        words_.push_back(int32_t(sight.seen.size()));
        for (auto [key, message] : sight.seen) {
            put(key);
            words_.push_back(message);
        }
        put(sight.clock);
    }
    void put(const Object &object) {
        words_.insert(words_.end(), {int32_t(object.id), int32_t(object.size), object.owner,
                                     object.freed, object.cleared});
        if (object.freed)
            put(object.free_sight);
        words_.push_back(int32_t(object.cells.size()));
        for (const Cell &cell : object.cells) {
            words_.insert(words_.end(), {int32_t(cell.offset), int32_t(cell.size)});
            for (const Message &message : cell.messages) {
                put(message.value);
                put(message.sight);
                if (message.own)
                    put(*message.own);
                words_.push_back((message.attached ? -2 - message.writer : 2 + message.writer) +
                                 (message.own ? 256 : 0));
            }
            put(cell.marks.plain_read);
            put(cell.marks.plain_write);
            put(cell.marks.read);
            put(cell.marks.write);
        }
    }
    void thread(const Thread &thread) {
        words_.insert(words_.end(), {thread.allocated, thread.patience.rounds});
        put(thread.exception);
        put(thread.raised);
        words_.push_back(int32_t(thread.frames.size()));
        for (const Frame &frame : thread.frames)
            words_.insert(words_.end(), {frame.function, frame.at, frame.result});
        for (const Value &value : thread.registers)
            put(value);
    }

    std::vector<int32_t> words_;
    std::array<std::vector<uint16_t>, most_threads> marks_;
};

struct HashOf {
    size_t operator()(const Hash &hash) const { return hash.low; }
};

class Search : Histories {
  public:
    using Histories::Histories;

    Found run() {
        machine_.most_rounds = most_rounds;
        World world = initial();
        if (found_.faults.empty())
            from(world);
        found_.states = visited_.size();
        found_.waited = machine_.waited;
        return std::move(found_);
    }

  private:
    struct Level {
        World world;
        std::vector<Move> moves;
        size_t move = 0;
        Choices choices;
    };

    void from(const World &first) {
        std::vector<Level> path;
        path.push_back({first, moves(first), 0, {}});
        while (!path.empty() && found_.outcome == Found::all_explained) {
            Level &level = path.back();
            if (level.move == level.moves.size()) {
                path.pop_back();
                continue;
            }
            World next = level.world;
            Move move = level.moves[level.move];
            level.choices.at = 0;
            bool went = make(next, move, level.choices);
            Choices made = level.choices;
            if (!level.choices.next()) {
                ++level.move;
                level.choices = {};
            }
            if (!machine_.faults.empty() || found_.outcome != Found::all_explained) {
                bool wrong = found_.outcome != Found::all_explained;
                note(path.size(), first, {move, made}, wrong);
            }
            if (!went || found_.outcome != Found::all_explained)
                continue;
            if (!visited_.insert(hash_of(encoder_.encode(next, limits_.threads))).second)
                continue;
            if (over())
                return;
            path.push_back({std::move(next), {}, 0, {}});
            path.back().moves = moves(path.back().world);
            path_.resize(path.size() - 2);
            path_.push_back({move, made});
        }
    }

    bool over() {
        size_t states = visited_.size();
        bool looks = states % patience == 1;
        if (states > limits_.states)
            found_.outcome = Found::too_many;
        else if (looks && resident() > limits_.memory)
            found_.outcome = Found::out_of_memory;
        return found_.outcome != Found::all_explained || (looks && late());
    }

    Encoder encoder_;
    std::unordered_set<Hash, HashOf> visited_;
};

} // namespace

Found search(const Code &code, const Limits &limits) {
    return Search(code, limits).run();
}

Sequence one_by_one(const Code &code, const std::vector<std::pair<int32_t, int64_t>> &calls) {
    Machine machine(code);
    Sequence found;
    Memory memory = machine.initial();
    Thread thread;
    auto run = [&](int32_t function, const std::vector<Value> &arguments) {
        Choices choices;
        machine.call(memory, thread, function, arguments);
        machine.glide(memory, thread, set_up_thread, choices);
    };
    if (code.set_up >= 0)
        run(code.set_up, {});
    for (auto [operation, argument] : calls) {
        if (!machine.faults.empty())
            break;
        run(code.operations[size_t(operation)].function, {{uint64_t(argument), 0, false}});
        if (thread.given.empty() || !machine.faults.empty())
            break;
        if (thread.given[0].unset) {
            machine.faults.push_back({Trouble::no_value, 0, -1, 0});
            break;
        }
        uint64_t value = thread.given.size() > 1 ? thread.given[1].low : 0;
        found.answers.emplace_back(int64_t(thread.given[0].low), int64_t(value));
    }
    found.faults = machine.faults;
    return found;
}

} // namespace heapstory::explore::ir
