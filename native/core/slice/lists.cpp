// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/lists.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace heapstory::slice {

namespace {

// References in the order in which they came.
class PlainList {
  public:
    bool meets(const Reference &reference) const {
        return std::any_of(list_.begin(), list_.end(),
                           [&](const Reference &one) { return one.meets(reference); });
    }
    void add(const Reference &reference) { list_.push_back(reference); }
    // What of it was there.
    std::vector<Reference> remove(const Reference &gone) {
        std::vector<Reference> rests, found;
        std::erase_if(list_, [&](const Reference &one) {
            if (!one.meets(gone))
                return false;
            found.push_back(one.common(gone));
            if (one.first < gone.first)
                rests.push_back({one.first, gone.first});
            if (gone.end < one.end)
                rests.push_back({gone.end, one.end});
            return true;
        });
        list_.insert(list_.end(), rests.begin(), rests.end());
        return found;
    }
    size_t size() const { return list_.size(); }

  private:
    std::vector<Reference> list_;
};

// Ranges that do not touch, by address.
class JoinedRanges {
  public:
    bool meets(const Reference &reference) const {
        auto after = ranges_.lower_bound(reference.end);
        return after != ranges_.begin() && std::prev(after)->second > reference.first;
    }
    void add(Reference reference) {
        auto at = ranges_.upper_bound(reference.first);
        if (at != ranges_.begin() && std::prev(at)->second >= reference.first)
            --at;
        while (at != ranges_.end() && at->first <= reference.end) {
            reference.first = std::min(reference.first, at->first);
            reference.end = std::max(reference.end, at->second);
            at = ranges_.erase(at);
        }
        ranges_.emplace(reference.first, reference.end);
    }
    std::vector<Reference> remove(const Reference &gone) {
        std::vector<Reference> found;
        auto at = ranges_.upper_bound(gone.first);
        if (at != ranges_.begin() && std::prev(at)->second > gone.first)
            --at;
        while (at != ranges_.end() && at->first < gone.end) {
            Reference old{at->first, at->second};
            at = ranges_.erase(at);
            found.push_back(old.common(gone));
            if (old.first < gone.first)
                ranges_.emplace(old.first, gone.first);
            if (gone.end < old.end)
                ranges_.emplace(gone.end, old.end);
        }
        return found;
    }
    size_t size() const { return ranges_.size(); }

  private:
    std::map<uint64_t, uint64_t> ranges_;
};

// MemDepList − Def[i] ∪ Use[i]. What is copied byte by byte uses what it copied to a byte that was
// looked for, and no other, unless it is the criterion itself.
template <class List> void update(List &list, const Instance &instance, bool asked) {
    std::vector<Reference> copied;
    const size_t copies = asked ? 0 : instance.copies;
    for (size_t i = 0; i < instance.defined.size(); ++i)
        for (const Reference &one : list.remove(instance.defined[i]))
            if (i < copies) {
                const uint64_t away = instance.used[i].first - instance.defined[i].first;
                copied.push_back({one.first + away, one.end + away});
            }
    for (const Reference &one : copied)
        list.add(one);
    for (size_t i = copies; i < instance.used.size(); ++i)
        list.add(instance.used[i]);
}

// Asks whether to go on, not too often.
void ask(uint64_t number, const Watch &watch) {
    if (watch && number % 1024 == 0)
        watch();
}

// PROCESS: what both algorithms do with an instruction that is in the slice.
template <class List> class Traversal {
  public:
    explicit Traversal(std::span<const Instance> instances) : instances_(instances) {
        take(instances.size());
    }

    bool is_defined(const Instance &instance) const {
        return std::any_of(instance.defined.begin(), instance.defined.end(),
                           [&](const Reference &one) { return list_.meets(one); });
    }
    bool is_wanted(uint64_t number) const { return branches_.count(number); }
    // `number` counts from 1.
    void take(uint64_t number) {
        const Instance &instance = instances_[number - 1];
        update(list_, instance, number == instances_.size());
        if (instance.parent)
            branches_.insert(instance.parent);
        result_.instances.push_back(number);
        result_.longest_list = std::max(result_.longest_list, list_.size());
    }
    ListSlice result() {
        std::reverse(result_.instances.begin(), result_.instances.end());
        return std::move(result_);
    }

  private:
    std::span<const Instance> instances_;
    List list_;
    std::unordered_set<uint64_t> branches_;
    ListSlice result_;
};

template <class List> ListSlice traverse(std::span<const Instance> instances, const Watch &watch) {
    Traversal<List> traversal(instances);
    for (uint64_t number = instances.size(); --number > 0;) {
        ask(number, watch);
        if (traversal.is_wanted(number) || traversal.is_defined(instances[number - 1]))
            traversal.take(number);
    }
    return traversal.result();
}

} // namespace

ListSlice algorithm4(std::span<const Instance> instances, const Watch &watch) {
    return traverse<PlainList>(instances, watch);
}

ListSlice algorithm4_sorted(std::span<const Instance> instances, const Watch &watch) {
    return traverse<JoinedRanges>(instances, watch);
}

ListSlice algorithm5(std::span<const Instance> instances, const Watch &watch) {
    Traversal<PlainList> traversal(instances);
    JoinedRanges filter;
    size_t largest = 0;
    auto update_filter = [&](const Instance &instance) {
        update(filter, instance, &instance == &instances.back());
        largest = std::max(largest, filter.size());
    };
    update_filter(instances.back());
    for (uint64_t number = instances.size(); --number > 0;) {
        ask(number, watch);
        const Instance &instance = instances[number - 1];
        bool passes = std::any_of(instance.defined.begin(), instance.defined.end(),
                                  [&](const Reference &one) { return filter.meets(one); });
        if (!(passes && traversal.is_defined(instance)) && !traversal.is_wanted(number))
            continue;
        traversal.take(number);
        update_filter(instance);
    }
    ListSlice result = traversal.result();
    result.largest_filter = largest;
    return result;
}

} // namespace heapstory::slice
