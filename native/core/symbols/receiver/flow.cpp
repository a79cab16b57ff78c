// Follows a returned pointer through the instructions behind the call: copies, spills, null
// checks, constructor calls, up to the store, call or return that gives it a type.
//
// Needed where DWARF alone does not tell: without optimisation `p->next = malloc(n)` goes through
// registers that belong to no variable. Straight-line code only, x86-64 only; whatever is not
// understood ends the search without an answer.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/receiver/flow.h"

#include "symbols/receiver/x86.h"

#include <algorithm>
#include <array>

namespace heapstory {

namespace {

using Kind = Instruction::Kind;

constexpr int max_instructions = 96;
constexpr size_t max_steps = 6;
constexpr int rax = 0, rsp = 4;
constexpr int dwarf_number[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr int argument_registers[6] = {7, 6, 2, 1, 8, 9};
constexpr int preserved[] = {3, 4, 5, 12, 13, 14, 15};

struct FlowValue {
    enum class Kind : uint8_t { unknown, result, path } kind = Kind::unknown;
    Path path;
};

class Follower {
  public:
    Follower(const ElfImage &image, uint64_t pc, FlowMeaning &meaning)
        : image_(image), pc_(pc), meaning_(meaning) {
        for (int reg = 0; reg < 16; ++reg)
            registers_[reg] = {FlowValue::Kind::path, {dwarf_number[reg], pc, 0, {{}}}};
    }
    // What the registers hold when straight-line code has come to `end`; false if it does not.
    bool reach(uint64_t end);
    FlowResult run();
    std::optional<StoreFlow> stored(); // by the next instruction
    std::array<FlowValue, 16> &registers() { return registers_; }
    void set_before(std::array<FlowValue, 16> before) { before_ = std::move(before); }

  private:
    Instruction fetch();
    std::optional<TypeId> type_at(const Path &path);
    bool step(const Instruction &in); // false: the end
    bool move(const Instruction &in);
    void add(const Instruction &in);
    bool call(const Instruction &in);
    void forget(unsigned registers); // a bit each
    void forget_scratch();
    std::optional<Path> address(const Instruction &in) const;
    FlowValue load(const Instruction &in) const;
    bool store(const Instruction &in, const FlowValue &value);
    bool is_result(int reg) const {
        return reg >= 0 && registers_[reg].kind == FlowValue::Kind::result;
    }
    bool alive() const;

    const ElfImage &image_;
    uint64_t pc_, next_ = 0;
    FlowMeaning &meaning_;
    std::array<FlowValue, 16> registers_;
    std::array<FlowValue, 16> before_; // in terms of the registers at the start of the statement
    std::vector<Path> slots_;          // places in memory that hold the result
    bool tested_ = false;              // the flags say whether the result is null
    FlowResult found_;
};

std::optional<Path> Follower::address(const Instruction &in) const {
    Path path;
    if (in.base == Instruction::next_address) {
        path.steps = {{static_cast<int64_t>(next_) + in.displacement}};
        return path;
    }
    if (in.base == Instruction::none) { // a table at a fixed address, or plain arithmetic
        if (in.displacement < 0x1000)
            return {};
        path.steps = {{in.displacement, in.index >= 0}};
        return path;
    }
    const FlowValue *base = &registers_[in.base];
    // The pointer may stand in the index register and the index in the base register.
    if (base->kind == FlowValue::Kind::unknown && in.index >= 0 && in.scale == 1)
        base = &registers_[in.index];
    if (base->kind != FlowValue::Kind::path)
        return {};
    path = base->path;
    path.steps.back().offset += in.displacement;
    path.steps.back().indexed |= in.index >= 0;
    return path;
}

FlowValue Follower::load(const Instruction &in) const {
    auto from = address(in);
    if (!from)
        return {};
    if (std::find(slots_.begin(), slots_.end(), *from) != slots_.end())
        return {FlowValue::Kind::result, {}};
    if (from->steps.size() >= max_steps)
        return {};
    from->steps.push_back({});
    return {FlowValue::Kind::path, *from};
}

bool Follower::store(const Instruction &in, const FlowValue &value) {
    auto to = address(in);
    found_.stored |= value.kind == FlowValue::Kind::result;
    if (!to)
        return true;
    std::erase(slots_, *to);
    if (value.kind != FlowValue::Kind::result)
        return true;
    slots_.push_back(*to);
    to->now = next_;
    auto type = type_at(*to);
    found_.type = type.value_or(no_type);
    return found_.type == no_type; // void * and temporary places: go on
}

// A register that belongs to no variable may have been loaded in the same statement.
std::optional<TypeId> Follower::type_at(const Path &path) {
    if (auto type = meaning_.stored(path))
        return type;
    for (int reg : preserved) {
        const FlowValue &before = before_[reg];
        if (dwarf_number[reg] != path.root || before.kind != FlowValue::Kind::path ||
            before.path.steps.size() + path.steps.size() > max_steps ||
            (before.path.steps.size() == 1 && before.path.root == path.root))
            continue;
        Path whole = before.path;
        whole.now = path.now;
        whole.steps.back().offset += path.steps[0].offset;
        whole.steps.back().indexed |= path.steps[0].indexed;
        whole.steps.insert(whole.steps.end(), path.steps.begin() + 1, path.steps.end());
        return meaning_.stored(whole);
    }
    return {};
}

bool Follower::move(const Instruction &in) {
    FlowValue from = in.from >= 0 ? registers_[in.from] : FlowValue{};
    if (in.stores)
        return store(in, from);
    registers_[in.to] = in.memory ? load(in) : from;
    return true;
}

void Follower::add(const Instruction &in) {
    FlowValue &to = registers_[in.to];
    FlowValue from = in.from >= 0 ? registers_[in.from] : FlowValue{};
    if (to.kind == FlowValue::Kind::path && in.immediate)
        to.path.steps.back().offset += in.value;
    else if (to.kind == FlowValue::Kind::path && from.kind == FlowValue::Kind::unknown)
        to.path.steps.back().indexed = true;
    else if (to.kind == FlowValue::Kind::unknown && from.kind == FlowValue::Kind::path) {
        to = from;
        to.path.steps.back().indexed = true;
    } else {
        // Of two paths, one is an index that was loaded; which one the pointer is cannot be told.
        to = {};
    }
}

bool Follower::call(const Instruction &in) {
    if (in.immediate)
        for (int i = 0; i < 6; ++i)
            if (is_result(argument_registers[i]) && found_.argument == no_type)
                // The constructor of a first member or of a base: what is stored tells more.
                found_.argument = meaning_.passed(next_ + static_cast<uint64_t>(in.target), i);
    forget_scratch();
    return true;
}

void Follower::forget(unsigned registers) {
    for (int reg = 0; reg < 16; ++reg)
        if (registers >> reg & 1)
            registers_[reg] = {};
}

void Follower::forget_scratch() {
    unsigned scratch = 0xffff;
    for (int reg : preserved)
        scratch &= ~(1u << reg);
    forget(scratch);
}

bool Follower::alive() const {
    for (int reg = 0; reg < 16; ++reg)
        if (is_result(reg))
            return true;
    return !slots_.empty();
}

bool Follower::step(const Instruction &in) {
    bool tested = tested_;
    tested_ = tested && in.kind == Kind::move; // moves keep the flags
    switch (in.kind) {
    case Kind::unknown:
    case Kind::jump_if_other:
        return false;
    case Kind::move:
        return move(in);
    case Kind::lea: {
        auto path = address(in);
        registers_[in.to] = path ? FlowValue{FlowValue::Kind::path, *path} : FlowValue{};
        return true;
    }
    case Kind::add:
        add(in);
        return true;
    case Kind::test:
        tested_ = in.memory ? load(in).kind == FlowValue::Kind::result : is_result(in.from);
        return true;
    case Kind::push:
    case Kind::pop:
        if (registers_[rsp].kind == FlowValue::Kind::path)
            registers_[rsp].path.steps.back().offset += in.kind == Kind::push ? -8 : 8;
        forget(in.written);
        return true;
    case Kind::call:
        return call(in);
    case Kind::jump:
        next_ += static_cast<uint64_t>(in.target);
        return meaning_.inside(next_);
    case Kind::jump_if_zero: // the way on is that of a pointer that is not null
        return tested;
    case Kind::jump_if_not_zero:
        next_ += static_cast<uint64_t>(in.target);
        return tested && meaning_.inside(next_);
    case Kind::return_:
        if (is_result(rax))
            found_.type = meaning_.returned();
        return false;
    case Kind::other:
        break;
    }
    forget(in.written);
    return !in.stores || store(in, {});
}

Instruction Follower::fetch() {
    uint8_t code[16];
    size_t size = meaning_.inside(pc_) ? image_.read(pc_, code, sizeof code) : 0;
    Instruction in = size ? decode_x86(code, size) : Instruction{};
    next_ = pc_ + in.length;
    return in;
}

bool Follower::reach(uint64_t end) {
    for (int count = 0; count < max_instructions && pc_ < end; ++count) {
        Instruction in = fetch();
        if (in.kind >= Kind::jump || !step(in))
            return false;
        pc_ = next_;
    }
    return pc_ == end;
}

FlowResult Follower::run() {
    forget_scratch();
    registers_[rax] = {FlowValue::Kind::result, {}};
    for (int count = 0; count < max_instructions && alive(); ++count) {
        uint32_t mask = 0;
        for (int reg = 0; reg < 16; ++reg)
            mask |= is_result(reg) ? 1u << dwarf_number[reg] : 0;
        found_.held.emplace_back(pc_, mask);
        Instruction in = fetch();
        if (!step(in))
            break;
        pc_ = next_;
    }
    return found_;
}

std::optional<StoreFlow> Follower::stored() {
    Instruction in = fetch();
    auto to = in.stores ? address(in) : std::nullopt;
    if (!to)
        return {};
    StoreFlow found{*to, {}, -1};
    if (in.kind == Kind::move && in.from >= 0) {
        found.value_register = dwarf_number[in.from];
        if (registers_[in.from].kind == FlowValue::Kind::path)
            found.value = registers_[in.from].path;
    }
    return found;
}

bool is_x86(const ElfImage &image) {
    GElf_Ehdr header;
    return gelf_getehdr(image.elf(), &header) && header.e_machine == EM_X86_64;
}

} // namespace

std::optional<StoreFlow> follow_store(const ElfImage &image,
                                      const std::vector<uint64_t> &statements, uint64_t pc,
                                      FlowMeaning &meaning) {
    for (uint64_t statement : statements) {
        if (!is_x86(image))
            break;
        Follower follower(image, statement, meaning);
        if (follower.reach(pc))
            return follower.stored();
    }
    return {};
}

FlowResult follow_result(const ElfImage &image, const std::vector<uint64_t> &statements,
                         uint64_t return_address, FlowMeaning &meaning) {
    if (!is_x86(image))
        return {};
    Follower follower(image, return_address, meaning);
    for (uint64_t statement : statements) {
        Follower before(image, statement, meaning);
        if (before.reach(return_address)) {
            follower.set_before(std::move(before.registers()));
            break;
        }
    }
    return follower.run();
}

} // namespace heapstory
