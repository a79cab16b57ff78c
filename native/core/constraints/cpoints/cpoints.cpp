// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/cpoints/cpoints.h"

#include "constraints/cpoints/levels.h"

#include <algorithm>
#include <map>
#include <set>

namespace heapstory::constraints {

namespace {

bool is_file(const std::string &path, const std::string &wanted) {
    return path == wanted || (path.size() > wanted.size() && path.ends_with(wanted) &&
                              path[path.size() - wanted.size() - 1] == '/');
}

struct StructureStore {
    uint64_t time;
    uint32_t site;
    bool operator<(const StructureStore &other) const { return time < other.time; }
};

class Finder : Endings {
  public:
    Finder(const Store &store, const Timeline &line, const CPointQuery &query)
        : store_(store), tables_(store.tables()), line_(line), query_(query),
          code_(tables_, line, query.own) {}

    CPointAnswer run() {
        find_line_sites();
        for (uint32_t call = 0; call < tables_.calls.size(); ++call)
            facts_.push_back(call ? facts_of(call) : CallFacts{});
        find_receiving();
        find_stores();
        for (uint32_t chunk : store_.event_chunks())
            if (store_.header(chunk).first_timestamp <= line_.last)
                walk(chunk);
        for (auto &[thread, returned] : returned_)
            receive(returned, line_.last);
        add_writes();
        std::stable_sort(
            answer_.points.begin(), answer_.points.end(),
            [](const FoundCPoint &a, const FoundCPoint &b) { return a.time < b.time; });
        add_end();
        name_functions();
        find_inlined_users();
        return std::move(answer_);
    }

  private:
    static constexpr size_t most_steps = 64; // of one operation
    struct CallFacts {                       // of a call id
        bool own = false, holds_own = false, user = false;
        bool exit = false, entry = false, line = false;
    };

    void find_line_sites() {
        for (uint32_t site : code_.writers())
            if (site < tables_.places.size())
                for (const auto &[file, line] : query_.lines)
                    for (const PlaceRow &place : tables_.places[site])
                        if (place.line == line && is_file(tables_.text(place.path), file))
                            line_sites_.insert(site);
    }

    // Stores by the functions that use the structure, main for one: `head = pop(head);`.
    void find_receiving() {
        if (!query_.returns)
            return;
        std::set<Function> outermost;
        for (uint32_t call = 1; call < tables_.calls.size(); ++call)
            if (facts_[call].user || !tables_.sites[tables_.calls[call].site].own)
                outermost.insert(function_of(tables_.functions[call]));
        std::set<uint32_t> sites;
        for (uint32_t site : code_.writers())
            if (const PlaceRow *place = place_of(site);
                place && outermost.contains(function_of(*place)))
                sites.insert(site);
        if (sites.empty())
            return;
        for (const Version &version : line_.versions)
            if (sites.contains(version.site))
                receiving_.push_back({version.since, version.site});
        std::sort(receiving_.begin(), receiving_.end());
    }

    const PlaceRow *place_of(uint32_t site) const {
        bool known = site < tables_.places.size() && !tables_.places[site].empty();
        return known ? &tables_.places[site].front() : nullptr;
    }

    // Whether a store is by the statement that a call is in: the code stores what the call has
    // returned. Where the code is not known, the statement begins no later in the source, and comes
    // behind the call in the code.
    bool receives(uint32_t store, uint32_t call) {
        const PlaceRow *stored = place_of(store), *called = place_of(call);
        const CodeAddress &at = tables_.sites[store].instruction,
                          &from = tables_.sites[call].instruction;
        if (!stored || !called || function_of(*stored) != function_of(*called) ||
            at.module != from.module)
            return false;
        auto [known, fresh] = stores_result_.try_emplace({call, store});
        if (fresh)
            known->second = stores_result(from, at.offset)
                                .value_or(stored->line <= called->line && at.offset > from.offset);
        return known->second;
    }

