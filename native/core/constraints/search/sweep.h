// One check of nearly everything, by two threads.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// One thread begins with the global constraints. Then both share what is left,
// piece by piece: the attributes of all objects, the constraints that read none, and, once the
// attributes are known, those that do. Constraints with attributes that cannot be computed in
// advance are left to the first thread.
#pragma once

#include "constraints/search/attribute_sweep.h"
#include "constraints/search/checker.h"

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <vector>

namespace heapstory::constraints {

// The nested constraints whose first variable is of one type. Units are numbered by object, then
// constraint: what one constraint reads of an object is at hand for the next.
struct Group {
    uint32_t first, end; // units
    const std::vector<Object> *objects;
    std::vector<uint32_t> constraints;
};

class Sweep {
  public:
    struct Units {                       // which are due, and what is found
        uint64_t from = forever;         // those of objects born then or later
        const uint8_t *listed = nullptr; // by unit: those as well
        std::vector<bool> applies;       // by constraint, at this C-point
        uint64_t *known = nullptr;       // by unit: ~since, for what is checked
        uint64_t *until = nullptr;       // by unit, where anybody wants to know
    };
    Sweep(Checker &checker, const std::vector<Group> &groups, uint64_t time, Units units);

    // Calls check_globals and checks the units that are due.
    void run(bool alone, const std::function<void()> &check_globals);
    // The inconsistencies of the units, in no order.
    std::vector<Inconsistency> found;

  private:
    // Pieces of work that several threads take one by one; nobody need come.
    class Stage {
      public:
        size_t count = 0; // of pieces

        template <class Work> void run(Work work) {
            for (size_t piece; (piece = next_++) < count;) {
                try {
                    work(piece);
                } catch (...) {
                    if (!failed_.exchange(true))
                        failure_ = std::current_exception();
                }
                if (++done_ == count)
                    done_.notify_all();
            }
        }
        void wait() const {
            for (size_t done; (done = done_) != count;)
                done_.wait(done);
        }
        // Once all threads are gone.
        void rethrow() const {
            if (failure_)
                std::rethrow_exception(failure_);
        }

      private:
        std::atomic<size_t> next_ = 0, done_ = 0;
        std::atomic<bool> failed_ = false;
        std::exception_ptr failure_;
    };
    struct Piece {
        size_t of;         // the sweep or the group
        size_t first, end; // objects
    };
    // The attributes that a constraint reads.
    enum class Reads : uint8_t { none, swept, others };

    Reads reads(uint32_t constraint) const;
    void fetch(Object object, Reads kind) const;
    void work(NestedChecker &nested, bool is_first, std::vector<Inconsistency> &out);
    void check(NestedChecker &nested, const Piece &piece, Reads kind,
               std::vector<Inconsistency> &out);

    Checker &checker_;
    const Timeline &line_;
    const std::vector<Group> &groups_;
    uint64_t time_;
    Units units_;
    std::vector<std::vector<uint32_t>> families_; // by constraint: of the attributes it reads
    std::deque<AttributeSweep> attribute_sweeps_;
    std::vector<Piece> of_families_, of_groups_;
    Stage prepare_, compute_, finish_, free_, bound_;
};

} // namespace heapstory::constraints
