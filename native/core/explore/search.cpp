// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/search.h"

#include "explore/room.h"
#include "explore/visited.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

namespace heapstory::explore {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t batch = 2048;  // states that are looked at between two merges
constexpr size_t worth = 256;   // fewer are not worth a second thread
constexpr size_t patience = 32; // states between two looks at the clock
constexpr unsigned most_threads = 8;

// States of one depth, one behind the other.
struct Layer {
    Words words;
    std::vector<size_t> begins;
    uint32_t first = 0; // the number of its first state

    void add(const int32_t *begin, const int32_t *end) {
        begins.push_back(words.size());
        words.insert(words.end(), begin, end);
    }
};

// When to stop.
class Limit {
  public:
    explicit Limit(const Effort &effort)
        : effort_(effort), end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(effort.seconds))) {
    }

    Found::Outcome reached(size_t states) const {
        if (effort_.cancelled && *effort_.cancelled)
            return Found::cancelled;
        if (states > effort_.states)
            return Found::too_many;
        if (states > 0 && resident() > effort_.memory)
            return Found::out_of_memory;
        return Clock::now() > end_ ? Found::out_of_time : Found::all_explained;
    }

  private:
    Effort effort_;
    Clock::time_point end_;
};

// What one thread finds: the successors of some states of a layer, in order.
class Worker {
  public:
    Worker(const Question &question, Limits limits)
        : program_(question.program), names_(question.names),
          model_(model_of(question.type, &question.object, question.object_uses_id)),
          moves_(program_, *model_, names_, limits) {}

    struct State {
        size_t begin, end; // in words
        Hash hash;
        Visited::Way way;
    };
    Words words;
    std::vector<State> states;
    std::optional<Visited::Way> wrong; // the way to an answer that cannot be explained
    std::exception_ptr failed;

    Moves &moves() { return moves_; }

    void clear() {
        words.clear();
        states.clear();
    }

    void add(World &world, Visited::Way way) {
        canonicalise(program_, moves_.widths(), names_, world);
        encode(program_, moves_.widths(), names_, world, one_);
        states.push_back({words.size(), words.size() + one_.size(), hash_of(one_), way});
        words.insert(words.end(), one_.begin(), one_.end());
    }

    // Stops at the first answer that cannot be explained, or at a limit.
    void follow(const Layer &layer, size_t begin, size_t end, const Visited &visited,
                const Limit &limit) try {
        for (size_t i = begin; i < end && !wrong; ++i) {
            if (i % patience == 0 && limit.reached(0) != Found::all_explained)
                return;
            decode(program_, moves_.widths(), names_, layer.words.data() + layer.begins[i], world_);
            Visited::Way way{layer.first + uint32_t(i), 0};
            moves_.from(world_, [&](World &next) {
                if (wrong)
                    return;
                if (next.orders.empty()) {
                    wrong = way;
                    return;
                }
                add(next, way);
                if (visited.contains(states.back().hash)) {
                    words.resize(states.back().begin);
                    states.pop_back();
                }
                ++way.move;
            });
        }
    } catch (...) {
        failed = std::current_exception();
    }

    // The moves to an answer that cannot be explained, made once more with a record.
    std::vector<Action> trail(const std::vector<uint32_t> &made) {
        World world = moves_.initial();
        world.traced = true;
        for (uint32_t wanted : made) {
            canonicalise(program_, moves_.widths(), names_, world);
            uint32_t move = 0;
            World chosen;
            moves_.from(world, [&](World &next) {
                if (move++ == wanted)
                    chosen = next;
            });
            world = std::move(chosen);
        }
        return world.trail;
    }

  private:
    const Program &program_;
    Names names_;
    std::unique_ptr<Model> model_;
    Moves moves_;
    World world_;
    Words one_;
};

class Search {
  public:
    Search(const Question &question, Limits limits, const Effort &effort) : limit_(effort) {
        unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
        for (unsigned i = 0; i < threads; ++i)
            workers_.push_back(std::make_unique<Worker>(question, limits));
    }

    Found run() {
        Worker &first = *workers_[0];
        World world = first.moves().initial();
        first.add(world, {Visited::none, 0});
        Layer layer;
        take(first, layer);
        Found found{Found::all_explained, {}, 0, {}, {}, {}};
        while (found.outcome == Found::all_explained && !layer.begins.empty())
            found.outcome = one_deeper(layer);
        if (found.outcome == Found::unexplained)
            found.trail = first.trail(way_to(wrong_));
        found.states = visited_.size();
        sum_up(found);
        return found;
    }

  private:
    Found::Outcome one_deeper(Layer &layer) {
        Layer deeper;
        deeper.first = uint32_t(visited_.size());
        for (size_t begin = 0; begin < layer.begins.size(); begin += batch) {
            size_t end = std::min(begin + batch, layer.begins.size());
            together(layer, begin, end);
            // Merged in the order of their states, so that the answer does not depend on threads.
            for (auto &worker : workers_) {
                if (worker->failed)
                    std::rethrow_exception(worker->failed);
                take(*worker, deeper);
                if (worker->wrong) {
                    wrong_ = *worker->wrong;
                    return Found::unexplained;
                }
            }
            if (Found::Outcome over = limit_.reached(visited_.size()); over != Found::all_explained)
                return over;
        }
        layer = std::move(deeper);
        return Found::all_explained;
    }

    // Each thread takes a share of neighbouring states.
    void together(const Layer &layer, size_t begin, size_t end) {
        if (end - begin < worth) {
            workers_[0]->follow(layer, begin, end, visited_, limit_);
            return;
        }
        size_t share = (end - begin + workers_.size() - 1) / workers_.size();
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < workers_.size(); ++i) {
            size_t from = std::min(begin + i * share, end), to = std::min(from + share, end);
            threads.emplace_back([this, &layer, i, from, to] {
                workers_[i]->follow(layer, from, to, visited_, limit_);
            });
        }
    }

    void take(Worker &worker, Layer &layer) {
        for (const Worker::State &state : worker.states)
            if (visited_.add(state.hash, state.way))
                layer.add(worker.words.data() + state.begin, worker.words.data() + state.end);
        worker.clear();
    }

    std::vector<uint32_t> way_to(Visited::Way last) const {
        std::vector<uint32_t> made{last.move};
        for (uint32_t at = last.from; visited_.way(at).from != Visited::none;
             at = visited_.way(at).from)
            made.push_back(visited_.way(at).move);
        std::reverse(made.begin(), made.end());
        return made;
    }

    void sum_up(Found &found) {
        std::set<std::pair<int32_t, int32_t>> ran;
        std::set<int32_t> ended;
        Moves::Faults faults;
        for (auto &worker : workers_) {
            ran.insert(worker->moves().ran().begin(), worker->moves().ran().end());
            ended.insert(worker->moves().ended().begin(), worker->moves().ended().end());
            faults.insert(worker->moves().faults().begin(), worker->moves().faults().end());
        }
        found.ran.assign(ran.begin(), ran.end());
        found.ended.assign(ended.begin(), ended.end());
        for (const auto &[operation, step, fault] : faults)
            found.faults.emplace_back(operation, step, int32_t(fault));
    }

    Limit limit_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Visited visited_;
    Visited::Way wrong_{};
};

} // namespace

Found search(const Question &question, Limits limits, const Effort &effort) {
    return Search(question, limits, effort).run();
}

} // namespace heapstory::explore
