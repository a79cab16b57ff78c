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
    return tag >= HSW_BLOCK && tag <= HSW_STREAM_END;
}

bool StreamSeparator::ends_stream(const uint8_t *record) {
    return record_of(record).tag == HSW_STREAM_END;
}

const uint8_t *StreamSeparator::take(const uint8_t *at, const uint8_t *end) {
    while (at + record_bytes <= end) {
        const Record record = record_of(at);
        if (record.tag == HSW_EXECUTED && !ignores_ && !limit_)
            if (const uint8_t *next = take_executions(at, end); next != at) {
                at = next;
                continue;
            }
        if (record.tag == HSW_EXECUTED || record.tag == HSW_VOID) {
            if (!ignores_ && (builder_.is_full() || is_at_limit())) {
                builder_.goes_on(uint32_t(record.address));
                return at;
            }
            at = record.tag == HSW_VOID ? take_void(at, end) : take_executed(at, end);
            continue;
        }
        if (record.tag < HSW_FIRST_TAG) {
            at = take_stores(at, end);
            continue;
        }
        if (record.tag == HSW_STREAM_END)
            return at;
        const uint8_t *after = at + record_bytes;
        std::optional<Payload> payload = take_payload(record, after, end);
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

// The record of an execution has moved on: what stands behind it here is of that execution.
const uint8_t *StreamSeparator::take_void(const uint8_t *at, const uint8_t *end) {
    returned();
    is_ahead_ = true;
    const size_t length = builder_.brief(uint32_t(record_of(at).address)).record_length();
    return length > size_t(end - at) ? end : at + length;
}

const uint8_t *StreamSeparator::take_executions(const uint8_t *at, const uint8_t *end) {
    returned();
    const bool after_call =
        others_.size() >= record_bytes &&
        record_of(others_.data() + others_.size() - record_bytes).tag == HSW_CALL;
    const uint8_t *next = builder_.take_executions(at, end, after_call);
    is_ahead_ &= next == at;
    return next;
}

const uint8_t *StreamSeparator::take_executed(const uint8_t *at, const uint8_t *end) {
    returned();
    is_ahead_ = false;
    const Record record = record_of(at);
    const auto id = uint32_t(record.address);
    const auto exit = uint8_t(record.address >> 32);
    const StreamBuilder::Brief &brief = builder_.brief(id);
    const size_t length = brief.record_length();
    if (length > size_t(end - at))
        return end; // cut off
    const uint8_t *words = at + 8;
    if (!ignores_)
        builder_.executed(id, exit, words);
    if (brief.returns_unsaid && exit == stream::ran_to_end)
        if (const stream::Block &block = builder_.block(id);
            !block.accesses.empty() && ends_in_call(last_address(block, words) & HSW_ADDRESS_MASK))
            returns_from_ = others_.size();
    return at + length;
}

void StreamSeparator::take_stream(const Record &record, ByteSpan payload) {
    if (record.tag == HSW_BLOCK)
        return builder_.define(record, payload, !ignores_);
    if (ignores_)
        return;
    switch (record.tag) {
    case HSW_FAULT:
        faulted_ = record.address;
        return builder_.faulted(record.address);
    case HSW_PLACED_BY:
        placed_ = {record.address, record.value};
        return;
    case HSW_MOVED:
        moved_ = record;
        return;
    case HSW_MOVED_TO:
        return moved_to(record);
    case HSW_SYSTEM_READ:
        return builder_.system_read({record.address, record.value});
    case HSW_SYSTEM_WROTE:
        return builder_.system_wrote({record.address, record.value});
    case HSW_SYSTEM_CALL:
        return builder_.system_call(unsigned(record.address));
    case HSW_RESULT_FROM:
        return builder_.add_effect(result_from({record.address, record.value}));
    }
}

// The result in rax comes from this memory as well.
stream::Effect StreamSeparator::result_from(stream::Range memory) const {
    constexpr unsigned rax = 1 << 0;
    stream::Effect effect;
    effect.kind = stream::EffectKind::result;
    effect.address = builder_.instruction();
    effect.used.push_back(memory);
    effect.registers_defined.add_general(rax);
    effect.registers_used.add_general(rax);
    return effect;
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
    if (const stream::Range place = std::exchange(placed_, {}); place.size)
        effect.used.push_back(place);
    builder_.moved(std::move(effect));
}

// The bytes that a reallocation took along.
void StreamSeparator::reallocated(const Record &old) {
    if (old.address == reallocated_.address)
        return;
    const uint64_t kept = std::min(old.value, reallocated_.length());
    stream::Effect effect;
    effect.address = builder_.instruction();
    effect.defined.push_back({reallocated_.address, kept});
    effect.used.push_back({old.address, kept});
    builder_.add_effect(std::move(effect));
}

uint32_t StreamSeparator::step() const {
    return is_ahead_ && !builder_.is_empty() ? builder_.step() + 1 : builder_.step();
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
    if (!ignores_)
        note_effect(record);
    add_other(bytes);
}

// Those that follow one another, of one block.
const uint8_t *StreamSeparator::take_stores(const uint8_t *at, const uint8_t *end) {
    const uint8_t *first = at;
    do
        at += record_bytes;
    while (at + record_bytes <= end && record_of(at).tag < HSW_FIRST_TAG);
    returns_from_.reset();
    add_other({first, at});
    return at;
}

void StreamSeparator::add_other(ByteSpan bytes) {
    const RecordStep now{others_.size(), step()};
    if (steps_.empty() || steps_.back().step != now.step)
        steps_.push_back(now);
    others_.insert(others_.end(), bytes.begin(), bytes.end());
}

// Some of the others mean something for the stream as well.
void StreamSeparator::note_effect(const Record &record) {
    // The kernel says to a signal's handler: which, how it came, and where it was; rax is 0.
    constexpr unsigned rax = 1 << 0, rdx = 1 << 2, rsi = 1 << 6, rdi = 1 << 7;
    constexpr unsigned handed_over = rax | rdx | rsi | rdi;
    stream::Effect effect;
    switch (record.tag) {
    case HSW_SITE: {
        const size_t id = record.value & 0xffffff;
        sites_.resize(std::max(sites_.size(), id + 1));
        sites_[id] = record.address;
        return;
    }
    case HSW_SWITCH:
        faulted_ = 0;
        return builder_.switch_to(uint32_t(record.address));
    case HSW_SIGNAL:
        effect.kind = stream::EffectKind::signal;
        effect.address = faulted_ ? std::exchange(faulted_, 0) : builder_.instruction();
        effect.registers_defined.add_general(handed_over);
        return builder_.add_effect(std::move(effect));
    case HSW_SIGRETURN:
        effect.kind = stream::EffectKind::signal_return;
        return builder_.add_effect(std::move(effect));
    case HSW_ALLOC:
        if (record.kind() != HSW_CALLOC)
            return;
        effect.kind = stream::EffectKind::allocation;
        effect.address = builder_.instruction();
        effect.defined.push_back({record.address, record.length()});
        return builder_.add_effect(std::move(effect));
    case HSW_REALLOC:
        reallocated_ = record;
        return;
    case HSW_REALLOC_OLD:
        return reallocated(record);
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

void StreamSeparator::finish() {
    returned();
    finished_ = true;
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
    finished_ = false;
}

} // namespace heapstory
