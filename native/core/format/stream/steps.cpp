// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/steps.h"

#include <vector>

namespace heapstory {

namespace {

// A step is its block << 8 | exit.
class Prediction {
  public:
    uint64_t after_few() const { return *few_guess_; }
    uint64_t after_one() const { return *one_guess_; }
    void came(uint64_t step) {
        *few_guess_ = *one_guess_ = step;
        for (unsigned i = remembered - 1; i > 0; --i)
            last_[i] = last_[i - 1];
        last_[0] = step;
        few_guess_ = &few_[few_place()];
        one_guess_ = &one_[one_place()];
    }

  private:
    static constexpr unsigned remembered = 4, few_bits = 16, one_bits = 14;
    static constexpr uint64_t factor = 0x9e3779b97f4a7c15;

    // Different histories may meet in one place: the guess is then a bad one, and no more.
    size_t few_place() const {
        uint64_t hash = 0;
        for (uint64_t step : last_)
            hash = (hash ^ step) * factor;
        return hash >> (64 - few_bits);
    }
    size_t one_place() const { return last_[0] * factor >> (64 - one_bits); }

    std::vector<uint64_t> few_ = std::vector<uint64_t>(size_t(1) << few_bits),
                          one_ = std::vector<uint64_t>(size_t(1) << one_bits);
    uint64_t last_[remembered] = {};
    uint64_t *few_guess_ = &few_[few_place()], *one_guess_ = &one_[one_place()];
};

} // namespace

void encode_steps(const stream::Sequence &sequence, ByteWriter &out) {
    Prediction prediction;
    ByteWriter gaps, surprises, exits;
    uint32_t gap = 0;
    for (uint32_t at = 0; at < sequence.steps(); ++at, ++gap) {
        uint64_t step = uint64_t(sequence.block[at]) << 8 | sequence.exit[at];
        if (step != prediction.after_few()) {
            gaps.varint(gap);
            gap = 0;
            if (step == prediction.after_one())
                surprises.varint(0);
            else {
                surprises.varint(uint64_t(sequence.block[at]) + 1);
                exits.fixed(sequence.exit[at]);
            }
        }
        prediction.came(step);
    }
    gaps.varint(gap); // up to the end
    for (const ByteWriter *column : {&gaps, &surprises, &exits})
        pack(out, column->bytes);
}

void decode_steps(ByteReader &in, uint32_t steps, uint32_t blocks, stream::Sequence &into) {
    Bytes gap_bytes = unpack(in), surprise_bytes = unpack(in), exit_bytes = unpack(in);
    ByteReader gaps(gap_bytes), surprises(surprise_bytes), exits(exit_bytes);
    Prediction prediction;
    into.block.resize(steps);
    into.exit.resize(steps);
    // The first gap is counted from the start, later ones from the surprise before.
    uint64_t next = gaps.varint();
    for (uint32_t at = 0; at < steps; ++at) {
        uint64_t step = prediction.after_few();
        if (at == next) {
            uint64_t surprise = surprises.varint();
            step = surprise ? (surprise - 1) << 8 | exits.fixed<uint8_t>() : prediction.after_one();
            next = at + gaps.varint();
        }
        if (step >> 8 > blocks)
            throw FormatError("damaged sequence of blocks");
        into.block[at] = uint32_t(step >> 8);
        into.exit[at] = uint8_t(step);
        prediction.came(step);
    }
}

} // namespace heapstory
