// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/search/sweep.h"

#include <thread>

namespace heapstory::constraints {

namespace {

constexpr size_t piece = 512; // objects
constexpr size_t ahead = 8;   // objects whose surroundings are fetched before they are needed

std::vector<uint32_t> attributes_of(const PlanConstraint &constraint) {
    std::vector<uint32_t> out;
    for_each_expr(constraint, [&](const Expr &e) {
        if (e.op == Op::attribute)
            out.push_back(e.index);
    });
    return out;
}

} // namespace

Sweep::Sweep(Checker &checker, const std::vector<Group> &groups, uint64_t time, Units units)
    : checker_(checker), line_(checker.line()), groups_(groups), time_(time),
      units_(std::move(units)), families_(checker.plan().constraints.size()) {
    auto add_pieces = [](std::vector<Piece> &pieces, size_t of, size_t objects) {
        for (size_t first = 0; first < objects; first += piece)
            pieces.push_back({of, first, std::min(objects, first + piece)});
    };
    Evaluator &evaluator = checker.nested().evaluator();
    std::vector<bool> read(evaluator.families().size());
    for (size_t group = 0; group < groups.size(); ++group) {
        add_pieces(of_groups_, group, groups[group].objects->size());
        for (uint32_t c : groups[group].constraints)
            for (uint32_t attribute : attributes_of(checker.plan().constraints[c])) {
                families_[c].push_back(evaluator.family_of(attribute));
                read[evaluator.family_of(attribute)] = true;
            }
    }
    for (uint32_t family = 0; family < read.size(); ++family)
        if (read[family] && AttributeSweep::suits(checker.plan(), *evaluator.families()[family])) {
            attribute_sweeps_.emplace_back(evaluator, family, time);
            add_pieces(of_families_, attribute_sweeps_.size() - 1,
                       attribute_sweeps_.back().objects().size());
        }
    prepare_.count = compute_.count = of_families_.size();
    finish_.count = attribute_sweeps_.size();
    free_.count = bound_.count = of_groups_.size();
}

Sweep::Reads Sweep::reads(uint32_t constraint) const {
    Reads kind = Reads::none;
    for (uint32_t family : families_[constraint]) {
        bool swept =
            std::any_of(attribute_sweeps_.begin(), attribute_sweeps_.end(),
                        [&](const AttributeSweep &sweep) { return sweep.number() == family; });
        if (!swept)
            return Reads::others;
        kind = Reads::swept;
    }
    return kind;
}

// Tells the processor what checking an object will ask for.
void Sweep::fetch(Object object, Reads kind) const {
    if (kind == Reads::swept)
        for (const AttributeSweep &sweep : attribute_sweeps_)
            sweep.fetch_below(object);
    else
        checker_.edges().fetch_targets(object, 0, time_, [](Object) {});
}

void Sweep::check(NestedChecker &nested, const Piece &piece, Reads kind,
                  std::vector<Inconsistency> &out) {
    const Group &group = groups_[piece.of];
    const std::vector<Object> &objects = *group.objects;
    std::vector<std::pair<uint32_t, uint32_t>> chosen; // constraint, place in the group
    for (uint32_t place = 0; place < group.constraints.size(); ++place)
        if (reads(group.constraints[place]) == kind)
            chosen.emplace_back(group.constraints[place], place);
    if (chosen.empty())
        return;
    NestedChecker::Found add = [&](Inconsistency e) {
        out.push_back(std::move(e));
        return true;
    };
    for (size_t i = piece.first; i < piece.end; ++i) {
        Object object = objects[i];
        if (i + ahead < piece.end)
            fetch(objects[i + ahead], kind);
        if (!line_.alive(object, time_))
            continue;
        bool born = line_.birth[object] >= units_.from;
        for (auto [constraint, place] : chosen) {
            size_t unit = group.first + i * group.constraints.size() + place;
            if (!born && !(units_.listed && units_.listed[unit]))
                continue;
            Span span{0, time_ + 1};
            if (units_.applies[constraint]) {
                span = {};
                nested.check_object(constraint, object, time_, span, add);
                units_.known[unit] = ~span.since;
            }
            if (units_.until)
                units_.until[unit] = span.until;
        }
    }
}

void Sweep::work(NestedChecker &nested, bool is_first, std::vector<Inconsistency> &out) {
    prepare_.run([&](size_t i) {
        const Piece &piece = of_families_[i];
        attribute_sweeps_[piece.of].prepare(piece.first, piece.end);
    });
    prepare_.wait();
    compute_.run([&](size_t i) {
        const Piece &piece = of_families_[i];
        attribute_sweeps_[piece.of].compute(nested.evaluator(), piece.first, piece.end);
    });
    free_.run([&](size_t i) { check(nested, of_groups_[i], Reads::none, out); });
    compute_.wait();
    finish_.run([&](size_t i) { attribute_sweeps_[i].finish(nested.evaluator()); });
    finish_.wait();
    if (is_first)
        for (const Piece &piece : of_groups_)
            check(nested, piece, Reads::others, out);
    bound_.run([&](size_t i) { check(nested, of_groups_[i], Reads::swept, out); });
}

void Sweep::run(bool alone, const std::function<void()> &check_globals) {
    std::vector<Inconsistency> others;
    std::exception_ptr failure;
    auto start = [&] {
        try {
            check_globals();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    if (alone) {
        start();
        work(checker_.nested(), true, found);
    } else {
        std::jthread other([&] {
            start();
            Evaluator &second = checker_.second().evaluator();
            Evaluator::Families own = second.families();
            for (const AttributeSweep &sweep : attribute_sweeps_)
                second.families()[sweep.number()] =
                    checker_.nested().evaluator().families()[sweep.number()];
            work(checker_.second(), false, others);
            second.families() = std::move(own);
        });
        work(checker_.nested(), true, found);
    }
    if (failure)
        std::rethrow_exception(failure);
    for (const Stage *stage : {&prepare_, &compute_, &finish_, &free_, &bound_})
        stage->rethrow();
    found.insert(found.end(), std::make_move_iterator(others.begin()),
                 std::make_move_iterator(others.end()));
}

} // namespace heapstory::constraints
