// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/search.h"

#include "explore/visited.h"

#include <algorithm>
#include <chrono>

namespace heapstory::explore {
namespace {

using Clock = std::chrono::steady_clock;

// States of one depth, one behind the other.
struct Layer {
    Words words;
    std::vector<size_t> begins;
    uint32_t first = 0; // the number of its first state

    void add(const Words &state) {
        begins.push_back(words.size());
        words.insert(words.end(), state.begin(), state.end());
    }
};

class Search {
  public:
    Search(const Question &question, Limits limits, const Effort &effort)
        : program_(question.program), names_(question.names), effort_(effort),
          model_(model_of(question.type, &question.object, question.object_uses_id)),
          moves_(program_, *model_, names_, limits),
          end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(effort.seconds))) {}

    Found run() {
        World world = moves_.initial();
        Layer layer;
        keep(world, {Visited::none, 0}, layer);
        Found found{Found::all_explained, {}, 0, {}, {}, {}};
        while (found.outcome == Found::all_explained && !layer.begins.empty())
            found.outcome = one_deeper(layer);
        if (found.outcome == Found::unexplained)
            found.trail = trail();
        found.states = visited_.size();
        found.ran.assign(moves_.ran().begin(), moves_.ran().end());
        found.ended.assign(moves_.ended().begin(), moves_.ended().end());
        for (const auto &[operation, step, fault] : moves_.faults())
            found.faults.emplace_back(operation, step, int32_t(fault));
        return found;
    }

  private:
    bool keep(World &world, Visited::Way way, Layer &layer) {
        canonicalise(program_, moves_.widths(), names_, world);
        encode(program_, moves_.widths(), names_, world, words_);
        if (!visited_.add(hash_of(words_), way))
            return false;
        layer.add(words_);
        return true;
    }

    Found::Outcome one_deeper(Layer &layer) {
        Layer deeper;
        deeper.first = uint32_t(visited_.size());
        World world;
        for (size_t i = 0; i < layer.begins.size(); ++i) {
            if (i % 64 == 0)
                if (Found::Outcome over = spent(); over != Found::all_explained)
                    return over;
            decode(program_, moves_.widths(), names_, layer.words.data() + layer.begins[i], world);
            uint32_t from = layer.first + uint32_t(i), move = 0;
            bool wrong = false;
            moves_.from(world, [&](World &next) {
                if (wrong)
                    return;
                if (next.orders.empty()) {
                    wrong = true;
                    wrong_ = {from, move};
                    return;
                }
                keep(next, {from, move++}, deeper);
            });
            if (wrong)
                return Found::unexplained;
        }
        layer = std::move(deeper);
        return Found::all_explained;
    }

    Found::Outcome spent() const {
        if (effort_.cancelled && *effort_.cancelled)
            return Found::cancelled;
        if (visited_.size() > effort_.states)
            return Found::too_many;
        return Clock::now() > end_ ? Found::out_of_time : Found::all_explained;
    }

    // The moves to the answer that cannot be explained, made once more with a record.
    std::vector<Action> trail() {
        std::vector<uint32_t> made{wrong_.move};
        for (uint32_t at = wrong_.from; visited_.way(at).from != Visited::none;
             at = visited_.way(at).from)
            made.push_back(visited_.way(at).move);
        std::reverse(made.begin(), made.end());
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

    const Program &program_;
    Names names_;
    Effort effort_;
    std::unique_ptr<Model> model_;
    Moves moves_;
    Clock::time_point end_;
    Visited visited_;
    Words words_;
    Visited::Way wrong_{};
};

} // namespace

Found search(const Question &question, Limits limits, const Effort &effort) {
    return Search(question, limits, effort).run();
}

} // namespace heapstory::explore
