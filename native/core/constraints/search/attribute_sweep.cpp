// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/attribute_sweep.h"

namespace heapstory::constraints {

namespace {

constexpr size_t ahead = 8; // objects

bool is_short(const Plan &plan, const Expr &e) {
    switch (e.op) {
    case Op::path:
    case Op::rooted:
    case Op::references:
    case Op::aggregate:
    case Op::exists:
    case Op::string: // a text is known by its address, and each evaluator has its own
    case Op::text:
        return false;
    case Op::field:
        if (plan.types[e.type].fields[e.index].kind == FieldKind::chars)
            return false;
        break;
    default:
        break;
    }
    return !e.binder.of && std::all_of(e.args.begin(), e.args.end(),
                                       [&](const Expr &arg) { return is_short(plan, arg); });
}

} // namespace

bool AttributeSweep::suits(const Plan &plan, const Family &family) {
    return family.edges != none && !family.alone && !plan.types[family.type].implied &&
           std::all_of(family.attributes.begin(), family.attributes.end(), [&](uint32_t number) {
               return is_short(plan, plan.attributes[number].value);
           });
}

AttributeSweep::AttributeSweep(Evaluator &evaluator, uint32_t family, uint64_t time)
    : line_(evaluator.line()), edges_(evaluator.edges()), number_(family),
      family_(*evaluator.families()[family]), time_(time), waiting_(line_.objects()),
      missing_(line_.objects()) {
    family_.begin(line_.objects());
}

void AttributeSweep::prepare(size_t first, size_t end) {
    size_t alive = 0;
    for (size_t i = first; i < end; ++i) {
        Object object = objects()[i];
        if (!line_.alive(object, time_))
            continue;
        ++alive;
        uint32_t missing = 0;
        Span unused;
        edges_.out(line_.head(object), family_.edges, time_, unused, [&](Object target, uint32_t) {
            if (Object next = line_.facet(target, family_.type); next != no_object) {
                ++missing;
                if (Object other = waiting_[next].exchange(object + 1)) {
                    std::lock_guard lock(adding_);
                    also_waiting_.emplace_back(next, other - 1);
                }
            }
            return true;
        });
        if (missing)
            missing_[object].store(missing + 1, std::memory_order_relaxed);
    }
    alive_ += alive;
}

// Objects that wait for nothing any more but their memory: first for their own, then for that of
// what they are computed from.
class AttributeSweep::Ready {
  public:
    bool full() const { return end_ - begin_ == room; }
    bool empty() const { return end_ == begin_; }
    void push(Object object, const AttributeSweep &sweep) {
        sweep.line_.fetch_cells(object);
        sweep.family_.fetch(object);
        objects_[end_++ % room] = object;
        if (end_ - begin_ > room / 2) {
            Object next = objects_[(end_ - room / 2 - 1) % room];
            sweep.fetch_below(next);
            sweep.fetch_waiting(next);
        }
    }
    Object pop() { return objects_[begin_++ % room]; }

  private:
    static constexpr size_t room = 16;
    Object objects_[room];
    size_t begin_ = 0, end_ = 0;
};

template <class Visit> void AttributeSweep::for_each_waiting(Object object, Visit visit) const {
    if (uint32_t waiting = waiting_[object].load(std::memory_order_relaxed))
        visit(waiting - 1);
    if (also_waiting_.empty())
        return;
    auto at =
        std::lower_bound(also_waiting_.begin(), also_waiting_.end(), std::pair(object, Object(0)));
    for (; at != also_waiting_.end() && at->first == object; ++at)
        visit(at->second);
}

void AttributeSweep::compute(Evaluator &evaluator, size_t first, size_t end) {
    std::call_once(sorted_, [&] { std::sort(also_waiting_.begin(), also_waiting_.end()); });
    if (is_graph())
        return;
    evaluator.begin(time_);
    size_t computed = 0;
    Ready ready;
    std::vector<Object> later;
    auto compute_one = [&](Object object) {
        if (!family_.knows(object, family_.all(), time_))
            evaluator.compute_next(family_, object);
        ++computed;
        for_each_waiting(object, [&](Object next) {
            if (missing_[next].fetch_sub(1, std::memory_order_acq_rel) != 2)
                return;
            if (ready.full())
                later.push_back(next);
            else
                ready.push(next, *this);
        });
    };
    auto compute_ready = [&] {
        while (!ready.empty())
            compute_one(ready.pop());
    };
    for (size_t i = first; i < end; ++i) {
        Object object = objects()[i];
        if (i + ahead < end)
            fetch_waiting(objects()[i + ahead]);
        if (!line_.alive(object, time_) || missing_[object].load(std::memory_order_relaxed))
            continue;
        if (ready.full())
            compute_one(ready.pop());
        compute_one(object);
    }
    for (compute_ready(); !later.empty(); compute_ready()) {
        Object object = later.back();
        later.pop_back();
        compute_one(object);
    }
    computed_ += computed;
}

void AttributeSweep::finish(Evaluator &evaluator) {
    if (computed_ == alive_)
        return;
    evaluator.begin(time_);
    for (Object object : objects())
        if (line_.alive(object, time_) && !family_.knows(object, family_.all(), time_))
            evaluator.compute_below(family_, family_.all(), object);
}

} // namespace heapstory::constraints