    std::optional<bool> stores_result(const CodeAddress &call, uint64_t store) const {
        if (!query_.stores_result)
            return {};
        const ModuleRow &module = tables_.modules[call.module];
        return query_.stores_result(
            {tables_.text(module.path), tables_.text(module.build_id), call.offset, store});
    }

    // Stores tell what calls do not: which inlined functions and tail calls there were. Where
    // there are none, calls tell all.
    void find_stores() {
        std::set<uint32_t> called;
        for (const PlaceRow &function : tables_.functions)
            called.insert(function.function);
        bool all_called =
            std::all_of(code_.writers().begin(), code_.writers().end(), [&](uint32_t site) {
                return called.contains(code_.path(site).compiled_into.first);
            });
        if (!query_.returns || (all_called && !code_.is_inlined()))
            return;
        for (const Version &version : line_.versions)
            if (version.site)
                stores_.push_back({version.since, version.site});
        for (const Block &block : line_.blocks)
            if (uint32_t site = tables_.site_of_stack(block.free_stack); site)
                stores_.push_back({block.death, site});
        std::sort(stores_.begin(), stores_.end());
        next_store_ = stores_.begin();
    }

    CallFacts facts_of(uint32_t call) const {
        CallFacts facts;
        const PlaceRow &target = tables_.functions[call];
        uint32_t site = tables_.calls[call].site;
        static const std::vector<PlaceRow> unknown;
        const auto &from = site < tables_.places.size() ? tables_.places[site] : unknown;
        facts.own = code_.belongs(target);
        facts.holds_own = code_.holds_own(target);
        const std::string &name = tables_.text(target.function);
        for (const std::string &wanted : query_.users)
            facts.user |= is_named(name, wanted);
        for (const std::string &wanted : query_.exits)
            facts.exit |= is_named(name, wanted);
        for (const std::string &wanted : query_.entries)
            facts.entry |= is_named(name, wanted);
        for (const auto &[file, line] : query_.lines)
            for (const PlaceRow &place : from)
                facts.line |= place.line == line && is_file(tables_.text(place.path), file);
        return facts;
    }

    void walk(uint32_t chunk) {
        EventsView view = store_.events(chunk);
        auto clock = store_.clock(chunk);
        uint64_t first = store_.header(chunk).first_timestamp;
        auto time_at = [&](uint32_t position) {
            return position ? clock->timestamps.of(position - 1) : first;
        };
        if (threads_.empty())
            for (const OpenCalls &open : view.open_calls())
                for (uint32_t call : open.calls)
                    enter(threads_[open.thread], call, first);
        auto next = clock->switches.begin();
        for (const Call &call : view.calls()) {
            if (time_at(call.event) > line_.last)
                break;
            for (; next != clock->switches.end() && next->event <= call.event; ++next)
                switch_to(next->thread, time_at(next->event));
            if (call.call >= facts_.size())
                continue;
            take_stores(time_at(call.event));
            if (auto returned = returned_.find(thread_); returned != returned_.end()) {
                receive(returned->second, time_at(call.event));
                returned_.erase(returned);
            }
            if (call.is_return)
                leave(call.call, time_at(call.event));
            else {
                enter(threads_[thread_], call.call, time_at(call.event));
                if (facts_[call.call].entry)
                    add(CPointKind::entry, call.call, time_at(call.event));
            }
        }
        for (; next != clock->switches.end(); ++next)
            switch_to(next->thread, time_at(next->event));
        for (const Mark &mark : view.marks())
            if (uint64_t time = time_at(mark.event); time <= line_.last)
                add_mark(mark, time);
    }

    void switch_to(uint32_t thread, uint64_t time) {
        take_stores(time);
        if (Levels &levels = threads_[thread_]; levels.is_in_operation())
            levels.runs.emplace_back(std::max(levels.operation_began(), ran_since_), time);
        thread_ = thread;
        ran_since_ = time;
    }

