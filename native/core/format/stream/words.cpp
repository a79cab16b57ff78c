// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace heapstory {

namespace {

using stream::Block;
using stream::no_word;
using stream::Sequence;

class StackPrediction {
  public:
    uint64_t expected(uint32_t block) const { return last_ + moves_[place(block)]; }
    void came(uint32_t block, uint64_t pointer) {
        moves_[place(block)] = pointer - last_;
        last_ = pointer;
        last_block_ = block;
    }

  private:
    static constexpr unsigned bits = 14;
    size_t place(uint32_t block) const {
        uint64_t pair = uint64_t(last_block_) << 32 | block;
        return pair * 0x9e3779b97f4a7c15 >> (64 - bits);
    }
    std::vector<uint64_t> moves_ = std::vector<uint64_t>(size_t(1) << bits);
    uint64_t last_ = 0;
    uint32_t last_block_ = 0;
};

// What is expected of the words of a group, one after the other.
class GroupPrediction {
  public:
    GroupPrediction(WordsWay way, uint64_t first) : way_(way), last_(first) {}

    uint64_t expected(uint64_t stack) const {
        return way_ == WordsWay::frame && has_last_ ? last_ + (stack - last_stack_)
                                                    : last_ + stride_;
    }
    void came(uint64_t word, uint64_t stack) {
        if (way_ == WordsWay::stride && has_last_)
            stride_ = word - last_;
        has_last_ = true;
        last_ = word;
        last_stack_ = stack;
    }

  private:
    WordsWay way_;
    bool has_last_ = false;
    uint64_t last_, last_stack_ = 0, stride_ = 0;
};

// Calls visit(at, block) for every step that runs a block with a stack pointer.
template <class Visit>
void each_stack_word(const Sequence &sequence, std::span<const Block> blocks, Visit visit) {
    for (uint32_t at = 0; at < sequence.steps(); ++at)
        if (uint32_t id = sequence.block[at]; id && blocks[id - 1].stack_word != no_word)
            visit(at, blocks[id - 1]);
}

// A group: the words at one place of a block.
struct Group {
    std::span<const uint32_t> steps;
    uint16_t word, stack_word; // no_word: the block has no stack pointer
};

// Calls visit(group) for every group, in the order in which they are kept.
template <class Visit>
void each_group(const Sequence &sequence, std::span<const Block> blocks, Visit visit) {
    std::vector<uint32_t> starts(blocks.size() + 2), steps(sequence.steps());
    for (uint32_t id : sequence.block)
        ++starts[id + 1];
    for (size_t id = 1; id < starts.size(); ++id)
        starts[id] += starts[id - 1];
    std::vector<uint32_t> next(starts.begin(), starts.end() - 1);
    for (uint32_t at = 0; at < sequence.steps(); ++at)
        steps[next[sequence.block[at]]++] = at;
    for (uint32_t id = 1; id <= blocks.size(); ++id) {
        const Block &block = blocks[id - 1];
        std::span<const uint32_t> ran(steps.data() + starts[id], starts[id + 1] - starts[id]);
        if (ran.empty())
            continue;
        for (uint16_t word = 0; word < block.words; ++word)
            if (word != block.stack_word)
                visit(Group{ran, word, block.stack_word});
    }
}

uint64_t stack_of(const Sequence &sequence, const Group &group, uint32_t at) {
    return group.stack_word == no_word ? 0
                                       : sequence.words[sequence.operand[at] + group.stack_word];
}

// What a word costs, in bits: nothing that was expected costs less than a byte, before columns are
// compressed, but afterwards it does.
unsigned cost(uint64_t distance) {
    uint64_t number = zigzag(int64_t(distance));
    return number ? 8 * unsigned((std::bit_width(number) + 6) / 7) : 1;
}

WordsWay best_way(const Sequence &sequence, const Group &group, uint64_t first) {
    constexpr std::array ways = {WordsWay::delta, WordsWay::stride, WordsWay::frame};
    WordsWay best = WordsWay::whole;
    uint64_t least = 64 * group.steps.size();
    for (WordsWay way : ways) {
        if (way == WordsWay::frame && group.stack_word == no_word)
            continue;
        GroupPrediction prediction(way, first);
        uint64_t sum = 0;
        for (uint32_t at : group.steps) {
            uint64_t word = sequence.words[sequence.operand[at] + group.word];
            uint64_t stack = stack_of(sequence, group, at);
            sum += cost(word - prediction.expected(stack));
            prediction.came(word, stack);
        }
        if (sum < least) {
            least = sum;
            best = way;
        }
    }
    return best;
}

} // namespace

void encode_words(const Sequence &sequence, std::span<const Block> blocks, ByteWriter &out) {
    ByteWriter stacks, ways, near, whole;
    StackPrediction stack_prediction;
    each_stack_word(sequence, blocks, [&](uint32_t at, const Block &block) {
        uint64_t pointer = sequence.words[sequence.operand[at] + block.stack_word];
        uint32_t id = sequence.block[at];
        stacks.signed_varint(int64_t(pointer - stack_prediction.expected(id)));
        stack_prediction.came(id, pointer);
    });
    uint64_t first = 0;
    each_group(sequence, blocks, [&](const Group &group) {
        WordsWay way = best_way(sequence, group, first);
        ways.fixed(way);
        GroupPrediction prediction(way, first);
        for (uint32_t at : group.steps) {
            uint64_t word = sequence.words[sequence.operand[at] + group.word];
            uint64_t stack = stack_of(sequence, group, at);
            if (way == WordsWay::whole)
                whole.fixed(word);
            else
                near.signed_varint(int64_t(word - prediction.expected(stack)));
            prediction.came(word, stack);
        }
        first = sequence.words[sequence.operand[group.steps.front()] + group.word];
    });
    for (const ByteWriter *column : {&stacks, &ways, &near, &whole})
        pack(out, column->bytes);
}

void decode_words(ByteReader &in, std::span<const Block> blocks, Sequence &into) {
    Bytes stack_bytes = unpack(in), way_bytes = unpack(in), near_bytes = unpack(in),
          whole_bytes = unpack(in);
    ByteReader stacks(stack_bytes), ways(way_bytes), near(near_bytes), whole(whole_bytes);
    StackPrediction stack_prediction;
    each_stack_word(into, blocks, [&](uint32_t at, const Block &block) {
        uint32_t id = into.block[at];
        uint64_t pointer = stack_prediction.expected(id) + uint64_t(stacks.signed_varint());
        stack_prediction.came(id, pointer);
        into.words[into.operand[at] + block.stack_word] = pointer;
    });
    uint64_t first = 0;
    each_group(into, blocks, [&](const Group &group) {
        auto way = WordsWay(ways.fixed<uint8_t>());
        if (way > WordsWay::whole)
            throw FormatError("damaged words of a stream");
        GroupPrediction prediction(way, first);
        for (uint32_t at : group.steps) {
            uint64_t stack = stack_of(into, group, at);
            uint64_t word = way == WordsWay::whole
                                ? whole.fixed<uint64_t>()
                                : prediction.expected(stack) + uint64_t(near.signed_varint());
            prediction.came(word, stack);
            into.words[into.operand[at] + group.word] = word;
        }
        first = into.words[into.operand[group.steps.front()] + group.word];
    });
}

} // namespace heapstory
