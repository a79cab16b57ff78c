// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/locate/wild_pointers.h"

#include <map>
#include <set>

namespace heapstory::constraints {

namespace {

struct Candidate {
    uint32_t site;
    Object object;
};

bool is_wild(const Version &version) {
    return version.value && version.target == none;
}

// Stores of what may be a wild pointer, to the fields that a constraint asks to be safe.
std::map<uint64_t, Candidate> candidates(const Checker &checker, const PlanConstraint &constraint,
                                         uint64_t time, uint64_t floor) {
    const Timeline &line = checker.line();
    const Expr &read = constraint.body.args[0];
    EdgeRef cells{read.type, none, none};
    (read.op == Op::field ? cells.field : cells.run) = read.index;
    std::map<uint64_t, Candidate> out;
    for (Object object : line.by_type[constraint.variables[0].type]) {
        if (line.birth[object] > time || line.death[object] <= floor)
            continue;
        checker.edges().cells_of(object, cells, [&](uint32_t cell) {
            auto versions = line.cell(cell);
            for (auto at = versions.rbegin(); at != versions.rend() && at->since > floor; ++at)
                if (at->since <= time && is_wild(*at))
                    out.emplace(at->since, Candidate{at->site, object});
        });
    }
    return out;
}

} // namespace

std::vector<WildStore> find_wild_stores(Checker &checker, uint64_t time, uint64_t floor,
                                        const StatementOf &statement_of) {
    const Timeline &line = checker.line();
    const Plan &plan = checker.plan();
    std::map<uint64_t, std::pair<uint64_t, Inconsistency>> found; // by time: statement and what
    std::set<uint64_t> statements;
    for (uint32_t c = 0; c < plan.constraints.size(); ++c) {
        const PlanConstraint &constraint = plan.constraints[c];
        if (constraint.body.op != Op::safe || checker.global(c))
            continue;
        for (auto [since, candidate] : candidates(checker, constraint, time, floor)) {
            Span unused;
            checker.nested().check_object(c, candidate.object, since, unused, [&](Inconsistency e) {
                if (checker.nested().is_inconsistent(e, since - 1))
                    return true;
                uint64_t statement = statement_of(candidate.site);
                statements.insert(statement);
                found.emplace(since, std::pair{statement, std::move(e)});
                return false;
            });
        }
    }
    if (found.empty())
        return {};
    std::set<uint64_t> usual;
    for (const Version &version : line.versions)
        if (version.since <= floor && version.site && is_wild(version))
            if (uint64_t statement = statement_of(version.site); statements.contains(statement))
                usual.insert(statement);
    std::vector<WildStore> out;
    for (auto &[since, what] : found)
        if (!usual.contains(what.first))
            out.push_back({since, std::move(what.second)});
    return out;
}

} // namespace heapstory::constraints
