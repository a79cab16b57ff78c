// Follows the arguments of a function forwards to a call. Code with loops or loads through pointers
// is given up at once, so one pass in the order of the addresses is enough: what reaches an
// instruction from further up was noted when the jump was read.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/handing.h"

#include "symbols/receiver/x86.h"

#include <array>
#include <map>

namespace heapstory {

namespace {

using Kind = Instruction::Kind;

constexpr uint64_t most_code = 1u << 14; // bytes; who only hands on is short
constexpr int stack_pointer = 4, frame_pointer = 5;
constexpr Arguments argument_registers = 0x03c6; // rcx rdx rsi rdi r8 r9
constexpr uint16_t lost_by_calls = 0x0fc7;       // and rax r10 r11
constexpr Arguments whatever = 0xffff;

struct Step {
    uint64_t address = 0;
    Instruction instruction;
    bool is_padding = false;
    std::vector<Place> places;
};

// From which arguments the registers and the words of the frame come.
struct Origins {
    std::array<Arguments, 16> registers{};
    std::map<std::pair<int, int64_t>, Arguments> words;
    Arguments other_words = 0;
    uint16_t sums = 0; // registers that hold a sum
    bool has_frame = false;

    Arguments word(const std::pair<int, int64_t> &at) const {
        auto found = words.find(at);
        return found == words.end() ? other_words : found->second;
    }
    void join(const Origins &other) {
        auto both = [](Arguments a, Arguments b) { return a && b ? Arguments(a | b) : 0; };
        for (size_t i = 0; i < registers.size(); ++i)
            registers[i] = Arguments(both(registers[i], other.registers[i]));
        for (const auto &[at, origin] : other.words)
            words.try_emplace(at, other_words);
        for (auto &[at, origin] : words)
            origin = Arguments(both(origin, other.word(at)));
        sums &= other.sums;
        has_frame = has_frame && other.has_frame;
    }
};

bool is_padding(const uint8_t *code, size_t size) { // nop with an operand in memory
    while (size && (*code == 0x66 || *code == 0x2e))
        ++code, --size;
    return size > 1 && code[0] == 0x0f && code[1] == 0x1f;
}

std::vector<Step> steps_of(ElfFile &file, const ElfFile::Function &function) {
    std::vector<uint8_t> code = file.bytes(function.address, function.size);
    std::vector<Step> steps;
    for (size_t at = 0; at < code.size();) {
        Step step{function.address + at, decode_x86(&code[at], code.size() - at), false, {}};
        if (!step.instruction.length)
            return {};
        step.is_padding = is_padding(&code[at], code.size() - at);
        step.places = file.places(step.address);
        at += step.instruction.length;
        steps.push_back(std::move(step));
    }
    return steps;
}

// Whether an instruction belongs to the function at a level of other places, or what that inlined.
bool belongs(const std::vector<Place> &places, const std::vector<Place> &others, size_t level) {
    size_t callers = others.size() - level - 1;
    if (places.size() <= callers)
        return false;
    if (places[places.size() - callers - 1].function != others[level].function)
        return false;
    for (size_t i = 1; i <= callers; ++i) {
        const Place &one = places[places.size() - i], &other = others[others.size() - i];
        if (one.function != other.function || one.line != other.line || one.path != other.path)
            return false;
    }
    return true;
}

class Follower {
  public:
    Follower(const std::vector<Step> &steps, const Step &call, size_t level, Arguments wanted)
        : steps_(steps), call_(call), level_(level), wanted_(wanted),
          inlined_(level + 1 < call.places.size()) {
        start_.other_words = inlined_ ? whatever : 0;
        for (int i = 0; i < 16; ++i)
            if (inlined_ || argument_registers >> i & 1)
                start_.registers[size_t(i)] = inlined_ ? whatever : Arguments(1u << i);
    }
    Arguments follow();

  private:
    using Word = std::pair<int, int64_t>;
    bool may(const Step &step); // what the step does is no more than handing on
    void step(const Instruction &instruction, bool own);
    bool on_stack(const Instruction &instruction) const {
        return instruction.memory && instruction.index == Instruction::none &&
               (instruction.base == stack_pointer ||
                (instruction.base == frame_pointer && now_.has_frame));
    }
    static bool is_fixed(const Instruction &instruction) {
        return instruction.index == Instruction::none &&
               (instruction.base == Instruction::next_address ||
                instruction.base == Instruction::none);
    }
    static bool is_jump(Kind kind) { return kind >= Kind::jump && kind <= Kind::jump_if_other; }
    static uint64_t target(const Step &step) {
        return step.address + step.instruction.length + uint64_t(step.instruction.target);
    }
    void set(int reg, Arguments origin, bool sum = false) {
        if (reg < 0)
            return;
        now_.registers[size_t(reg)] = origin;
        now_.sums = uint16_t((now_.sums & ~(1u << reg)) | unsigned(sum) << reg);
    }

