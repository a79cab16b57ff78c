// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/drawing.h"

#include "explore/ir/histories.h"

#include <algorithm>

namespace heapstory::explore::ir {
namespace {

constexpr int most_steps = 4000; // of one history: threads may wait for others for ever

class Drawing : Histories {
  public:
    using Histories::Histories;

    Found run(const Seeds &seeds) {
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

  private:
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
        for (int steps = 0; steps < most_steps; ++steps) {
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
};

} // namespace

Found draw(const Code &code, const Limits &limits, const Seeds &seeds) {
    return Drawing(code, limits).run(seeds);
}

} // namespace heapstory::explore::ir
