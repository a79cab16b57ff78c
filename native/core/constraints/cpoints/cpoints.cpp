// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/cpoints/cpoints.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace heapstory::constraints {

namespace {

// A function by its name and file.
using Function = std::pair<uint32_t, uint32_t>;

Function function_of(const PlaceRow &place) {
    return {place.function, place.path};
}

// "List::insert(int)" is meant by itself, by "List::insert" and by "insert".
bool is_named(const std::string &function, const std::string &wanted) {
    if (function == wanted)
        return true;
    std::string bare = function.substr(0, function.find('('));
    size_t last = bare.rfind("::");
    return bare == wanted || (last != std::string::npos && bare.substr(last + 2) == wanted);
}

bool is_file(const std::string &path, const std::string &wanted) {
    return path == wanted || (path.size() > wanted.size() && path.ends_with(wanted) &&
                              path[path.size() - wanted.size() - 1] == '/');
}

class Finder {
  public:
    Finder(const Store &store, const Timeline &line, const CPointQuery &query)
        : store_(store), tables_(store.tables()), line_(line), query_(query) {}

    CPointAnswer run() {
        find_functions();
        for (uint32_t chunk : store_.event_chunks())
            if (store_.header(chunk).first_timestamp <= line_.last)
                walk(chunk);
        add_writes();
        std::stable_sort(
            answer_.points.begin(), answer_.points.end(),
            [](const FoundCPoint &a, const FoundCPoint &b) { return a.time < b.time; });
        add_end();
        name_functions();
        return std::move(answer_);
    }

  private:
    static constexpr size_t most_steps = 64; // of one operation
    struct Frame {
        uint32_t call;
        bool covered;               // a caller other than the outermost belongs to the structure
        size_t first;               // where on the stack the same function was called first
        std::vector<size_t> inside; // C-points at returns to this frame
    };
    static constexpr size_t no_frame = ~size_t(0);
    struct Stack {
        std::vector<Frame> frames;
        size_t operation = no_frame; // the first frame that belongs, other than the outermost
        uint64_t began = 0;          // when that was entered
        std::vector<std::pair<uint64_t, uint64_t>> runs; // since then, (from, to]
        std::unordered_map<uint32_t, size_t> first;      // by function
    };
    struct CallFacts { // of a call id
        uint32_t function = 0;
        bool own = false, from_own = false;
        bool exit = false, entry = false, line = false;
    };

    void find_functions() {
        std::set<uint32_t> writers;
        for (const Version &version : line_.versions)
            if (version.site && version.site != last_writer_)
                writers.insert(last_writer_ = version.site);
        for (const Block &block : line_.blocks)
            if (block.free_stack && block.free_stack < tables_.stacks.size())
                writers.insert(tables_.stacks[block.free_stack].site);
        for (uint32_t site : writers) {
            if (site >= tables_.places.size() || tables_.places[site].empty())
                continue;
            const auto &places = tables_.places[site];
            if (query_.own.empty()) {
                source_.insert(function_of(places.front()));
                physical_.insert(function_of(places.back()));
            }
            for (const auto &[file, line] : query_.lines)
                for (const PlaceRow &place : places)
                    if (place.line == line && is_file(tables_.text(place.path), file))
                        line_sites_.insert(site);
        }
        facts_.resize(tables_.calls.size());
        std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers;
        for (uint32_t call = 1; call < tables_.calls.size(); ++call) {
            facts_[call] = facts_of(call);
            auto [module, offset] = tables_.calls[call].target;
            facts_[call].function =
                numbers.try_emplace({module, offset}, uint32_t(numbers.size())).first->second;
        }
    }

    bool belongs(const PlaceRow &place, const std::set<Function> &functions) const {
        if (!place.function)
            return false;
        if (query_.own.empty())
            return functions.contains(function_of(place));
        const std::string &name = tables_.text(place.function);
        return std::any_of(query_.own.begin(), query_.own.end(),
                           [&](const std::string &own) { return is_named(name, own); });
    }

