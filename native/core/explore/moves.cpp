// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/moves.h"

#include <algorithm>

namespace heapstory::explore {

Moves::Moves(const Program &program, Model &model, Names names, Limits limits)
    : program_(program), model_(model), names_(names), limits_(limits), machine_(program) {
    widths_.locals = program.most_locals;
    for (const Operation &operation : program.operations)
        widths_.arguments = std::max(widths_.arguments, operation.opaque.size());
}

World Moves::initial() {
    World world;
    world.memory = machine_.initial();
    world.orders.push_back({model_.initial(), {}});
    return world;
}

void Moves::from(const World &world, const Emit &emit) {
    emit_ = &emit;
    for (size_t slot = 0; slot < world.instances.size(); ++slot)
        step(world, slot);
    calls(world);
}

const Step &Moves::next_step(const World &world, size_t slot) const {
    const Instance &instance = world.instances[slot];
    return program_.operations[size_t(instance.operation)].steps[size_t(instance.pc)];
}

bool Moves::at_end(const World &world, size_t slot) const {
    const Instance &instance = world.instances[slot];
    return size_t(instance.pc) == program_.operations[size_t(instance.operation)].steps.size();
}

// -- calls ----------------------------------------------------------------------------------------

void Moves::calls(const World &world) {
    auto waits = [](const Instance &instance) { return !instance.answered; };
    auto waiting = std::count_if(world.instances.begin(), world.instances.end(), waits);
    if (world.started >= limits_.operations || waiting >= limits_.width)
        return;
    for (size_t number = 0; number < program_.operations.size(); ++number) {
        const auto &opaque = program_.operations[number].opaque;
        Words arguments(opaque.size());
        for (size_t i = 0; i < opaque.size(); ++i)
            arguments[i] = opaque[i] ? 10 * (world.started + 1) + int32_t(i) : 1;
        for (;;) { // count through the keys
            call(world, int32_t(number), arguments);
            size_t at = 0;
            while (at < opaque.size() && (opaque[at] || arguments[at] == limits_.keys)) {
                arguments[at] = opaque[at] ? arguments[at] : 1;
                ++at;
            }
            if (at == opaque.size())
                break;
            ++arguments[at];
        }
    }
}

void Moves::call(const World &world, int32_t operation, const Words &arguments) {
    World next = world;
    size_t slot = next.instances.size();
    next.instances.push_back({operation, 0, world.started + 1, false, world.started});
    ++next.started;
    next.locals.resize((slot + 1) * widths_.locals);
    next.arguments.resize((slot + 1) * widths_.arguments);
    std::copy(arguments.begin(), arguments.end(),
              next.locals.begin() + ptrdiff_t(slot * widths_.locals));
    std::copy(arguments.begin(), arguments.end(),
              next.arguments.begin() + ptrdiff_t(slot * widths_.arguments));
    if (names_ != Names::any) {
        step(next, slot);
        return;
    }
    for (int32_t id = 1; id <= limits_.operations; ++id) {
        if (world.taken >> id & 1)
            continue;
        next.instances[slot].id = id;
        next.taken = world.taken | uint64_t(1) << id;
        step(next, slot);
    }
}

// -- steps ----------------------------------------------------------------------------------------

// Which nodes only one instance can reach: its slot + 1; 0 where several can, or shared memory.
void Moves::owners(const World &world) {
    constexpr int32_t unseen = -1;
    owners_.assign(size_t(world.memory.nodes()) + 1, unseen);
    owners_[0] = 0;
    Words todo;
    int32_t mark = 0;
    auto visit = [&](int32_t node) {
        int32_t &owner = owners_[size_t(node)];
        if (owner == mark || owner == 0)
            return;
        owner = owner == unseen ? mark : 0;
        todo.push_back(node);
    };
    auto follow = [&] {
        while (!todo.empty()) {
            int32_t node = todo.back();
            todo.pop_back();
            int32_t outer = mark;
            mark = owners_[size_t(node)];
            world.memory.links(program_, node, visit);
            mark = outer;
        }
    };
    world.memory.roots(program_, visit);
    for (int32_t node = 1; node <= world.memory.nodes(); ++node)
        if (world.memory.freed(node))
            visit(node);
    follow();
    for (size_t slot = 0; slot < world.instances.size(); ++slot) {
        mark = int32_t(slot) + 1;
        const Instance &one = world.instances[slot];
        const auto &pointer = program_.operations[size_t(one.operation)].pointer;
        for (size_t i = 0; i < pointer.size(); ++i)
            if (pointer[i] && world.locals[slot * widths_.locals + i] != 0)
                visit(world.locals[slot * widths_.locals + i]);
        follow();
    }
}

void Moves::step(const World &world, size_t slot) {
    const Step &step = next_step(world, slot);
    if (step.loop)
        leave_loop(world, slot);
    for (const Words &choice : machine_.choices(world.memory, step)) {
        World next = world;
        owners(world);
        bool answered = next.instances[slot].answered;
        if (!run(next, slot, choice))
            continue;
        bool said =
            next.orders.empty() || at_end(next, slot) || next.instances[slot].answered != answered;
        if (visible_ || said || step.loop) {
            tail(next, slot);
            (*emit_)(next);
        } else {
            this->step(next, slot);
        }
    }
}

void Moves::leave_loop(const World &world, size_t slot) {
    World next = world;
    ++next.instances[slot].pc;
    forget(next, slot);
    if (!at_end(next, slot)) {
        step(next, slot);
        return;
    }
    note(next, slot, false, {});
    if (!next.instances[slot].answered)
        respond(next, slot, false, {});
    tail(next, slot);
    (*emit_)(next);
}

// Runs the next step of an instance, with its answer if it gives one; false where it cannot run.
bool Moves::run(World &world, size_t slot, const Words &choice) {
    Instance &instance = world.instances[slot];
    const Step &step = next_step(world, slot);
    Runner runner{instance.id,
                  std::span(world.locals).subspan(slot * widths_.locals, widths_.locals),
                  int32_t(slot) + 1, &owners_};
    const Outcome &outcome = machine_.run(world.memory, runner, step, choice);
    if (outcome.fault != Fault::none)
        faults_.emplace(instance.operation, instance.pc, outcome.fault);
    if (!outcome.ran)
        return false;
    visible_ = outcome.visible;
    ran_.emplace(instance.operation, instance.pc);
    note(world, slot, outcome.answered, outcome.answer);
    instance.pc += step.loop ? 0 : 1;
    if (outcome.answered)
        respond(world, slot, !outcome.answer.empty(), outcome.answer);
    else if (at_end(world, slot) && !instance.answered)
        respond(world, slot, false, {});
    forget(world, slot);
    return true;
}

void Moves::note(World &world, size_t slot, bool answered, const Words &answer) {
    if (!world.traced)
        return;
    const Instance &one = world.instances[slot];
    Words given;
    if (one.answered) { // then its arguments are forgotten
        auto same = [&one](const Action &action) { return action.number == one.number; };
        given = std::find_if(world.trail.begin(), world.trail.end(), same)->arguments;
    } else {
        auto begin = world.arguments.begin() + ptrdiff_t(slot * widths_.arguments);
        size_t count = program_.operations[size_t(one.operation)].opaque.size();
        given.assign(begin, begin + ptrdiff_t(count));
    }
    world.trail.push_back({one.number, one.id, one.operation, one.pc, given, answered, answer});
}

// The silent steps that follow, and the end of the operation.
void Moves::tail(World &world, size_t slot) {
    while (!world.orders.empty() && !at_end(world, slot)) {
        const Step &step = next_step(world, slot);
        if (step.open || step.loop)
            return;
        World next = world;
        saved_owners_ = owners_;
        if (!run(next, slot, {0}) || visible_) {
            owners_ = saved_owners_;
            return;
        }
        world = std::move(next);
    }
    if (at_end(world, slot))
        finish(world, slot);
}

void Moves::finish(World &world, size_t slot) {
    ended_.insert(world.instances[slot].operation);
    auto erase = [slot](Words &words, size_t width) {
        auto begin = words.begin() + ptrdiff_t(slot * width);
        words.erase(begin, begin + ptrdiff_t(width));
    };
    world.instances.erase(world.instances.begin() + ptrdiff_t(slot));
    erase(world.locals, widths_.locals);
    erase(world.arguments, widths_.arguments);
    for (Order &order : world.orders)
        for (Placed &placed : order.placed)
            placed.slot -= placed.slot > int32_t(slot);
}

// Values that nothing needs any more.
void Moves::forget(World &world, size_t slot) {
    const Instance &instance = world.instances[slot];
    const Operation &operation = program_.operations[size_t(instance.operation)];
    const auto &live = operation.live[size_t(instance.pc)];
    for (size_t i = 0; i < live.size(); ++i)
        if (!live[i])
            world.locals[slot * widths_.locals + i] = 0;
}

// -- answers --------------------------------------------------------------------------------------

// The orders that explain an answer, too: each may take in calls that have not answered, up to the
// one that answers now.
void Moves::respond(World &world, size_t slot, bool says, const Words &answer) {
    std::vector<Order> kept, todo;
    std::set<Order> seen(world.orders.begin(), world.orders.end());
    todo.swap(world.orders);
    while (!todo.empty()) {
        Order order = std::move(todo.back());
        todo.pop_back();
        auto placed_at = [&](int32_t which) {
            return std::find_if(order.placed.begin(), order.placed.end(),
                                [which](const Placed &p) { return p.slot == which; });
        };
        auto mine = placed_at(int32_t(slot));
        if (mine != order.placed.end()) {
            if (!says || !mine->says || mine->answer == answer) {
                order.placed.erase(mine);
                if (std::find(kept.begin(), kept.end(), order) == kept.end())
                    kept.push_back(std::move(order));
            }
            continue;
        }
        for (size_t other = 0; other < world.instances.size(); ++other) {
            const Instance &one = world.instances[other];
            if (one.answered || placed_at(int32_t(other)) != order.placed.end())
                continue;
            const Operation &operation = program_.operations[size_t(one.operation)];
            auto extend = [&](bool said, const Words &expected, const Words &state) {
                Order next{state, order.placed};
                next.placed.push_back({int32_t(other), said, expected});
                std::sort(next.placed.begin(), next.placed.end());
                if (seen.insert(next).second)
                    todo.push_back(std::move(next));
            };
            if (operation.method == int32_t(Method::helps)) {
                extend(false, {}, order.state);
                continue;
            }
            std::span arguments = std::span(world.arguments)
                                      .subspan(other * widths_.arguments, operation.opaque.size());
            for (const Response &response :
                 model_.apply(order.state, operation.method, arguments, one.id))
                extend(response.says, response.answer, response.state);
        }
    }
    world.orders = std::move(kept);
    world.instances[slot].answered = true;
    auto begin = world.arguments.begin() + ptrdiff_t(slot * widths_.arguments);
    std::fill(begin, begin + ptrdiff_t(widths_.arguments), 0);
}

} // namespace heapstory::explore
