// Reasons in parts, so that what one walk found out serves another that comes to look for the same.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/edges_between.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heapstory::slice {

// An execution of a statement, as far as it is in the slice.
struct Moment {
    uint32_t statement = 0; // 0: outside of all statements
    uint32_t thread = 0;
    uint64_t activation = 0;
    uint64_t stack = 0;           // where the activation's return address lies; 0: unknown
    uint64_t first = 0, last = 0; // steps
    bool many = false;            // all executions that were left when there were enough moments
};

enum class Dependence : uint8_t {
    criterion, // it was asked for
    memory,    // it stored what was read
    register_, // it left in a register what was used
    control,   // it decided that the other ran
    call       // it called the function that the other is in
};

// One moment depends on an earlier one.
struct Edge {
    uint32_t user = 0, definer = 0;
    Dependence kind = Dependence::memory;
    uint64_t where = 0; // an address, or the first byte of registers (see registers.h)
    uint32_t size = 0;
    std::optional<uint64_t> value; // that was stored
    uint64_t count = 0;
    uint8_t bytes = 0;  // of a stand-in's word, as bits; 0 for moments
    uint32_t event = 0; // see ReasonsPart
};

// Where a walk is cut, what waits there goes on under the name of what it waits for, whoever waits.
struct StandIn {
    enum class Of : uint8_t { memory, registers, waiting, open };
    struct Key {
        Of of = Of::memory;
        uint64_t first = 0;  // a word; thread and register; an activation
        uint64_t second = 0; // the node that waits; the statement whose execution is open
        auto operator<=>(const Key &) const = default;
    } key;
    uint8_t bytes = 0;   // of the word that are waited for
    uint64_t lowest = 0; // address seen of an open execution

    bool operator==(const StandIn &) const = default;
};

// Who is behind a stand-in of the next part.
struct Behind {
    uint32_t stand_in = 0, moment = 0;
    uint8_t bytes = 0;
    bool moved = false; // it waited for a register that was saved meanwhile: for all of it
};

// Reasons between two cuts. Moments are numbered from 0: first the stand-ins, then new ones. Where
// a stand-in waited beside others, they may be the same one in the end: edges that are then to
// count once have the same event, which is not 0.
struct ReasonsPart {
    static constexpr uint64_t untouched = ~uint64_t(0); // the first step of such a stand-in

    std::vector<StandIn> stand_ins;
    std::vector<Moment> moments;
    std::vector<Edge> edges;
    std::vector<Behind> behind; // the next part's stand-ins, in their order
};

// What a part and those after it need to know of the ones before them.
class RestOfReasons {
  public:
    // `next` is that of the part behind `part`, if there is one.
    RestOfReasons(const ReasonsPart &part, const RestOfReasons *next);

    // Whether a walk that made `singles` moments and was cut with these stand-ins goes on with the
    // same parts; `own` are those of the walk that made them.
    bool fits(const std::vector<StandIn> &own, const std::vector<StandIn> &stand_ins,
              size_t singles, size_t most) const;

  private:
    using Execution = std::pair<uint32_t, uint64_t>; // statement and activation; 0: any

    std::vector<bool> touched_;         // stand-ins for open executions that went on
    std::vector<Execution> executions_; // that were new
    size_t singles_ = 0;
    bool many_ = false;
};

// Puts parts together, from the criterion on.
class ReasonsWhole {
  public:
    void add(const ReasonsPart &part);

    std::vector<Moment> take_moments() { return std::move(moments_); }
    std::vector<Edge> take_edges() { return std::move(edges_); }
    bool is_exact() const { return many_.empty(); }

  private:
    struct Real {
        uint32_t moment;
        uint8_t bytes;
    };
    using Reals = std::vector<Real>;

    uint32_t placed(const Moment &moment);
    void link(uint32_t user, uint32_t definer, const Edge &edge);

    std::vector<Reals> reals_; // behind the stand-ins of the next part
    std::vector<Moment> moments_;
    std::vector<Edge> edges_;
    std::unordered_map<uint32_t, uint32_t> many_; // by statement
    EdgesBetween edges_between_;
};

// Those of one walk in terms of the stand-ins of another, which fit.
std::vector<Behind> translated(const std::vector<Behind> &behind, const std::vector<StandIn> &from,
                               const std::vector<StandIn> &to);

} // namespace heapstory::slice
