// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/kept.h"

#include "slice/find.h"
#include "slice/steps.h"
#include "stream/execution.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace heapstory::slice {

namespace {

using stream::AccessKind;
using stream::Execution;
using stream::Range;

class Walk {
  public:
    Walk(const Prepared &prepared, const KeptQuestion &question)
        : prepared_(prepared), question_(question), steps_(prepared),
          branches_(places_of(prepared, question.branch)),
          writers_(places_of(prepared, question.writer)) {}

    std::optional<Kept> run() {
        const stream::Source &source = prepared_.source();
        for (uint32_t number = prepared_.sequence_of(question_.since); number < source.sequences();
             ++number) {
            steps_.read(number);
            for (uint32_t at = 0; at < steps_.count(); ++at) {
                steps_.enter(at);
                const uint64_t callee = steps_.callee(at);
                if (callee)
                    activations_[callee].caller = steps_.activation();
                if (steps_.number(at) >= question_.since && steps_.sequence().block[at])
                    run_block(at);
            }
        }
        for (const auto &[id, activation] : activations_)
            consider(activation.waiting);
        return best_;
    }

  private:
    struct Activation {
        uint64_t caller = 0;
        bool last = false, accessed = false; // as of KeptBy
        std::optional<Kept> waiting;         // ran, and the writer has not run since
    };

    void run_block(uint32_t at) {
        const uint32_t id = steps_.sequence().block[at];
        const Execution execution(steps_.sequence(), at, prepared_.source().block(id));
        const stream::Effects &effects = prepared_.effects(id);
        for (unsigned i = 0, count = execution.instructions(effects); i < count; ++i) {
            for (AccessKind kind : {AccessKind::load, AccessKind::store})
                execution.each_access(effects, i, kind, [&](auto &access, uint64_t address) {
                    accessed(address, access.size);
                });
            if (i == branches_[id])
                ran_branch({steps_.number(at), uint16_t(i)});
            if (i == writers_[id])
                activations_[steps_.activation()].waiting.reset();
        }
    }

    void accessed(uint64_t address, uint64_t size) {
        const Range &node = question_.node;
        const bool is_node = address < node.address + node.size && node.address < address + size;
        if (!is_node && !is_other(address))
            return;
        constexpr unsigned callers = 64; // whose callees these are: more would take long
        uint64_t id = steps_.activation();
        for (unsigned i = 0; id && i < callers; ++i) {
            Activation &activation = activations_[id];
            activation.last = is_node;
            activation.accessed |= is_node;
            id = activation.caller;
        }
    }

    bool is_other(uint64_t address) const {
        auto after = std::ranges::upper_bound(question_.others, address, {}, &Range::address);
        return after != question_.others.begin() &&
               address - std::prev(after)->address < std::prev(after)->size;
    }

    void ran_branch(Point point) {
        Activation &activation = activations_[steps_.activation()];
        consider(activation.waiting);
        activation.waiting.reset();
        if (point.step <= question_.until)
            activation.waiting = {point, activation.last       ? KeptBy::last
                                         : activation.accessed ? KeptBy::accessed
                                                               : KeptBy::order};
        activation.accessed = false;
    }

    void consider(const std::optional<Kept> &one) {
        if (one && (!best_ || std::tie(one->by, one->branch) < std::tie(best_->by, best_->branch)))
            best_ = one;
    }

    const Prepared &prepared_;
    const KeptQuestion &question_;
    ForwardSteps steps_;
    const std::vector<uint16_t> branches_, writers_; // by block
    std::unordered_map<uint64_t, Activation> activations_;
    std::optional<Kept> best_;
};

} // namespace

std::optional<Kept> find_kept(const Prepared &prepared, const KeptQuestion &question) {
    if (question.since >= prepared.steps())
        return std::nullopt;
    return Walk(prepared, question).run();
}

} // namespace heapstory::slice
