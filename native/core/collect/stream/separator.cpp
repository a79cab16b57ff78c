// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/stream/separator.h"

#include "heapstory_wire.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heapstory {

namespace {

constexpr size_t record_bytes = 16;

Record record_of(const uint8_t *at) {
    uint64_t words[2];
    std::memcpy(words, at, sizeof words);
    return {uint32_t(words[0] >> HSW_ADDRESS_BITS), words[0] & HSW_ADDRESS_MASK, words[1]};
}

// What is said of code when it is translated, perhaps between a block and the next.
bool is_translation(uint32_t tag) {
    return tag == HSW_SITE || tag == HSW_RECEIVER;
}

constexpr unsigned rax = 0, rdx = 2;

// The address of a block's last access.
uint64_t last_address(const stream::Block &block, const uint8_t *words) {
    const stream::Access &last = block.accesses.back();
    uint64_t base = 0;
    if (last.word != stream::no_word)
        std::memcpy(&base, words + 8 * size_t(last.word), 8);
    return base + uint64_t(last.displacement);
}

} // namespace

bool StreamSeparator::is_stream(uint32_t tag) {
    return tag >= HSW_BLOCK && tag <= HSW_SYSTEM_WROTE;
}

const uint8_t *StreamSeparator::take(const uint8_t *at, const uint8_t *end) {
    while (at + record_bytes <= end) {
        const Record record = record_of(at);
        if (record.tag == HSW_EXECUTED) {
            if (builder_.is_full())
                return at;
            at = take_executed(at, end);
            continue;
        }
        const uint8_t *after = at + record_bytes;
        std::optional<Payload> payload;
        if (record.tag < HSW_FIRST_TAG)
            payload.emplace();
        else
            payload = take_payload(record, after, end);
        if (!payload)
            return end; // cut off
        if (is_stream(record.tag))
            take_stream(record, payload->bytes);
        else
            take_other(record, {at, after});
        at = after;
    }
    return end;
}

const uint8_t *StreamSeparator::take_executed(const uint8_t *at, const uint8_t *end) {
    returned();
    const Record record = record_of(at);
    const auto id = uint32_t(record.address);
    const auto exit = uint8_t(record.address >> 32);
    const stream::Block &block = builder_.block(id);
    const size_t length = (8 + 8 * size_t(block.words) + 15) & ~size_t(15);
    if (length > size_t(end - at))
        return end; // cut off
    const uint8_t *words = at + 8;
    builder_.executed(id, exit, words);
    if (block.jump == stream::Jump::ret && !block.own && exit == stream::ran_to_end &&
        !block.accesses.empty() && ends_in_call(last_address(block, words) & HSW_ADDRESS_MASK))
        returns_from_ = others_.size();
    return at + length;
}

void StreamSeparator::take_stream(const Record &record, ByteSpan payload) {
    switch (record.tag) {
    case HSW_BLOCK:
        return builder_.define(record, payload);
    case HSW_FAULT:
        return builder_.faulted(record.address);
    case HSW_MOVED:
        moved_ = record;
        return;
    case HSW_MOVED_TO:
        return moved_to(record);
    case HSW_SYSTEM_WROTE:
        return builder_.system_wrote({record.address, record.value});
    }
}

void StreamSeparator::moved_to(const Record &record) {
    const auto raw = uint32_t(record.value);
    stream::Effect effect;
    effect.address = raw < sites_.size() && sites_[raw] ? sites_[raw] : address_of_site_(raw);
    effect.defined.push_back({record.address, moved_.value});
    if (moved_.address)
        effect.used.push_back({moved_.address, moved_.value});
    else
        effect.kind = stream::EffectKind::fill;
    builder_.effect(std::move(effect));
}

void StreamSeparator::take_other(const Record &record, ByteSpan bytes) {
    if (record.tag == HSW_START)
        return;
    if (record.tag == HSW_SWITCH || record.tag == HSW_SIGNAL)
        returned(); // the block has come to its end
    else if (!is_translation(record.tag))
        returns_from_.reset();
    if (record.tag == HSW_RET && ends_in_call(record.address))
        return take_back(others_.size());
    note_effect(record);
    const RecordStep now{others_.size(), builder_.step()};
    if (steps_.empty() || steps_.back().step != now.step)
        steps_.push_back(now);
    others_.insert(others_.end(), bytes.begin(), bytes.end());
}

// Some of the others mean something for the stream as well.
void StreamSeparator::note_effect(const Record &record) {
    stream::Effect effect;
    switch (record.tag) {
    case HSW_SITE: {
        const size_t id = record.value & 0xffffff;
        sites_.resize(std::max(sites_.size(), id + 1));
        sites_[id] = record.address;
        return;
    }
    case HSW_SWITCH:
        return builder_.switch_to(uint32_t(record.address));
    case HSW_SIGRETURN:
        effect.used.push_back({record.address, 0}); // tells the end from the beginning
        [[fallthrough]];
    case HSW_SIGNAL:
        effect.kind = stream::EffectKind::signal;
        return builder_.effect(std::move(effect));
    case HSW_ALLOC:
    case HSW_REALLOC:
        if (record.kind() == HSW_CUSTOM || record.kind() & HSW_TRUTH)
            return; // the program's own code made it
        effect.kind = stream::EffectKind::allocation;
        effect.address = builder_.last_instruction();
        // Replaced functions ask the tool by a client request, which answers in rdx.
        effect.registers_used.add(stream::general_registers + 8 * rax, 8);
        effect.registers_defined.add(stream::general_registers + 8 * rdx, 8);
        return builder_.effect(std::move(effect));
    }
}

void StreamSeparator::returned() {
    if (returns_from_)
        take_back(*returns_from_);
    returns_from_.reset();
}

// Whether the last record is a call whose return address lies at `slot`.
bool StreamSeparator::ends_in_call(uint64_t slot) const {
    if (others_.size() < record_bytes)
        return false;
    const Record last = record_of(others_.data() + others_.size() - record_bytes);
    return last.tag == HSW_CALL && last.address == slot;
}

// Drops the call that ends there.
void StreamSeparator::take_back(size_t call_end) {
    const auto end = others_.begin() + ptrdiff_t(call_end);
    others_.erase(end - record_bytes, end);
    for (auto step = steps_.rbegin(); step != steps_.rend() && step->offset >= call_end; ++step)
        step->offset -= record_bytes;
    while (!steps_.empty() && steps_.back().offset >= others_.size())
        steps_.pop_back();
}

size_t StreamSeparator::settled() const {
    if (finished_)
        return others_.size();
    size_t end = returns_from_.value_or(others_.size());
    while (end >= record_bytes && record_of(others_.data() + end - record_bytes).tag == HSW_CALL)
        end -= record_bytes;
    return end;
}

void StreamSeparator::drop_others() {
    const size_t dropped = settled();
    others_.erase(others_.begin(), others_.begin() + ptrdiff_t(dropped));
    if (returns_from_)
        *returns_from_ -= dropped;
    steps_.clear();
    if (!others_.empty())
        steps_.push_back({0, builder_.step()});
}

} // namespace heapstory