    const std::vector<Step> &steps_;
    const Step &call_;
    size_t level_;
    Arguments wanted_;
    bool inlined_;
    Origins start_, now_;
};

bool Follower::may(const Step &step) {
    const Instruction &i = step.instruction;
    if (i.kind == Kind::unknown)
        return false;
    if (i.kind == Kind::call)
        return &step == &call_;
    if (is_jump(i.kind)) {
        uint64_t to = target(step), end = steps_.back().address + steps_.back().instruction.length;
        return i.immediate && to > step.address && to < end;
    }
    if (!i.memory || i.kind == Kind::lea || step.is_padding || on_stack(i))
        return true;
    bool changes_pointer =
        i.kind == Kind::move && i.stores && (i.from < 0 || !(now_.sums >> i.from & 1));
    return is_fixed(i) && !changes_pointer;
}

void Follower::step(const Instruction &i, bool own) {
    Arguments computed = own ? 0 : whatever; // by the caller: it hands that over
    Word word{i.base, i.displacement};
    switch (i.kind) {
    case Kind::move:
        if (i.stores) {
            if (on_stack(i))
                now_.words[word] = i.from < 0 ? computed : now_.registers[size_t(i.from)];
        } else if (i.memory) {
            set(i.to, on_stack(i) ? now_.word(word) : computed);
        } else {
            set(i.to, now_.registers[size_t(i.from)], now_.sums >> i.from & 1);
            if (i.to == frame_pointer)
                now_.has_frame = i.from == stack_pointer;
        }
        break;
    case Kind::lea:
        set(i.to, i.base >= 0 && i.index < 0 ? now_.registers[size_t(i.base)] : computed, true);
        break;
    case Kind::add:
        if (i.to >= 0)
            set(i.to, i.immediate ? now_.registers[size_t(i.to)] : computed, true);
        break;
    case Kind::call:
        for (int reg = 0; reg < 16; ++reg)
            if (lost_by_calls >> reg & 1)
                set(reg, computed);
        break;
    default:
        for (int reg = 0; reg < 16; ++reg)
            if (i.written >> reg & 1)
                set(reg, computed);
        if (on_stack(i) && i.stores)
            now_.words[word] = computed;
    }
}

Arguments Follower::follow() {
    std::map<uint64_t, Origins> from_above;
    bool falls_through = true;
    Arguments found = 0;
    now_ = start_;
    for (const Step &step : steps_) {
        auto joined = from_above.find(step.address);
        if (joined != from_above.end()) {
            if (falls_through)
                now_.join(joined->second);
            else
                now_ = joined->second;
        } else if (!falls_through) {
            now_ = start_;
        }
        bool own = belongs(step.places, call_.places, level_);
        if (own && !may(step))
            return 0;
        if (&step == &call_)
            for (int reg = 0; reg < 16; ++reg)
                if (wanted_ >> reg & 1)
                    found |= now_.registers[size_t(reg)];
        Kind kind = step.instruction.kind;
        this->step(step.instruction, own);
        falls_through = kind != Kind::jump && kind != Kind::return_ && kind != Kind::unknown;
        if (is_jump(kind) && step.instruction.immediate) {
            auto [at, fresh] = from_above.try_emplace(target(step), now_);
            if (!fresh)
                at->second.join(now_);
        }
    }
    return found;
}

} // namespace

std::vector<Arguments> handed_on(ElfFile &file, uint64_t address, Arguments arguments) {
    std::vector<Arguments> found(file.places(address).size());
    std::optional<ElfFile::Function> function = file.function(address);
    if (!function || address - function->address >= function->size || function->size > most_code)
        return found;
    std::vector<Step> steps = steps_of(file, *function);
    for (Step &step : steps) {
        bool is_it = address - step.address < step.instruction.length;
        if (!is_it || step.instruction.kind != Kind::call)
            continue;
        step.places = file.places(address);
        for (size_t level = 0; level < found.size(); ++level)
            found[level] = Follower(steps, step, level, arguments).follow();
    }
    return found;
}

} // namespace heapstory
