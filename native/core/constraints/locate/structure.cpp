// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/locate/structure.h"

#include "constraints/load/load.h"
#include "constraints/load/texts_of_store.h"
#include "constraints/locate/location.h"

#include <algorithm>
#include <chrono>

namespace heapstory::constraints {

namespace {

constexpr size_t most_listed = 2000; // operations of an answer

class Stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

std::optional<size_t> index_of(size_t point) {
    return point == Forward::no_point ? std::nullopt : std::optional(point);
}

} // namespace

Structure::Structure(std::shared_ptr<const Store> store, Plan plan, uint64_t until)
    : store_(std::move(store)), plan_(std::move(plan)) {
    Stopwatch watch;
    line_ = load(*store_, plan_, until);
    texts_ = std::make_unique<StoreTexts>(store_);
    checker_ = std::make_unique<Checker>(line_, plan_, texts_.get());
    // Nearly every specification asks what leads to objects.
    checker_->edges().incoming(0);
    for (uint32_t roots : plan_.root_sets)
        if (roots != none)
            checker_->edges().incoming(roots);
    load_seconds_ = watch.seconds();
}

Structure::Structure(Plan plan, const std::vector<SourceBlock> &blocks,
                     const std::vector<GivenWrite> &writes, uint64_t last)
    : plan_(std::move(plan)), line_(make_timeline(plan_, blocks, writes, last)),
      checker_(std::make_unique<Checker>(line_, plan_, nullptr)) {}

Counts Structure::counts() const {
    Counts out{line_.objects(), line_.first_cell.back(), line_.versions.size(), {}};
    for (const std::vector<Object> &objects : line_.by_type)
        out.by_type.push_back(objects.size());
    return out;
}

std::vector<FoundInconsistency> Structure::check(uint64_t at) {
    std::vector<FoundInconsistency> out;
    for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
        for (const Inconsistency &found : checker_->check(c, at))
            out.push_back(described(found));
    return out;
}

LocateAnswer Structure::locate(const std::vector<CPoint> &points, bool strict) {
    checker_->strict = strict;
    LocateAnswer out;
    Stopwatch checking;
    Forward forward(*checker_, points);
    size_t bad = forward.run();
    out.ended = index_of(bad);
    out.exact = forward.exact();
    out.evaluations = forward.evaluations();
    out.check_seconds = checking.seconds();
    Stopwatch locating;
    Location location;
    location.clean = forward.last_clean();
    if (bad != Forward::no_point)
        location = constraints::locate(*checker_, forward, points, bad,
                                       [&](uint32_t site) { return statement_of(site); });
    out.locate_seconds = locating.seconds();
    describe(location, out);
    return out;
}

CPointAnswer Structure::cpoints(const CPointQuery &query) const {
    if (!store_)
        throw FormatError("a structure without a trace has no C-points of its own");
    return find_cpoints(*store_, line_, query);
}

// One number for all sites of a statement.
uint64_t Structure::statement_of(uint32_t site) const {
    if (!store_ || site >= store_->tables().places.size() || store_->tables().places[site].empty())
        return site;
    const PlaceRow &place = store_->tables().places[site].front();
    return place.line ? uint64_t(1) << 63 | uint64_t(place.path) << 32 | place.line : site;
}

void Structure::describe(const Location &location, LocateAnswer &out) const {
    out.bad = index_of(location.point);
    out.clean = index_of(location.clean);
    out.inconsistencies = described(location.found);
    out.traced = location.traced;
    out.operations = location.faults.size();
    for (size_t i = 0; i < std::min(location.faults.size(), most_listed); ++i) {
        const Fault &fault = location.faults[i];
        out.faults.push_back({fault.time, fault.relation, described(fault.contributed_to)});
    }
    for (const auto &[time, decision] : location.decisive)
        out.decisive.push_back({time, decision.grade, place_of_cell(decision.cell), decision.wild});
    for (const WildStore &store : location.wild)
        out.wild.push_back({store.time, described(store.found)});
}

} // namespace heapstory::constraints