    // What the running thread has stored up to some moment.
    void take_stores(uint64_t time) {
        for (; next_store_ != stores_.end() && next_store_->time <= time; ++next_store_) {
            auto [at, site] = *next_store_;
            if (const Inlined *inlined = threads_[thread_].store(code_.path(site), site, at))
                inlined_.insert(inlined->function);
        }
    }

    void enter(Levels &levels, uint32_t call, uint64_t time) {
        uint32_t site = tables_.calls[call].site;
        ending_ = &levels;
        levels.before_call(code_, site, time, *this);
        Level level;
        level.function = function_of(tables_.functions[call]);
        level.call = call;
        level.outermost =
            facts_[call].user || (levels.all().size() == 1 && !tables_.sites[site].own);
        level.own = facts_[call].own && !level.outermost;
        level.holds_own = facts_[call].holds_own;
        levels.call(std::move(level), time);
    }

    void leave(uint32_t call, uint64_t time) {
        Levels *levels = &threads_[thread_];
        if (!levels->is_called_last(call)) {
            // A switch of threads at the same position may have come first.
            for (auto &[thread, other] : threads_)
                if (other.is_called_last(call))
                    levels = &other;
            if (!levels->has_call(call))
                return;
        }
        ending_ = levels;
        Level level = levels->leave(call, time, *this);
        if (!level.outermost && level.inside.size() <= most_steps)
            end_operation(level, time);
        hand_over(level, *levels);
        const CallFacts &facts = facts_[call];
        bool returned = query_.returns && level.holds_own && !level.covered;
        if (returned)
            levels->top().inside.push_back(answer_.points.size());
        if (returned || facts.exit || facts.line) {
            add(CPointKind::exit, call, time);
            answer_.points.back().busy = runs_of_others(*levels);
            if (returned && levels->top().outermost && levels == &threads_[thread_])
                returned_[thread_] = answer_.points.size() - 1;
        }
    }

    // The outermost function has called nothing else since an operation returned to it: what the
    // calling statement stores is the operation's result, and the structure is whole only then.
    void receive(size_t point, uint64_t until) {
        FoundCPoint &returned = answer_.points[point];
        auto store = std::upper_bound(receiving_.begin(), receiving_.end(),
                                      StructureStore{returned.time, 0});
        for (; store != receiving_.end() && store->time <= until; ++store)
            if (receives(store->site, returned.site))
                returned.time = store->time;
    }

    // An inlined function has. It may have been entered again and again, which does not show: so
    // whatever the number of steps, what is wrong in between may be temporary.
    void ended(Level &level, uint64_t time) override {
        end_operation(level, time);
        hand_over(level, *ending_);
        if (!query_.returns || !level.own || level.covered)
            return;
        ending_->top().inside.push_back(answer_.points.size());
        add_inlined(level, time);
    }

    void round_ended(Level &level, uint64_t time) override {
        if (!query_.returns)
            return;
        level.inside.push_back(answer_.points.size());
        add_inlined(level, time);
        answer_.points.back().is_round = true;
    }

    void add_inlined(const Level &level, uint64_t time) {
        FoundCPoint point;
        point.time = time;
        point.kind = CPointKind::exit;
        point.function = tables_.text(level.function.first);
        point.site = level.site;
        point.depth = level.inlined.depth;
        point.busy = runs_of_others(*ending_);
        answer_.points.push_back(std::move(point));
    }

    void end_operation(const Level &level, uint64_t time) {
        for (size_t point : level.inside)
            answer_.points[point].operation_end = time;
    }

    std::vector<std::pair<uint64_t, uint64_t>> runs_of_others(const Levels &own) const {
        std::vector<std::pair<uint64_t, uint64_t>> runs;
        for (const auto &[thread, other] : threads_)
            if (&other != &own && other.is_in_operation())
                runs.insert(runs.end(), other.runs.begin(), other.runs.end());
        return runs;
    }

