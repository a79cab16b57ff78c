// SPDX-License-Identifier: GPL-2.0-or-later
#include "linear/nesting.h"

#include "linear/cover.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace heapstory {

namespace {

using Stretch = Cover::Run;

class Nester {
  public:
    explicit Nester(const std::vector<Lifetime> &values) : values_(values), left_(values.size()) {
        for (size_t i = 0; i < values.size(); ++i)
            if (values[i].push_end < values[i].pop_begin)
                sure_.push_back(i);
        for (size_t i : sure_) {
            times_.push_back(values[i].push_end);
            times_.push_back(values[i].pop_begin);
            left_[i] = true;
        }
        std::sort(times_.begin(), times_.end());
        times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
        find_running();
    }

    Nesting run(double seconds) {
        auto begin = std::chrono::steady_clock::now();
        // Slot 2i is moment i, slot 2i+1 the time up to the next: spans that touch are apart.
        Cover cover(2 * times_.size() + 1);
        for (size_t i : sure_)
            cover.preset(slots(i));
        cover.build();
        std::vector<Stretch> todo;
        cover.covered({0, 2 * times_.size()}, todo);
        for (size_t steps = 1; !todo.empty(); ++steps) {
            if (steps % 4096 == 0) {
                std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
                if (spent.count() > seconds)
                    return {Nesting::out_of_time, 0};
            }
            Stretch stretch = todo.back();
            todo.pop_back();
            std::optional<size_t> around = around_all(stretch);
            if (!around)
                return {Nesting::impossible, some_value(stretch)};
            left_[*around] = false;
            cover.remove(slots(*around));
            cover.covered(stretch, todo);
        }
        return {Nesting::possible, 0};
    }

  private:
    size_t moment(int64_t time) const {
        return size_t(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
    }

    Stretch slots(size_t value) const {
        return {2 * moment(values_[value].push_end) + 1, 2 * moment(values_[value].pop_begin)};
    }

    // For each moment at which a push ends: the pushes that run then.
    void find_running() {
        running_.resize(times_.size());
        std::vector<size_t> by_begin = sure_, by_end = sure_, running;
        std::sort(by_begin.begin(), by_begin.end(), [this](size_t a, size_t b) {
            return values_[a].push_begin < values_[b].push_begin;
        });
        std::sort(by_end.begin(), by_end.end(),
                  [this](size_t a, size_t b) { return values_[a].push_end < values_[b].push_end; });
        size_t next = 0;
        for (size_t i : by_end) {
            int64_t end = values_[i].push_end;
            std::vector<size_t> &here = running_[moment(end)];
            if (!here.empty())
                continue;
            while (next < by_begin.size() && values_[by_begin[next]].push_begin <= end)
                running.push_back(by_begin[next++]);
            std::erase_if(running, [&](size_t j) { return values_[j].push_end < end; });
            here = running;
        }
    }

    // A value whose push can come first in a stretch and whose pop can come last.
    std::optional<size_t> around_all(Stretch stretch) const {
        int64_t begin = times_[stretch.begin / 2], end = times_[stretch.end / 2];
        for (size_t i : running_[stretch.begin / 2]) {
            const Lifetime &value = values_[i];
            bool closes = value.pop_begin == end || value.pop_end >= end;
            if (left_[i] && value.push_begin <= begin && closes && value.pop_begin <= end)
                return i;
        }
        return std::nullopt;
    }

    size_t some_value(Stretch stretch) const {
        for (size_t i : running_[stretch.begin / 2])
            if (left_[i])
                return i;
        return *std::find_if(sure_.begin(), sure_.end(), [this](size_t i) { return left_[i]; });
    }

    const std::vector<Lifetime> &values_;
    std::vector<size_t> sure_;   // values that are surely there at some time
    std::vector<int64_t> times_; // at which some value begins or ends to be so
    std::vector<bool> left_;     // not yet taken away
    std::vector<std::vector<size_t>> running_;
};

} // namespace

Nesting nest(const std::vector<Lifetime> &values, double seconds) {
    return Nester(values).run(seconds);
}

} // namespace heapstory
