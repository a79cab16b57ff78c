// Leaves checkpoints on a walk back, and finds those of earlier walks.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/search.h"
#include "slice/backward/walk_index.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heapstory::slice {

template <class Why> class Checkpoints {
  public:
    Checkpoints(WalkIndex &index, Search &search, Why &why)
        : index_(index), search_(search), why_(why) {
        begin(0);
    }

    // Whether an earlier walk looked for the same before a sequence; else leaves a checkpoint.
    bool is_known(uint32_t sequence) {
        search_.leave();
        search_.all.tidy();
        finish_point();
        rest_ = index_.find(sequence, search_.all, [&](const Checkpoint &at) {
            if constexpr (Why::on)
                return why_.fits(at.reasons.stand_ins, *at.rest);
            return true;
        });
        if (!rest_) {
            begin(sequence);
            points_.back()->frontier = search_.all;
            return false;
        }
        if constexpr (Why::on) {
            std::vector<Behind> &behind = points_.back()->reasons.behind;
            behind = translated(behind, why_.stand_ins(), rest_->reasons.stand_ins);
        }
        return true;
    }

    // The walk is over: puts the parts together, and all that was found into the search's hits.
    // Returns the first point, which stands for the criterion.
    std::shared_ptr<const Checkpoint> finish() {
        if (!rest_) {
            finish_point();
            points_.back()->unresolved = search_.all.bytes();
            if constexpr (Why::on)
                points_.back()->left = search_.all.memory;
        }
        for (size_t i = points_.size(); i-- > 0;) {
            Checkpoint &point = *points_[i];
            point.next = i + 1 < points_.size() ? points_[i + 1] : rest_;
            if constexpr (Why::on)
                point.rest.emplace(point.reasons, point.next ? &*point.next->rest : nullptr);
        }
        if (points_.size() > 1)
            index_.keep(points_[1]);
        for (const Checkpoint *at = points_.front().get(); at; at = at->next.get())
            search_.hits.add(at->found);
        return points_.front();
    }

  private:
    void begin(uint32_t sequence) {
        points_.push_back(std::make_shared<Checkpoint>());
        points_.back()->sequence = sequence;
    }
    // Puts what was found since the last checkpoint there.
    void finish_point() {
        points_.back()->found = std::exchange(search_.hits, Hits());
        if constexpr (Why::on)
            points_.back()->reasons = why_.cut();
    }

    WalkIndex &index_;
    Search &search_;
    Why &why_;
    std::vector<std::shared_ptr<Checkpoint>> points_; // of this walk; the first is the criterion
    std::shared_ptr<const Checkpoint> rest_;          // an earlier walk's, from where both are one
};

} // namespace heapstory::slice
