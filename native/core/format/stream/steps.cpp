// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/steps.h"

#include <vector>

namespace heapstory {

namespace {

// A step is its block << 8 | exit. Different histories may meet in one place of a table: the guess
// is then a bad one, and no more.
class History {
  public:
    static constexpr unsigned few_bits = 16, one_bits = 14;

    size_t after_few() const {
        uint64_t hash = last_ * factor;
        hash = (hash ^ second_) * factor;
        hash = (hash ^ third_) * factor;
        return (hash ^ fourth_) * factor >> (64 - few_bits);
    }
    size_t after_one() const { return last_ * factor >> (64 - one_bits); }
    void came(uint64_t step) {
        fourth_ = third_;
        third_ = second_;
        second_ = last_;
        last_ = step;
    }

  private:
    static constexpr uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t last_ = 0, second_ = 0, third_ = 0, fourth_ = 0;
};

// Of steps with block ids beyond 24 bits, which have never been seen, guesses are wrong.
struct Guesses {
    std::vector<uint32_t> few = std::vector<uint32_t>(size_t(1) << History::few_bits),
                          one = std::vector<uint32_t>(size_t(1) << History::one_bits);
};

struct Places { // in the tables of guesses
    uint16_t few, one;
};

std::vector<Places> places_of(const stream::Sequence &sequence) {
    std::vector<Places> places(sequence.steps());
    History history;
    for (uint32_t at = 0; at < sequence.steps(); ++at) {
        places[at] = {uint16_t(history.after_few()), uint16_t(history.after_one())};
        history.came(uint64_t(sequence.block[at]) << 8 | sequence.exit[at]);
    }
    return places;
}

} // namespace

void encode_steps(const stream::Sequence &sequence, ByteWriter &out) {
    // Not one after the other: finding a place takes a while, but nothing waits for it.
    const std::vector<Places> places = places_of(sequence);
    Guesses guesses;
    ByteWriter gaps, surprises, exits;
    uint32_t gap = 0;
    for (uint32_t at = 0; at < sequence.steps(); ++at, ++gap) {
        const uint64_t step = uint64_t(sequence.block[at]) << 8 | sequence.exit[at];
        uint32_t &few = guesses.few[places[at].few], &one = guesses.one[places[at].one];
        if (step != few) {
            gaps.varint(gap);
            gap = 0;
            if (step == one)
                surprises.varint(0);
            else {
                surprises.varint(uint64_t(sequence.block[at]) + 1);
                exits.fixed(sequence.exit[at]);
            }
            few = uint32_t(step);
        }
        one = uint32_t(step);
    }
    gaps.varint(gap); // up to the end
    for (const ByteWriter *column : {&gaps, &surprises, &exits})
        pack(out, column->bytes);
}

void decode_steps(ByteReader &in, uint32_t steps, uint32_t blocks, stream::Sequence &into) {
    Bytes gap_bytes = unpack(in), surprise_bytes = unpack(in), exit_bytes = unpack(in);
    ByteReader gaps(gap_bytes), surprises(surprise_bytes), exits(exit_bytes);
    History history;
    Guesses guesses;
    into.block.resize(steps);
    into.exit.resize(steps);
    // The first gap is counted from the start, later ones from the surprise before.
    uint64_t next = gaps.varint();
    for (uint32_t at = 0; at < steps; ++at) {
        uint32_t &few = guesses.few[history.after_few()], &one = guesses.one[history.after_one()];
        uint64_t step = few;
        if (at == next) {
            uint64_t surprise = surprises.varint();
            step = surprise ? (surprise - 1) << 8 | exits.fixed<uint8_t>() : one;
            next = at + gaps.varint();
        }
        if (step >> 8 > blocks)
            throw FormatError("damaged sequence of blocks");
        into.block[at] = uint32_t(step >> 8);
        into.exit[at] = uint8_t(step);
        few = one = uint32_t(step);
        history.came(step);
    }
}

} // namespace heapstory
