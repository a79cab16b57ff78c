// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/sequences.h"

#include "format/stream/steps.h"
#include "format/stream/words.h"

#include <utility>

namespace heapstory {

namespace {

using stream::Block;
using stream::Effect;
using stream::EffectKind;
using stream::Fault;
using stream::Range;
using stream::RegisterPart;
using stream::RegisterSet;
using stream::Sequence;

void write(ByteWriter &out, const std::vector<Range> &ranges) {
    out.varint(ranges.size());
    for (const Range &range : ranges) {
        out.varint(range.address);
        out.varint(range.size);
    }
}

std::vector<Range> read_ranges(ByteReader &in) {
    std::vector<Range> ranges(in.count());
    for (Range &range : ranges) {
        range.address = in.varint();
        range.size = in.varint();
    }
    return ranges;
}

// The words of a set that are not empty, one bit each, and then these.
void write(ByteWriter &out, const RegisterSet &set) {
    uint64_t present = 0;
    for (unsigned word = 0; word < RegisterSet::words; ++word)
        present |= uint64_t(set.part(word) != 0) << word;
    out.varint(present);
    for (unsigned word = 0; word < RegisterSet::words; ++word)
        if (present >> word & 1)
            out.varint(set.part(word));
}

RegisterSet read_registers(ByteReader &in) {
    RegisterSet set;
    uint64_t present = in.varint();
    for (unsigned word = 0; word < RegisterSet::words; ++word)
        if (present >> word & 1)
            set.add(RegisterPart{uint8_t(word), in.varint()});
    return set;
}

void write(ByteWriter &out, const Effect &effect) {
    out.varint(unsigned(effect.kind));
    out.varint(effect.address);
    write(out, effect.defined);
    write(out, effect.used);
    write(out, effect.registers_defined);
    write(out, effect.registers_used);
    write(out, effect.registers_addressed);
}

Effect read_effect(ByteReader &in) {
    Effect effect;
    uint64_t kind = in.varint();
    if (kind > unsigned(EffectKind::signal_return))
        throw FormatError("damaged effect");
    effect.kind = EffectKind(kind);
    effect.address = in.varint();
    effect.defined = read_ranges(in);
    effect.used = read_ranges(in);
    effect.registers_defined = read_registers(in);
    effect.registers_used = read_registers(in);
    effect.registers_addressed = read_registers(in);
    return effect;
}

void write_others(ByteWriter &out, const Sequence &sequence) {
    ByteWriter others;
    others.varint(sequence.switches.size());
    uint32_t last = 0;
    for (const stream::Switch &item : sequence.switches) {
        others.varint(item.step - std::exchange(last, item.step));
        others.varint(item.thread);
    }
    others.varint(sequence.faults.size());
    last = 0;
    for (const Fault &fault : sequence.faults) {
        others.varint(fault.step - std::exchange(last, fault.step));
        others.varint(fault.instructions);
    }
    others.varint(sequence.effects.size());
    for (const Effect &effect : sequence.effects)
        write(others, effect);
    pack(out, others.bytes);
}

void read_others(ByteReader &in, Sequence &into) {
    Bytes bytes = unpack(in);
    ByteReader others(bytes);
    auto next = [&](uint32_t last) {
        uint64_t step = last + others.varint();
        if (step > into.steps())
            throw FormatError("damaged list of a sequence");
        return uint32_t(step);
    };
    into.switches.resize(others.count());
    uint32_t last = 0;
    for (stream::Switch &item : into.switches) {
        item.step = last = next(last);
        item.thread = uint32_t(others.varint());
    }
    into.faults.resize(others.count());
    last = 0;
    for (Fault &fault : into.faults) {
        fault.step = last = next(last);
        fault.instructions = uint16_t(others.varint());
    }
    into.effects.clear();
    for (size_t left = others.count(); left; --left)
        into.effects.push_back(read_effect(others));
}

// Where the words of every step begin, and which effect it is.
void number_operands(std::span<const Block> blocks, Sequence &sequence) {
    uint32_t words = 0, effects = 0;
    sequence.operand.resize(sequence.steps());
    for (uint32_t at = 0; at < sequence.steps(); ++at) {
        uint32_t id = sequence.block[at];
        sequence.operand[at] = id ? words : effects++;
        if (id)
            words += blocks[id - 1].words;
    }
    sequence.words.resize(words);
}

} // namespace

Bytes encode_sequence(const Sequence &sequence, std::span<const Block> blocks,
                      std::span<const EventStep> events, ChunkHeader &header) {
    ByteWriter skipped, steps, out;
    uint64_t event = header.first_event;
    uint32_t step = 0;
    for (const EventStep &item : events) {
        skipped.varint(item.event - event);
        event = item.event + 1;
        steps.varint(item.step - std::exchange(step, item.step));
    }
    pack(out, skipped.bytes);
    pack(out, steps.bytes);
    header.head_length = uint32_t(out.bytes.size());
    header.events = uint32_t(events.size());
    header.first_word = sequence.first_step;
    header.slots = sequence.steps();
    encode_steps(sequence, out);
    encode_words(sequence, blocks, out);
    write_others(out, sequence);
    return std::move(out.bytes);
}

void decode_sequence(ByteSpan payload, const ChunkHeader &header, std::span<const Block> blocks,
                     Sequence &into) {
    if (header.slots > 2 * sequence_steps)
        throw FormatError("damaged number of steps");
    ByteReader in(payload);
    in.raw(header.head_length);
    into.first_step = header.first_word;
    decode_steps(in, header.slots, uint32_t(blocks.size()), into);
    number_operands(blocks, into);
    decode_words(in, blocks, header.version, into);
    read_others(in, into);
    uint32_t effects = 0;
    for (uint32_t at = 0; at < into.steps(); ++at)
        effects += into.block[at] == 0;
    if (effects != into.effects.size())
        throw FormatError("damaged effects of a sequence");
}

std::vector<EventStep> decode_event_steps(ByteSpan head, const ChunkHeader &header) {
    ByteReader in(head);
    Bytes skipped_bytes = unpack(in), step_bytes = unpack(in);
    ByteReader skipped(skipped_bytes), steps(step_bytes);
    if (header.events > step_bytes.size())
        throw FormatError("damaged events of a sequence");
    std::vector<EventStep> events(header.events);
    uint64_t event = header.first_event, step = 0;
    for (EventStep &item : events) {
        item.event = event += skipped.varint();
        ++event;
        step += steps.varint();
        if (step >= header.slots)
            throw FormatError("damaged events of a sequence");
        item.step = uint32_t(step);
    }
    return events;
}

} // namespace heapstory
