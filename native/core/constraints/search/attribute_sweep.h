// Computes the attributes of all objects as of a moment, from the leaves up, by several threads.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whoever computes the last of the objects that another one waits for computes that one next, so no
// two threads write, or write and read, the same one at the same time.
#pragma once

#include "constraints/evaluate/evaluate.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace heapstory::constraints {

class AttributeSweep {
  public:
    // Whether all rules of a family take a few steps per object.
    static bool suits(const Plan &plan, const Family &family);

    // `time` is laid out.
    AttributeSweep(Evaluator &evaluator, uint32_t family, uint64_t time);

    uint32_t number() const { return number_; }
    Family &family() const { return family_; }
    const std::vector<Object> &objects() const { return line_.by_type[family_.type]; }
    // First, for every stretch of the objects: which object waits for which.
    void prepare(size_t first, size_t end);
    // Then, for every stretch: computes its leaves, and all that nothing else keeps waiting.
    void compute(Evaluator &evaluator, size_t first, size_t end);
    // Tells the processor that the attributes below an object will be read soon.
    void fetch_below(Object object) const {
        edges_.fetch_targets(object, family_.edges, time_,
                             [&](Object target) { family_.fetch(target); });
    }
    // In the end, once: what waits for itself or, where too much is waited for by many, all.
    void finish(Evaluator &evaluator);

  private:
    class Ready;
    void fetch_waiting(Object object) const {
        if (uint32_t waiting = waiting_[object].load(std::memory_order_relaxed))
            __builtin_prefetch(&missing_[waiting - 1], 1);
    }
    template <class Visit> void for_each_waiting(Object object, Visit visit) const;
    bool is_graph() const { return also_waiting_.size() > objects().size() / 16; }

    const Timeline &line_;
    const Edges &edges_;
    uint32_t number_;
    Family &family_;
    uint64_t time_;
    Zeroed<std::atomic<uint32_t>> waiting_; // by object: who waits for it, plus 1
    // What is waited for, and by whom beside that: sorted once all are known.
    std::vector<std::pair<Object, Object>> also_waiting_;
    std::mutex adding_;
    std::once_flag sorted_;
    // By object: 0 for one that waits for none, else 1 more than how many it waits for.
    Zeroed<std::atomic<uint32_t>> missing_;
    std::atomic<size_t> alive_ = 0, computed_ = 0;
};

} // namespace heapstory::constraints
