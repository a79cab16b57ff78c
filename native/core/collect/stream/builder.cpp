// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/stream/builder.h"

#include "heapstory_wire.h"
#include "stream/effects.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

namespace heapstory {

namespace {

static_assert(HSW_TO_THE_END == stream::ran_to_end && HSW_UNFINISHED == stream::broke_off &&
              HSW_NO_WORD == stream::no_word && HSW_JUMP_OTHER == unsigned(stream::Jump::other));

// General registers as bits.
constexpr unsigned rax = 1 << 0, rcx = 1 << 1, rsi = 1 << 6, rdi = 1 << 7, r11 = 1 << 11;

template <class T> T take(ByteReader &in) {
    return in.fixed<T>();
}

stream::Access access_of(const hsw_access &from) {
    stream::Access access;
    access.instruction = from.instruction;
    access.kind = from.is_store ? stream::AccessKind::store : stream::AccessKind::load;
    access.size = from.size;
    access.word = from.word;
    access.displacement = from.displacement;
    access.guard = from.guard;
    if (from.is_store) {
        access.value = from.value;
        access.constant = from.value == HSW_NO_WORD ? from.constant : 0;
    }
    return access;
}

stream::Block block_of(ByteSpan payload) {
    ByteReader in(payload);
    const auto from = take<hsw_block>(in);
    stream::Block block;
    block.address = from.address;
    block.jump = stream::Jump(std::min<unsigned>(from.jump, HSW_JUMP_OTHER));
    block.own = from.own;
    block.words = from.words;
    block.stack_word = from.stack_word;
    block.stub = from.stub;
    block.stub_uses = from.stub ? from.stub_result : 0;
    ByteSpan code = in.raw((from.code + 7u) & ~7u).first(from.code);
    block.code.assign(code.begin(), code.end());
    for (unsigned i = 0; i < from.accesses; ++i)
        block.accesses.push_back(access_of(take<hsw_access>(in)));
    for (unsigned i = 0; i < from.exits; ++i) {
        const auto exit = take<hsw_exit>(in);
        block.exits.push_back({exit.instruction, exit.accesses});
    }
    return block;
}

} // namespace

void StreamBuilder::fail_unknown() {
    throw std::runtime_error("the recorder ran a block that it had not described");
}

// Growing by a step at a time would be most of the work.
void StreamBuilder::make_room() {
    const uint64_t first_step = now_.sequence.first_step;
    now_.spares = spares_;
    now_.sequence = spares_->take();
    now_.sequence.effects.clear();
    now_.sequence.switches.clear();
    now_.sequence.faults.clear();
    now_.sequence.first_step = first_step;
    now_.sequence.block.resize(sequence_steps);
    now_.sequence.exit.resize(sequence_steps);
    now_.sequence.operand.resize(sequence_steps);
    now_.sequence.words.resize(
        std::max<size_t>(now_.sequence.words.capacity(), 2 * sequence_steps));
    count_ = 0;
    words_ = 0;
}

uint16_t StreamBuilder::Known::before(uint64_t address) const {
    const auto found = std::ranges::lower_bound(starts, address - block.address);
    const bool begins = found != starts.end() && *found == address - block.address;
    return begins ? uint16_t(found - starts.begin()) : 0;
}

void StreamBuilder::define(const Record &record, ByteSpan payload, bool is_kept) {
    if (record.address != blocks_.size() + 1)
        throw std::runtime_error("the recorder left out the description of a block");
    Known &added = blocks_.emplace_back(block_of(payload));
    const auto from = ByteReader(payload).fixed<hsw_block>();
    if (added.block.stub) {
        added.where.add_general(from.stub_where);
        added.what.add_general(from.stub_what);
    }
    for (const stream::Instruction &one : stream::effects_of(added.block).instructions)
        added.starts.push_back(uint16_t(one.address - added.block.address));
    const auto all = uint16_t(added.starts.size());
    briefs_.push_back({uint32_t(exits_.size()), added.block.words, all,
                       uint8_t(std::min<size_t>(added.block.exits.size(), stream::broke_off)),
                       from.jump == HSW_JUMP_RETURN && !from.own && !from.left_out});
    for (const stream::Exit &exit : added.block.exits)
        exits_.push_back(std::min(uint16_t(exit.instruction + 1), all));
    if (!is_kept)
        return;
    now_.blocks.push_back(added.block);
    for (uint16_t start : added.starts)
        if (added.block.own)
            now_.instructions_met.push_back(added.block.address + start);
}

void StreamBuilder::add_step(uint32_t block, uint8_t exit, size_t operand) {
    stream::Sequence &sequence = now_.sequence;
    if (count_ == 0 && sequence.switches.empty())
        sequence.switches.push_back({0, thread_});
    if (count_ == sequence.block.size()) {
        sequence.block.resize(2 * count_);
        sequence.exit.resize(2 * count_);
        sequence.operand.resize(2 * count_);
    }
    sequence.block[count_] = block;
    sequence.exit[count_] = exit;
    sequence.operand[count_++] = uint32_t(operand);
}

void StreamBuilder::executed(uint32_t id, uint8_t exit, const uint8_t *words) {
    const Brief &ran = brief(id);
    std::vector<uint64_t> &all = now_.sequence.words;
    goes_on(id);
    Place &place = *place_;
    add_step(id, exit, words_);
    if (all.size() - words_ < ran.words) [[unlikely]]
        all.resize(2 * all.size() + ran.words);
    for (uint64_t *to = all.data() + words_, *end = to + ran.words; to < end; ++to, words += 8)
        std::memcpy(to, words, 8);
    words_ += ran.words;
    place.step = step();
    place.block = id;
    place.unfinished = exit == stream::broke_off;
    if (!place.unfinished)
        now_.instructions += this->ran(ran, exit);
}

// The state is held in locals meanwhile: what is written might otherwise be the state itself, for
// all the compiler knows.
const uint8_t *StreamBuilder::take_executions(const uint8_t *at, const uint8_t *end,
                                              bool beware_returns) {
    stream::Sequence &sequence = now_.sequence;
    if (place_->unfinished || count_ == 0)
        return at;
    uint32_t *block = sequence.block.data(), *operand = sequence.operand.data();
    uint8_t *exit = sequence.exit.data();
    uint64_t *words = sequence.words.data();
    const Brief *briefs = briefs_.data();
    const uint16_t *exits = exits_.data();
    const size_t n_blocks = briefs_.size(), n_words = sequence.words.size();
    uint32_t count = count_, instructions = 0;
    size_t used = words_;
    while (end - at >= 16 && count < sequence_steps) {
        uint64_t first;
        std::memcpy(&first, at, 8);
        const auto id = uint32_t(first), tag = uint32_t(first >> HSW_ADDRESS_BITS);
        const auto left = uint8_t(first >> 32);
        if (tag != HSW_EXECUTED || id - 1 >= n_blocks || left == stream::broke_off)
            break;
        const Brief ran = briefs[id - 1];
        if (ran.record_length() > size_t(end - at) || n_words - used < ran.words ||
            (ran.returns_unsaid && beware_returns))
            break;
        block[count] = id;
        exit[count] = left;
        operand[count++] = uint32_t(used);
        for (unsigned i = 0; i < ran.words; ++i)
            std::memcpy(words + used + i, at + 8 + 8 * i, 8);
        used += ran.words;
        instructions += left < ran.exits ? exits[ran.first_exit + left] : ran.instructions;
        at += ran.record_length();
    }
    if (count > count_) {
        place_->step = count - 1;
        place_->block = block[count - 1];
    }
    count_ = count;
    words_ = used;
    now_.instructions += instructions;
    return at;
}

void StreamBuilder::goes_on(uint32_t id) {
    if (place_->unfinished)
        left_at(*place_, known(id).block.address);
}

void StreamBuilder::left_at(Place &place, uint64_t address) {
    const uint16_t completed = known(place.block).before(address);
    now_.sequence.faults.push_back({place.step, completed});
    now_.instructions += completed;
    place.unfinished = false;
}

void StreamBuilder::faulted(uint64_t instruction) {
    if (!running())
        return;
    reopen(*place_, instruction);
    if (place_->unfinished)
        left_at(*place_, instruction);
}

// What the tool does in place of a rep instruction, it does behind the end of the block: where that
// faulted, the block has not come to its end.
void StreamBuilder::reopen(Place &place, uint64_t instruction) {
    const Known &ran = known(place.block);
    if (place.unfinished || place.step >= count_ || !ran.ends_in_repeat() ||
        instruction != ran.effective())
        return;
    uint8_t &exit = now_.sequence.exit[place.step];
    if (exit != stream::ran_to_end)
        return;
    exit = stream::broke_off;
    now_.instructions -= uint32_t(ran.starts.size());
    place.unfinished = true;
}

void StreamBuilder::switch_to(uint32_t thread) {
    thread_ = thread;
    place_ = &places_[thread];
    std::vector<stream::Switch> &switches = now_.sequence.switches;
    const uint32_t next = count_;
    if (!switches.empty() && switches.back().step == next)
        switches.pop_back(); // nothing ran in between
    switches.push_back({next, thread});
}

void StreamBuilder::add_effect(stream::Effect effect) {
    add_step(0, stream::ran_to_end, now_.sequence.effects.size());
    now_.sequence.effects.push_back(std::move(effect));
}

const StreamBuilder::Known *StreamBuilder::running() const {
    return place_->block ? &known(place_->block) : nullptr;
}

uint64_t StreamBuilder::Known::effective() const {
    const size_t instruction = block.stub ? block.stub : starts.size();
    return instruction && instruction <= starts.size() ? block.address + starts[instruction - 1]
                                                       : block.address;
}

bool StreamBuilder::Known::ends_in_repeat() const {
    constexpr uint8_t rep = 0xf3, operand_size = 0x66;
    if (starts.empty())
        return false;
    const uint8_t first = block.code[starts.back()];
    return block.jump == stream::Jump::plain && (first == rep || first == operand_size);
}

uint64_t StreamBuilder::instruction() const {
    const Known *ran = running();
    return ran ? ran->effective() : 0;
}

void StreamBuilder::moved(stream::Effect effect) {
    const bool is_fill = effect.kind == stream::EffectKind::fill;
    const Known *ran = running();
    if (ran && ran->block.stub) {
        effect.registers_addressed = ran->where;
        if (is_fill)
            effect.registers_used = ran->what;
    } else { // a rep instruction
        effect.registers_addressed.add_general(is_fill ? rcx | rdi : rcx | rsi | rdi);
        effect.registers_used.add_general(is_fill ? rax : 0);
    }
    add_effect(std::move(effect));
}

void StreamBuilder::system_call(unsigned registers_read) {
    stream::Effect &call = place_->call;
    call.kind = stream::EffectKind::system_call;
    call.address = instruction();
    call.registers_used.add_general(registers_read);
    call.registers_defined.add_general(registers_read ? rax | rcx | r11 : 0);
    add_effect(std::exchange(call, {}));
}

GatheredSequence StreamBuilder::take(uint64_t next_event) {
    stream::Sequence &sequence = now_.sequence;
    for (auto &[thread, place] : places_) {
        if (std::exchange(place.unfinished, false)) // how far it came is not known
            sequence.faults.push_back({place.step, 0});
        place.step = gone;
    }
    // Records of a block may stand before its own: where that never came, they are of the last one.
    for (auto event = now_.events.rbegin(); event != now_.events.rend() && event->step >= count_;
         ++event)
        event->step = step();
    std::ranges::sort(sequence.faults, {}, &stream::Fault::step);
    sequence.block.resize(count_);
    sequence.exit.resize(count_);
    sequence.operand.resize(count_);
    sequence.words.resize(words_);
    const uint64_t first_step = sequence.first_step + count_;
    const uint64_t first_instruction = instructions();
    GatheredSequence taken = std::exchange(now_, {});
    sequence.first_step = first_step;
    now_.first_instruction = first_instruction;
    now_.first_event = next_event;
    make_room();
    return taken;
}

} // namespace heapstory
