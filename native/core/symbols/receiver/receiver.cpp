// The type of what an allocation's receiver points to.
//
// A wrong type is worse than none: candidates that disagree give no answer, except that a record
// wins over void and characters, and a derived class over its base.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/receiver/receiver.h"

#include <algorithm>

namespace heapstory {

namespace {

constexpr uint64_t window = 64; // bytes behind the call in which the variable must appear

void next_call(Dwarf_Die *parent, uint64_t after, uint64_t &best, int depth) {
    for_each_child(parent, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
            Dwarf_Attribute memory;
            Dwarf_Addr address = 0;
            unsigned name = tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;
            if (dwarf_formaddr(dwarf_attr(&child, name, &memory), &address) == 0 &&
                address > after && address < best)
                best = address;
        } else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
                   depth < 64) {
            next_call(&child, after, best, depth + 1);
        }
        return true;
    });
}

} // namespace

// What the flow of the result means in this function.
class CallMeaning final : public FlowMeaning {
  public:
    explicit CallMeaning(ReceiverFinder &finder) : finder_(finder) {}

    std::optional<TypeId> stored(const Path &path) override { return finder_.stored(path); }

    TypeId passed(uint64_t callee, int argument) override {
        CompileUnit *unit = finder_.units_.at(callee);
        Subprogram *function = unit ? finder_.units_.function_at(*unit, callee) : nullptr;
        if (!function || function->entry != callee)
            return no_type;
        TypeId type = no_type;
        for_each_child(&function->die, [&](Dwarf_Die &child) {
            if (dwarf_tag(&child) != DW_TAG_formal_parameter || argument-- > 0)
                return true;
            type = finder_.types_.type_of(&child);
            return false;
        });
        return finder_.types_.pointee_at(type, 0).value_or(no_type);
    }

    TypeId returned() override {
        TypeId type = finder_.types_.type_of(&finder_.function_->die);
        return finder_.types_.pointee_at(type, 0).value_or(no_type);
    }

    bool inside(uint64_t address) override {
        CompileUnit *unit = finder_.units_.at(address);
        return unit && finder_.units_.function_at(*unit, address) == finder_.function_;
    }

  private:
    ReceiverFinder &finder_;
};

void ReceiverFinder::add_variables(Dwarf_Die *scope) {
    if (!seen_.insert(scope->addr).second)
        return;
    auto base = frame_base(&function_->die, address_);
    for_each_child(scope, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            if (auto ranges = locations_of(&child, base); !ranges.empty())
                locals_.push_back({child, std::move(ranges)});
        return true;
    });
}

// Reads the variables in scope at the call and a few instructions on.
void ReceiverFinder::enter(uint64_t return_address) {
    address_ = return_address;
    function_ = nullptr;
    locals_.clear();
    seen_.clear();
    unit_ = units_.at(return_address - 1);
    if (unit_)
        function_ = units_.function_at(*unit_, return_address - 1);
    if (!function_)
        return;
    limit_ = return_address + window;
    next_call(&function_->die, return_address, limit_, 0);
    for (uint64_t ahead : {~uint64_t(0), uint64_t(0), uint64_t(8), uint64_t(24), window - 1}) {
        uint64_t pc = return_address + ahead;
        if (pc >= limit_ && pc != return_address - 1)
            continue;
        for (Scope *scope : units_.scopes_at(*function_, pc))
            add_variables(&scope->die);
    }
    add_variables(&function_->die);
}

bool ReceiverFinder::refines(TypeId type, TypeId base) const {
    for (int steps = 0; steps < 16 && type != no_type; ++steps) {
        const Type &record = types_[type];
        if (record.kind != TypeKind::record || record.is_union)
            return false;
        TypeId first = no_type;
        for (const Field &field : record.fields)
            if (field.offset == 0 && field.type != no_type && field.size != 0) {
                if (field.type == base)
                    return true;
                if (first == no_type)
                    first = field.type;
            }
        type = first;
    }
    return false;
}

// One type out of several. Nothing if there was no candidate, no_type if they disagree or are void.
std::optional<TypeId> ReceiverFinder::settle(std::vector<TypeId> types) const {
    if (types.empty())
        return {};
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
    std::erase(types, no_type);
    auto is_bytes = [&](TypeId id) {
        return types_[id].kind == TypeKind::base && types_[id].size <= 1;
    };
    if (!std::all_of(types.begin(), types.end(), is_bytes))
        std::erase_if(types, is_bytes);
    std::vector<TypeId> best;
    for (TypeId type : types)
        if (std::none_of(types.begin(), types.end(),
                         [&](TypeId other) { return other != type && refines(other, type); }))
            best.push_back(type);
    return best.size() == 1 ? best[0] : no_type;
}

