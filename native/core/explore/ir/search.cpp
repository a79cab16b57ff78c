// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/search.h"

#include "explore/visited.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_set>

namespace heapstory::explore::ir {
namespace {

using Time = std::chrono::steady_clock;

constexpr int most_drawn_steps = 4000; // of one history: threads may wait for others for ever

struct World {
    Memory memory;
    std::array<Thread, most_threads> threads;
    std::vector<Call> calls;
    std::array<int32_t, most_threads> running{}; // the call of each thread, -1 where there is none
};

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
        words_.push_back(thread.allocated);
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

// One thing that can happen: a thread goes on, or begins a call.
struct Move {
    int32_t thread;
    int32_t operation = -1; // -1: it goes on
    int64_t argument = 0;
    bool synchronised = false; // knows all that has happened so far
};

class Search {
  public:
    Search(const Code &code, const Limits &limits)
        : code_(code), limits_(limits), machine_(code),
          end_(Time::now() + std::chrono::duration_cast<Time::duration>(
                                 std::chrono::duration<double>(limits.seconds))) {
        found_.outcome = Found::all_explained;
        found_.ended.resize(code.operations.size());
        machine_.spurious = !limits.alone; // many such failures in a row are no answer
    }

    Found run() {
        World world = initial();
        if (found_.faults.empty())
            from(world);
        found_.states = visited_.size();
        return std::move(found_);
    }

    Found draw(const Seeds &seeds) {
        World first = initial();
        bool any = limits_.program.empty();
        for (uint64_t n = 0; n < seeds.count && !faulty() && !late(); ++n) {
            Dice dice(seeds.first + n);
            if (any)
                limits_.program = cast(dice);
            walk(first, dice);
            if (found_.outcome != Found::all_explained)
                break;
            ++found_.histories;
        }
        return std::move(found_);
    }