    CallFacts facts_of(uint32_t call) const {
        CallFacts facts;
        const PlaceRow &target = tables_.functions[call];
        uint32_t site = tables_.calls[call].site;
        static const std::vector<PlaceRow> unknown;
        const auto &from = site < tables_.places.size() ? tables_.places[site] : unknown;
        facts.own = belongs(target, physical_);
        facts.from_own = !from.empty() && belongs(from.front(), source_);
        const std::string &name = tables_.text(target.function);
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
        if (stacks_.empty())
            for (const OpenCalls &open : view.open_calls())
                for (uint32_t call : open.calls)
                    enter(stacks_[open.thread], call, first);
        auto next = clock->switches.begin();
        for (const Call &call : view.calls()) {
            if (time_at(call.event) > line_.last)
                break;
            for (; next != clock->switches.end() && next->event <= call.event; ++next)
                switch_to(next->thread, time_at(next->event));
            if (call.call >= facts_.size())
                continue;
            if (call.is_return)
                leave(call.call, time_at(call.event));
            else {
                enter(stacks_[thread_], call.call, time_at(call.event));
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
        if (Stack &stack = stacks_[thread_]; stack.operation != no_frame)
            stack.runs.emplace_back(std::max(stack.began, ran_since_), time);
        thread_ = thread;
        ran_since_ = time;
    }

    // The outermost function is main where its own call, by other code, was recorded.
    static size_t outermost(const std::vector<Frame> &frames, const Tables &tables) {
        return !frames.empty() && !tables.sites[tables.calls[frames[0].call].site].own;
    }

    void enter(Stack &stack, uint32_t call, uint64_t time) {
        auto &frames = stack.frames;
        bool covered = !frames.empty() && frames.back().covered;
        covered |= facts_[call].from_own && frames.size() > outermost(frames, tables_);
        size_t first = stack.first.try_emplace(facts_[call].function, frames.size()).first->second;
        if (facts_[call].own && stack.operation == no_frame &&
            frames.size() >= outermost(frames, tables_)) {
            stack.operation = frames.size();
            stack.began = time;
            stack.runs.clear();
        }
        frames.push_back({call, covered, first, {}});
        called_.insert(call);
    }

    Frame pop(Stack &stack) const {
        Frame frame = std::move(stack.frames.back());
        stack.frames.pop_back();
        if (frame.first == stack.frames.size())
            stack.first.erase(facts_[frame.call].function);
        if (stack.operation == stack.frames.size())
            stack.operation = no_frame;
        return frame;
    }

    void leave(uint32_t call, uint64_t time) {
        Stack *stack = &stacks_[thread_];
        auto has = [&](const std::vector<Frame> &frames) {
            return std::any_of(frames.rbegin(), frames.rend(),
                               [&](const Frame &frame) { return frame.call == call; });
        };
        if (stack->frames.empty() || stack->frames.back().call != call) {
            // A switch of threads at the same position may have come first.
            for (auto &[thread, other] : stacks_)
                if (!other.frames.empty() && other.frames.back().call == call)
                    stack = &other;
            if (!has(stack->frames))
                return;
        }
        auto &frames = stack->frames;
        while (frames.back().call != call)
            pop(*stack);
        bool is_outermost = frames.size() == outermost(frames, tables_);
        Frame frame = pop(*stack);
        if (!is_outermost && frame.inside.size() <= most_steps)
            for (size_t point : frame.inside)
                answer_.points[point].operation_end = time;
        if (frame.first < frames.size())
            hand_over(frame.inside, frames[frame.first].inside);
        const CallFacts &facts = facts_[call];
        bool covered = !frames.empty() && frames.back().covered;
        // What main writes itself does not make all that it calls a part of one operation.
        bool within = facts.from_own && frames.size() > outermost(frames, tables_);
        bool returned = query_.returns && facts.own && !covered && !within;
        if (returned && !frames.empty())
            frames.back().inside.push_back(answer_.points.size());
        if (returned || facts.exit || facts.line) {
            add(CPointKind::exit, call, time);
            answer_.points.back().busy = runs_of_others(*stack);
        }
    }

    std::vector<std::pair<uint64_t, uint64_t>> runs_of_others(const Stack &own) const {
        std::vector<std::pair<uint64_t, uint64_t>> runs;
        for (const auto &[thread, other] : stacks_)
            if (&other != &own && other.operation != no_frame)
                runs.insert(runs.end(), other.runs.begin(), other.runs.end());
        return runs;
    }

    // To the first call of a function that calls itself; more than most_steps need not be known.
    static void hand_over(const std::vector<size_t> &inside, std::vector<size_t> &first) {
        size_t room = most_steps + 1 - std::min(first.size(), most_steps + 1);
        first.insert(first.end(), inside.begin(),
                     inside.begin() + std::ptrdiff_t(std::min(inside.size(), room)));
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
        std::set<Function> called;
        for (uint32_t call : called_)
            called.insert(function_of(tables_.functions[call]));
        std::set<std::string> names;
        for (const Function &function : source_) {
            const std::string &name = tables_.text(function.first);
            if (name.empty() || !names.insert(name).second)
                continue;
            answer_.functions.push_back(name);
            if (!called.contains(function) && name != "main")
                answer_.inlined.push_back(name);
        }
    }

    const Store &store_;
    const Tables &tables_;
    const Timeline &line_;
    const CPointQuery &query_;
    std::set<Function> source_;   // that write the structure, as written
    std::set<Function> physical_; // and what they were compiled into
    std::set<uint32_t> line_sites_;
    uint32_t last_writer_ = 0;
    std::vector<CallFacts> facts_;
    std::set<uint32_t> called_;
    std::map<uint32_t, Stack> stacks_;
    uint32_t thread_ = 1;
    uint64_t ran_since_ = 0;
    CPointAnswer answer_;
};

} // namespace

CPointAnswer find_cpoints(const Store &store, const Timeline &line, const CPointQuery &query) {
    return Finder(store, line, query).run();
}

} // namespace heapstory::constraints