// Variables that come to be in a register which holds the result: as far as the instructions were
// followed that is known, further on the receiver's register is trusted.
std::vector<ReceiverFinder::Candidate> ReceiverFinder::in_register(const FlowResult &flow,
                                                                   int reg) {
    uint64_t followed = flow.held.empty() ? address_ : flow.held.back().first;
    auto holds = [&](const LocationRange &range, int where) {
        if (range.everywhere)
            return where == reg;
        for (const auto &[pc, mask] : flow.held)
            if (pc == range.start)
                return where < 32 && (mask >> where & 1) != 0;
        return where == reg && followed >= address_ && range.start > followed &&
               range.start < limit_;
    };
    std::vector<Candidate> found;
    for (Local &local : locals_)
        for (const LocationRange &range : local.ranges)
            for (const VariableLocation &location : range.locations)
                if (location.kind == VariableLocation::Kind::reg && holds(range, location.reg))
                    if (auto type = types_.pointee_at(types_.type_of(&local.die), location.piece))
                        found.push_back({*type, range.everywhere ? limit_ : range.start});
    return found;
}

// The first variable that appears there; a void pointer on the way does not count.
std::vector<TypeId> ReceiverFinder::earliest(const std::vector<Candidate> &found) {
    uint64_t first = ~uint64_t(0);
    for (const Candidate &candidate : found)
        if (candidate.type != no_type)
            first = std::min(first, candidate.start);
    std::vector<TypeId> types;
    for (const Candidate &candidate : found)
        if (candidate.start == first)
            types.push_back(candidate.type);
    return types;
}

std::vector<TypeId> ReceiverFinder::held_by(int reg, uint64_t pc) {
    std::vector<TypeId> types;
    for (Local &local : locals_)
        for (const LocationRange &range : local.ranges)
            if (range.everywhere || (pc >= range.start && pc < range.end))
                for (const VariableLocation &location : range.locations)
                    if (location.kind == VariableLocation::Kind::reg && location.reg == reg)
                        if (auto type =
                                types_.pointee_at(types_.type_of(&local.die), location.piece))
                            types.push_back(*type);
    return types;
}

// Variables in memory at the first step of a path, by the register or by the frame's address.
std::vector<TypeId> ReceiverFinder::on_stack(const Path &path) {
    std::vector<TypeId> types;
    auto frame = frames_.at(path.when);
    auto in_frame = [&](int reg, int64_t offset) -> std::optional<int64_t> {
        return frame && frame->reg == reg ? std::optional(offset - frame->offset) : std::nullopt;
    };
    int64_t offset = path.steps[0].offset;
    uint64_t latest = path.now ? path.now + 8 : limit_ - 1;
    auto wanted = in_frame(path.root, offset);
    auto distance = [&](const VariableLocation &location) -> std::optional<int64_t> {
        if (location.kind == VariableLocation::Kind::memory && location.reg == path.root)
            return offset - location.offset;
        if (location.kind == VariableLocation::Kind::frame && wanted)
            return *wanted - location.offset;
        if (location.kind == VariableLocation::Kind::memory && wanted)
            if (auto other = in_frame(location.reg, location.offset))
                return *wanted - *other;
        return {};
    };
    for (Local &local : locals_)
        for (const LocationRange &range : local.ranges) {
            if (!range.everywhere && (range.start > latest || range.end < path.when))
                continue;
            // A variable that was there before and ends with the store is overwritten by it.
            if (!range.everywhere && path.steps.size() == 1 && range.start < path.when &&
                range.end < limit_)
                continue;
            for (const VariableLocation &location : range.locations) {
                auto delta = distance(location);
                if (!delta || *delta < 0)
                    continue;
                TypeId type = types_.type_of(&local.die);
                uint64_t within = static_cast<uint64_t>(*delta) + location.piece;
                if (type == no_type || within >= types_[type].size)
                    continue;
                if (auto target = types_.pointee_at(type, within))
                    types.push_back(*target);
            }
        }
    return types;
}

std::vector<TypeId> ReceiverFinder::at_address(uint64_t address) {
    const std::vector<Variable> &globals = globals_();
    auto next =
        std::upper_bound(globals.begin(), globals.end(), address,
                         [](uint64_t wanted, const Variable &v) { return wanted < v.address; });
    if (next == globals.begin() || address - next[-1].address >= next[-1].size)
        return {};
    auto target = types_.pointee_at(next[-1].type, address - next[-1].address);
    return target ? std::vector<TypeId>{*target} : std::vector<TypeId>{};
}

// The pointer's target at an offset from a pointer to `type`, which may be an array's element.
std::optional<TypeId> ReceiverFinder::member(TypeId type, const Path::Step &step) const {
    if (type == no_type)
        return {};
    auto size = static_cast<int64_t>(types_[type].size);
    int64_t offset = step.offset;
    if (!step.indexed && offset >= 0)
        if (auto found = types_.pointee_at(type, static_cast<uint64_t>(offset)))
            return found;
    if (size == 0)
        return {};
    return types_.pointee_at(type, static_cast<uint64_t>((offset % size + size) % size));
}