    World initial() {
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

    // The memory after the initialiser; where that has a fault, it is found now.
    void set_up(World &world) {
        Thread thread;
        Choices choices;
        machine_.call(world.memory, thread, code_.set_up, {});
        machine_.glide(world.memory, thread, set_up_thread, choices);
        take_faults();
    }

    Machine &machine() { return machine_; }

  private:
    struct Level {
        World world;
        std::vector<Move> moves;
        size_t move = 0;
        Choices choices;
    };
    struct Made {
        Move move;
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

    // Whether something went wrong that ends the search; assertions may fail without threads, too.
    bool faulty() const {
        return std::any_of(found_.faults.begin(), found_.faults.end(),
                           [](const Fault &each) { return each.what != Trouble::assertion; });
    }

    // One history, to its end: the same thread goes on for long or for short.
    void walk(const World &first, Dice &dice) {
        static constexpr std::array<int32_t, 4> stays{0, 50, 80, 95};
        int32_t stay = stays[size_t(dice.below(stays.size()))], last = -1;
        World world = first;
        path_.clear();
        for (int steps = 0; steps < most_drawn_steps; ++steps) {
            std::vector<Move> possible = moves(world);
            bool went = false;
            while (!went && !possible.empty()) {
                bool same = dice.happens(stay);
                Move move = taken(possible, same ? last : -1, dice);
                Made made{move, {}};
                made.choices.dice = &dice;
                World next = world;
                went = make(next, move, made.choices);
                made.choices.dice = nullptr;
                bool wrong = found_.outcome != Found::all_explained;
                if (wrong || !machine_.faults.empty()) {
                    note(path_.size() + 1, first, made, wrong);
                    return;
                }
                if (went) {
                    world = std::move(next);
                    path_.push_back(std::move(made));
                    last = move.thread;
                }
            }
            if (!went)
                return;
        }
    }

    // What each thread calls: about as often each operation, or any.
    std::vector<std::vector<int32_t>> cast(Dice &dice) const {
        std::vector<std::vector<int32_t>> program(size_t(limits_.threads));
        std::vector<int32_t> others; // threads that may call what is not reserved
        for (int32_t t = 0; t < limits_.threads; ++t)
            if (!reserved(t))
                others.push_back(t);
        size_t count = code_.operations.size();
        bool even = dice.happens(50);
        size_t first = size_t(dice.below(count));
        std::vector<int32_t> calls;
        for (int32_t n = 0; n < limits_.calls; ++n) {
            auto next = even ? int32_t((first + size_t(n)) % count) : dice.below(count);
            calls.insert(calls.begin() + dice.below(calls.size() + 1), next);
        }
        for (int32_t operation : calls) {
            int32_t role = code_.operations[size_t(operation)].role;
            if (role >= 0)
                program[size_t(role)].push_back(operation);
            else if (!others.empty())
                program[size_t(others[size_t(dice.below(others.size()))])].push_back(operation);
        }
        return program;
    }

    // Takes out one move: of some thread, or of the last one if it can go on.
    static Move taken(std::vector<Move> &possible, int32_t last, Dice &dice) {
        auto of = [&](int32_t thread) {
            return std::any_of(possible.begin(), possible.end(),
                               [&](const Move &move) { return move.thread == thread; });
        };
        while (!of(last))
            last = dice.below(most_threads);
        size_t which;
        do {
            which = size_t(dice.below(possible.size()));
        } while (possible[which].thread != last);
        Move move = possible[which];
        possible.erase(possible.begin() + std::ptrdiff_t(which));
        return move;
    }

    bool late() {
        if (Time::now() > end_)
            found_.outcome = Found::out_of_time;
        else if (limits_.cancelled && *limits_.cancelled)
            found_.outcome = Found::cancelled;
        return found_.outcome != Found::all_explained;
    }

    bool over() {
        size_t states = visited_.size();
        if (states > limits_.states)
            found_.outcome = Found::too_many;
        else if (states % 256 == 0 && Time::now() > end_)
            found_.outcome = Found::out_of_time;
        else if (limits_.cancelled && *limits_.cancelled)
            found_.outcome = Found::cancelled;
        return found_.outcome != Found::all_explained;
    }

    std::vector<Move> moves(const World &world) const {
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

    bool reserved(int32_t thread) const {
        return std::any_of(code_.operations.begin(), code_.operations.end(),
                           [thread](const Operation &each) { return each.role == thread; });
    }

    void calls(const World &world, int32_t thread, std::vector<Move> &found) const {
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

    // Whether it is the next operation of a thread that has a program.
    bool is_next(const World &world, int32_t thread, int32_t operation) const {
        const auto &own = limits_.program[size_t(thread)];
        size_t made = slot(world, thread) % calls_of_thread;
        return made < own.size() && own[made] == operation;
    }

    static int64_t value(const Operation &operation, const World &world, int32_t thread) {
        return (value_base + slot(world, thread)) * operation.spread;
    }

    bool make(World &world, const Move &move, Choices &choices) {
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

    // What a thread that makes no more calls has seen does not matter.
    void retire(World &world) const {
        if (int32_t(world.calls.size()) < limits_.calls)
            return;
        for (size_t t = 0; t < size_t(limits_.threads); ++t)
            if (world.running[t] < 0 && !world.memory.retired[t]) {
                world.memory.retired[t] = true;
                world.memory.watchers[t] = {};
            }
    }

    static uint32_t slot(const World &world, int32_t thread) {
        auto before = std::count_if(world.calls.begin(), world.calls.end(),
                                    [&](const Call &call) { return call.thread() == thread; });
        return uint32_t(thread * calls_of_thread + before);
    }

    void begin(World &world, const Move &move) {
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
        machine_.call(world.memory, world.threads[t], operation.function,
                      {{uint64_t(move.argument), 0, false}});
    }

    void synchronise(Memory &memory, int32_t thread) const {
        for (int32_t other = 0; other < limits_.threads; ++other)
            if (other != thread) {
                Sight &theirs = memory.watchers[size_t(other)].now;
                memory.watchers[size_t(thread)].now.join(theirs);
                ++theirs.clock[size_t(other)];
            }
    }

    void end(World &world, int32_t t) {
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

    void collect(const World &world) {
        Longs answers(size_t(limits_.threads), lost);
        for (const Call &call : world.calls)
            if (call.answered)
                answers[size_t(call.thread())] = call.answer;
        if (std::find(answers.begin(), answers.end(), lost) == answers.end())
            found_.answers.insert(answers);
    }

    void take_faults() {
        for (const Fault &fault : machine_.faults)
            if (known_.insert(fault).second)
                found_.faults.push_back(fault);
    }

    // The way to the state that was just reached, made once more with a record.
    void note(size_t depth, const World &first, const Made &last, bool wrong) {
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

    void again(World &world, Made each) {
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

    const Code &code_;
    Limits limits_;
    Machine machine_;
    Encoder encoder_;
    Time::time_point end_;
    Found found_;
    std::set<Fault> known_;
    std::unordered_set<Hash, HashOf> visited_;
    std::vector<Made> path_;
};

} // namespace

Found search(const Code &code, const Limits &limits) {
    return Search(code, limits).run();
}

Found draw(const Code &code, const Limits &limits, const Seeds &seeds) {
    return Search(code, limits).draw(seeds);
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