    // To the first call of a function that calls itself; more than most_steps need not be known.
    static void hand_over(const Level &level, Levels &levels) {
        if (level.first >= levels.all().size())
            return;
        std::vector<size_t> &first = levels.all()[level.first].inside;
        size_t room = most_steps + 1 - std::min(first.size(), most_steps + 1);
        size_t count = std::min(level.inside.size(), room);
        first.insert(first.end(), level.inside.begin(),
                     level.inside.begin() + std::ptrdiff_t(count));
    }

    void add(CPointKind kind, uint32_t call, uint64_t time) {
        FoundCPoint point;
        point.time = time;
        point.kind = kind;
        point.function = tables_.text(tables_.functions[call].function);
        point.site = tables_.calls[call].site;
        answer_.points.push_back(std::move(point));
    }

    void add_mark(const Mark &mark, uint64_t time) {
        FoundCPoint point;
        point.time = time;
        point.site = mark.site;
        if (mark.kind == Mark::Kind::cpoint) {
            point.kind =
                MarkedBy(mark.a) == MarkedBy::program ? CPointKind::mark : CPointKind::option;
            point.number = mark.b;
            point.text = mark.text.c_str();
        } else if (mark.kind == Mark::Kind::crash) {
            point.kind = CPointKind::crash;
        } else {
            return;
        }
        answer_.points.push_back(std::move(point));
    }

    // Statements that write the structure, asked for by FILE:LINE.
    void add_writes() {
        if (line_sites_.empty())
            return;
        std::set<std::pair<uint64_t, uint32_t>> moments;
        for (const Version &version : line_.versions)
            if (line_sites_.contains(version.site))
                moments.emplace(version.since, version.site);
        for (auto [time, site] : moments) {
            FoundCPoint point;
            point.time = time;
            point.kind = CPointKind::option;
            point.site = site;
            answer_.points.push_back(std::move(point));
        }
    }

    void add_end() {
        if (line_.last < store_.totals().changes)
            return;
        FoundCPoint end;
        end.time = line_.last;
        answer_.points.push_back(std::move(end));
    }

    void name_functions() {
        std::set<std::string> names;
        for (const Function &function : code_.functions()) {
            const std::string &name = tables_.text(function.first);
            if (name.empty() || !names.insert(name).second)
                continue;
            answer_.functions.push_back(name);
            if (inlined_.contains(function))
                answer_.inlined.push_back(name);
        }
    }

    // Their variables there are no nodes.
    void find_inlined_users() {
        std::set<std::string> found;
        for (const auto &places : tables_.places)
            for (size_t depth = 0; depth + 1 < places.size(); ++depth)
                for (const std::string &user : query_.users)
                    if (is_named(tables_.text(places[depth].function), user))
                        found.insert(user);
        answer_.inlined_users.assign(found.begin(), found.end());
    }

    const Store &store_;
    const Tables &tables_;
    const Timeline &line_;
    const CPointQuery &query_;
    StructureCode code_;
    std::set<uint32_t> line_sites_;
    std::vector<CallFacts> facts_;
    std::vector<StructureStore> stores_; // to the structure, where calls do not tell all
    std::vector<StructureStore>::const_iterator next_store_ = stores_.begin();
    std::vector<StructureStore> receiving_;                       // by outermost functions
    std::map<std::pair<uint32_t, uint32_t>, bool> stores_result_; // by call and store
    std::map<uint32_t, size_t> returned_; // by thread: the C-point of what has just returned
    std::map<uint32_t, Levels> threads_;
    Levels *ending_ = nullptr;   // of the thread whose functions end
    std::set<Function> inlined_; // operations
    uint32_t thread_ = 1;
    uint64_t ran_since_ = 0;
    CPointAnswer answer_;
};

} // namespace

CPointAnswer find_cpoints(const Store &store, const Timeline &line, const CPointQuery &query) {
    return Finder(store, line, query).run();
}

} // namespace heapstory::constraints