std::optional<TypeId> ReceiverFinder::stored(const Path &path) {
    return follow(path, path.steps.size());
}

// What the pointer points to that is read with the first steps of a path.
std::optional<TypeId> ReceiverFinder::follow(const Path &path, size_t steps) {
    size_t used = 1;
    std::optional<TypeId> type;
    if (path.root == Path::absolute) {
        type = settle(at_address(static_cast<uint64_t>(path.steps[0].offset)));
    } else {
        type = settle(on_stack(path));
        if (!type) {
            type = settle(held_by(path.root, path.when));
            used = 0;
        }
    }
    if (used > steps) // a variable itself
        return {};
    for (size_t i = used; i < steps && type; ++i)
        type = member(*type, path.steps[i]);
    return type;
}

// What a stored pointer points to: by the variable that holds it, by where it was loaded from, and
// by the field that it is stored to.
TypeId ReceiverFinder::value_of(const StoreFlow &flow, TypeId holder, uint64_t instruction) {
    std::vector<TypeId> types;
    if (flow.value_register >= 0)
        types = held_by(flow.value_register, instruction);
    if (flow.value && flow.value->steps.size() > 1 && flow.value->steps.back() == Path::Step{})
        if (auto type = follow(*flow.value, flow.value->steps.size() - 1))
            types.push_back(*type);
    if (auto type = holder == no_type ? follow(flow.address, flow.address.steps.size())
                                      : member(holder, flow.address.steps.back()))
        types.push_back(*type);
    return settle(std::move(types)).value_or(no_type);
}

StoredTypes ReceiverFinder::stored_by(uint64_t instruction) {
    enter(instruction + 1);
    StoredTypes found;
    if (!function_)
        return found;
    CallMeaning meaning(*this);
    std::vector<uint64_t> starts = statement_starts();
    starts.insert(starts.begin(), instruction); // what the variables say there comes first
    for (uint64_t start : starts) {
        auto flow = follow_store(units_.image(), {start}, instruction, meaning);
        if (!flow)
            continue;
        flow->address.now = instruction;
        if (found.holder == no_type) {
            found.holder = follow(flow->address, flow->address.steps.size() - 1).value_or(no_type);
            found.offset = flow->address.steps.back().offset;
            found.indexed = flow->address.steps.back().indexed;
        }
        if (found.value == no_type)
            found.value = value_of(*flow, found.holder, instruction);
        if (found.holder != no_type)
            break;
    }
    return found;
}

// The constructor that is called may be that of a base, and the result may be stored as its first
// member: a variable that holds it tells more.
TypeId ReceiverFinder::most_derived(TypeId type, const std::vector<Candidate> &candidates) const {
    for (const Candidate &candidate : candidates)
        if (type != no_type && candidate.type != no_type && refines(candidate.type, type))
            type = candidate.type;
    return type;
}

// Where the code of the statement with the call may begin, the farthest first.
std::vector<uint64_t> ReceiverFinder::statement_starts() {
    const LineRow *row = units_.line_at(*unit_, address_ - 1);
    if (!row)
        return {};
    std::vector<uint64_t> starts = {row->address};
    uint32_t line = row->line;
    for (; starts.size() < 16 && row > unit_->lines.data() && row[-1].line == line; --row)
        if (!row[-1].end_sequence && row[-1].address != starts.back())
            starts.push_back(row[-1].address);
    std::reverse(starts.begin(), starts.end());
    return starts;
}

TypeId ReceiverFinder::find(uint64_t return_address, const std::optional<Receiver> &receiver) {
    enter(return_address);
    FlowResult flow;
    CallMeaning meaning(*this);
    if (function_)
        flow = follow_result(units_.image(), statement_starts(), return_address, meaning);
    auto is = [&](Receiver::Kind kind) { return receiver && receiver->kind == kind; };
    int reg = is(Receiver::Kind::register_) ? receiver->reg : -1;
    std::vector<Candidate> locals = in_register(flow, reg);
    TypeId type = no_type;
    if (is(Receiver::Kind::global))
        type = settle(at_address(receiver->address)).value_or(no_type);
    else if (is(Receiver::Kind::memory) && !flow.stored)
        // Only where the instructions could not be followed: the register may have changed since.
        type = stored({receiver->reg, return_address, 0, {{receiver->offset}}}).value_or(no_type);
    else if (is(Receiver::Kind::memory))
        type = flow.type;
    if (type == no_type)
        type = settle(earliest(locals)).value_or(no_type);
    if (type == no_type)
        type = flow.type;
    // A class that was constructed there, or the first member of one.
    if (flow.argument != no_type && (type == no_type || !refines(type, flow.argument)))
        type = flow.argument;
    return most_derived(type, locals);
}

} // namespace heapstory
