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

const stream::Block &StreamBuilder::block(uint32_t id) const {
    if (!id || id > blocks_.size())
        throw std::runtime_error("the recorder ran a block that it had not described");
    return blocks_[id - 1];
}

void StreamBuilder::define(const Record &record, ByteSpan payload) {
    if (record.address != blocks_.size() + 1)
        throw std::runtime_error("the recorder left out the description of a block");
    blocks_.push_back(block_of(payload));
    now_.blocks.push_back(blocks_.back());
}

void StreamBuilder::add_step(uint32_t block, uint8_t exit, size_t operand) {
    stream::Sequence &sequence = now_.sequence;
    if (sequence.block.empty() && sequence.switches.empty())
        sequence.switches.push_back({0, thread_});
    sequence.block.push_back(block);
    sequence.exit.push_back(exit);
    sequence.operand.push_back(uint32_t(operand));
}

void StreamBuilder::executed(uint32_t id, uint8_t exit, const uint8_t *words) {
    const stream::Block &ran = block(id);
    stream::Sequence &sequence = now_.sequence;
    Place &place = places_[thread_];
    if (place.unfinished) // the tool left it there, to go on here
        left_at(place, ran.address);
    const size_t operand = sequence.words.size();
    add_step(id, exit, operand);
    sequence.words.resize(operand + ran.words);
    if (ran.words)
        std::memcpy(sequence.words.data() + operand, words, 8 * size_t(ran.words));
    place = {step(), id, exit == stream::broke_off};
}

uint16_t StreamBuilder::instructions_before(uint32_t id, uint64_t address) const {
    const stream::Effects effects = stream::effects_of(block(id));
    for (size_t i = 0; i < effects.instructions.size(); ++i)
        if (effects.instructions[i].address == address)
            return uint16_t(i);
    return 0;
}

void StreamBuilder::left_at(Place &place, uint64_t address) {
    now_.sequence.faults.push_back({place.step, instructions_before(place.block, address)});
    place.unfinished = false;
}

void StreamBuilder::faulted(uint64_t instruction) {
    if (auto at = places_.find(thread_); at != places_.end() && at->second.unfinished)
        left_at(at->second, instruction);
}

void StreamBuilder::switch_to(uint32_t thread) {
    thread_ = thread;
    std::vector<stream::Switch> &switches = now_.sequence.switches;
    const uint32_t next = now_.sequence.steps();
    if (!switches.empty() && switches.back().step == next)
        switches.pop_back(); // nothing ran in between
    switches.push_back({next, thread});
}

void StreamBuilder::effect(stream::Effect effect) {
    add_step(0, stream::ran_to_end, now_.sequence.effects.size());
    now_.sequence.effects.push_back(std::move(effect));
}

uint64_t StreamBuilder::last_instruction() const {
    auto at = places_.find(thread_);
    if (at == places_.end())
        return 0;
    const stream::Effects effects = stream::effects_of(block(at->second.block));
    return effects.instructions.empty() ? 0 : effects.instructions.back().address;
}

void StreamBuilder::system_wrote(stream::Range range) {
    std::vector<stream::Effect> &effects = now_.sequence.effects;
    const bool goes_on = !now_.sequence.block.empty() && !now_.sequence.block.back() &&
                         effects.back().kind == stream::EffectKind::system_call;
    if (goes_on) {
        effects.back().defined.push_back(range);
        return;
    }
    stream::Effect written;
    written.kind = stream::EffectKind::system_call;
    written.address = last_instruction();
    written.defined.push_back(range);
    effect(std::move(written));
}

GatheredSequence StreamBuilder::take(uint64_t next_event) {
    stream::Sequence &sequence = now_.sequence;
    for (auto &[thread, place] : places_)
        if (place.unfinished) // how far it came is not known
            sequence.faults.push_back({place.step, 0});
    places_.clear();
    std::ranges::sort(sequence.faults, {}, &stream::Fault::step);
    const uint64_t first_step = sequence.first_step + sequence.steps();
    GatheredSequence taken = std::exchange(now_, {});
    sequence.first_step = first_step;
    now_.first_event = next_event;
    return taken;
}

} // namespace heapstory
