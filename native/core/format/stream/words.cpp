// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace heapstory {

namespace {

using stream::Block;
using stream::no_word;
using stream::Sequence;

class StackPrediction {
  public:
    // Where the stack pointer of a block that comes now will be: `expect` says it, `came` learns.
    uint64_t expect(uint32_t block) {
        uint64_t pair = uint64_t(last_block_) << 32 | block;
        move_ = &moves_[pair * 0x9e3779b97f4a7c15 >> (64 - bits)];
        last_block_ = block;
        return last_ + *move_;
    }
    void came(uint64_t pointer) {
        *move_ = pointer - last_;
        last_ = pointer;
    }

  private:
    static constexpr unsigned bits = 14;
    std::vector<uint64_t> moves_ = std::vector<uint64_t>(size_t(1) << bits);
    uint64_t *move_ = moves_.data();
    uint64_t last_ = 0;
    uint32_t last_block_ = 0;
};

// The words of a sequence, block by block and in each place by place: a column for each place.
class Columns {
  public:
    Columns(const Sequence &sequence, std::span<const Block> blocks)
        : sequence_(sequence), blocks_(blocks), ran_(blocks.size() + 1),
          words_(std::make_unique_for_overwrite<uint64_t[]>(sequence.words.size())) {
        for (uint32_t id : sequence.block)
            ++ran_[id].times;
        uint64_t *next = words_.get();
        for (uint32_t id = 1; id <= blocks.size(); ++id) {
            Ran &ran = ran_[id];
            ran.words = ran.times ? blocks[id - 1].words : 0;
            ran.stack_word = blocks[id - 1].stack_word;
            ran.first = next;
            next += size_t(ran.words) * ran.times;
        }
        ran_[0].times = 0; // effects have none
    }

    // Calls visit(id, stack pointer) for every step that has one, in the order of time.
    template <class Visit> void each_stack_word(Visit visit) {
        std::vector<uint32_t> times(ran_.size());
        for (uint32_t id : sequence_.block)
            if (const Ran &ran = ran_[id]; ran.words && ran.stack_word != no_word)
                visit(id, ran.first[size_t(ran.stack_word) * ran.times + times[id]++]);
    }
    // Calls visit(column, stack pointers or nullptr, length) for every column but those of stack
    // pointers, in the order in which they are kept.
    template <class Visit> void each_column(Visit visit) {
        for (uint32_t id = 1; id < ran_.size(); ++id) {
            const Ran &ran = ran_[id];
            auto column = [&](uint16_t word) { return ran.first + size_t(word) * ran.times; };
            const uint64_t *stack = ran.stack_word == no_word ? nullptr : column(ran.stack_word);
            for (uint16_t word = 0; word < ran.words; ++word)
                if (word != ran.stack_word)
                    visit(column(word), stack, ran.times);
        }
    }
    // Calls visit(word of the sequence, word of a column), whatever belongs together.
    template <class Words, class Visit> void each_word(Words &words, Visit visit) {
        std::vector<uint64_t *> next(ran_.size());
        for (uint32_t id = 1; id < ran_.size(); ++id)
            next[id] = ran_[id].first;
        for (uint32_t at = 0; at < sequence_.steps(); ++at) {
            const uint32_t id = sequence_.block[at];
            const Ran &ran = ran_[id];
            if (!ran.words)
                continue;
            auto *word = words.data() + sequence_.operand[at];
            uint64_t *column = next[id]++;
            for (unsigned i = 0; i < ran.words; ++i, column += ran.times)
                visit(word[i], *column);
        }
    }

  private:
    struct Ran { // a block
        uint64_t *first = nullptr;
        uint32_t times = 0;
        uint16_t words = 0, stack_word = no_word;
    };
    const Sequence &sequence_;
    std::span<const Block> blocks_;
    std::vector<Ran> ran_; // by id
    std::unique_ptr<uint64_t[]> words_;
};

// Distances from what is expected of a column's words, as numbers that are small if they are near.
// `first` is expected of the first one.
void distances(WordsWay way, const uint64_t *words, const uint64_t *stack, size_t count,
               uint64_t first, uint64_t *out) {
    auto near = [](uint64_t distance) { return zigzag(int64_t(distance)); };
    out[0] = near(words[0] - first);
    if (way == WordsWay::stride && count > 1)
        out[1] = near(words[1] - words[0]);
    switch (way) {
    case WordsWay::delta:
        for (size_t i = 1; i < count; ++i)
            out[i] = near(words[i] - words[i - 1]);
        break;
    case WordsWay::stride:
        for (size_t i = 2; i < count; ++i)
            out[i] = near(words[i] - 2 * words[i - 1] + words[i - 2]);
        break;
    case WordsWay::frame:
        for (size_t i = 1; i < count; ++i)
            out[i] = near((words[i] - stack[i]) - (words[i - 1] - stack[i - 1]));
        break;
    case WordsWay::whole:
        break;
    }
}

constexpr uint64_t whole_cost = 56; // of a word for which nothing is expected, in bits

// What numbers cost, in bits: nothing that was expected costs less than a byte, before columns are
// compressed, but afterwards it does.
uint64_t cost(const uint64_t *numbers, size_t count) {
    static constexpr auto costs = [] {
        std::array<uint8_t, 65> table{1};
        for (unsigned width = 1; width <= 64; ++width)
            table[width] = uint8_t(8 * ((width + 6) / 7));
        return table;
    }();
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += costs[size_t(std::bit_width(numbers[i]))];
    return sum;
}

// The best way for a column. Of a long one a few stretches are looked at.
WordsWay best_way(const uint64_t *words, const uint64_t *stack, size_t count, uint64_t first) {
    constexpr size_t stretch = 64, stretches = 4;
    const size_t length = count <= stretch * stretches ? count : stretch;
    const size_t between = count <= stretch * stretches ? count : count / stretches;
    std::array<uint64_t, stretch * stretches> numbers;
    WordsWay best = WordsWay::whole;
    uint64_t least = ~uint64_t(0);
    for (WordsWay way : {WordsWay::delta, WordsWay::stride, WordsWay::frame}) {
        if (way == WordsWay::frame && !stack)
            continue;
        uint64_t sum = 0, looked_at = 0;
        for (size_t at = 0; at + length <= count; at += between, looked_at += length) {
            distances(way, words + at, stack ? stack + at : nullptr, length,
                      at ? words[at - 1] : first, numbers.data());
            sum += cost(numbers.data(), length);
        }
        if (sum < std::min(least, whole_cost * looked_at)) {
            least = sum;
            best = way;
        }
    }
    return best;
}

// Numbers as varints, one after the other.
class NumberWriter {
  public:
    explicit NumberWriter(size_t most)
        : bytes_(std::make_unique_for_overwrite<uint8_t[]>(10 * most)), at_(bytes_.get()) {}
    void add(uint64_t number) {
        for (; number >= 0x80; number >>= 7)
            *at_++ = uint8_t(number) | 0x80;
        *at_++ = uint8_t(number);
    }
    void add(std::span<const uint64_t> numbers) {
        uint64_t all = 0;
        for (uint64_t number : numbers)
            all |= number;
        if (all < 0x80) {
            for (size_t i = 0; i < numbers.size(); ++i)
                at_[i] = uint8_t(numbers[i]);
            at_ += numbers.size();
            return;
        }
        for (uint64_t number : numbers)
            add(number);
    }
    ByteSpan bytes() const { return {bytes_.get(), size_t(at_ - bytes_.get())}; }

  private:
    std::unique_ptr<uint8_t[]> bytes_;
    uint8_t *at_;
};

// Words for which nothing is expected. Random doubles differ in all but their last bytes.
class WholeWords {
  public:
    void add(const uint64_t *words, size_t count) {
        words_.insert(words_.end(), words, words + count);
    }
    void pack(ByteWriter &out) const {
        Bytes tops(words_.size()), uppers(words_.size()), lowers(lower * words_.size());
        for (size_t i = 0; i < words_.size(); ++i) {
            tops[i] = uint8_t(words_[i] >> 56);
            uppers[i] = uint8_t(words_[i] >> 48);
            std::memcpy(lowers.data() + lower * i, &words_[i], lower);
        }
        for (const Bytes &bytes : {std::cref(tops), std::cref(uppers), std::cref(lowers)})
            heapstory::pack(out, bytes);
    }
    void unpack(ByteReader &in, uint16_t version) {
        if (version < 8) {
            const Bytes bytes = heapstory::unpack(in);
            words_.resize(bytes.size() / 8);
            std::memcpy(words_.data(), bytes.data(), 8 * words_.size());
            return;
        }
        const Bytes tops = heapstory::unpack(in), uppers = heapstory::unpack(in),
                    lowers = heapstory::unpack(in);
        if (uppers.size() != tops.size() || lowers.size() != lower * tops.size())
            throw FormatError("damaged words of a stream");
        words_.assign(tops.size(), 0);
        for (size_t i = 0; i < words_.size(); ++i) {
            std::memcpy(&words_[i], lowers.data() + lower * i, lower);
            words_[i] |= uint64_t(tops[i]) << 56 | uint64_t(uppers[i]) << 48;
        }
    }
    void take(uint64_t *into, size_t count) {
        if (count > words_.size() - taken_)
            throw FormatError("damaged words of a stream");
        std::memcpy(into, words_.data() + taken_, 8 * count);
        taken_ += count;
    }

  private:
    static constexpr size_t lower = 6; // bytes
    std::vector<uint64_t> words_;
    size_t taken_ = 0;
};

} // namespace

void encode_words(const Sequence &sequence, std::span<const Block> blocks, ByteWriter &out) {
    Columns columns(sequence, blocks);
    columns.each_word(sequence.words, [](uint64_t word, uint64_t &in_column) { in_column = word; });
    NumberWriter stacks(sequence.steps()), near(sequence.words.size());
    ByteWriter ways;
    WholeWords whole;
    StackPrediction prediction;
    columns.each_stack_word([&](uint32_t id, uint64_t pointer) {
        stacks.add(zigzag(int64_t(pointer - prediction.expect(id))));
        prediction.came(pointer);
    });
    uint64_t first = 0;
    std::vector<uint64_t> numbers;
    columns.each_column([&](const uint64_t *words, const uint64_t *stack, size_t count) {
        const WordsWay way = best_way(words, stack, count, first);
        ways.fixed(way);
        if (way == WordsWay::whole)
            whole.add(words, count);
        else {
            numbers.resize(std::max(numbers.size(), count));
            distances(way, words, stack, count, first, numbers.data());
            near.add({numbers.data(), count});
        }
        first = words[0];
    });
    pack(out, stacks.bytes());
    pack(out, ways.bytes);
    pack(out, near.bytes());
    whole.pack(out);
}

void decode_words(ByteReader &in, std::span<const Block> blocks, uint16_t version, Sequence &into) {
    Bytes stack_bytes = unpack(in), way_bytes = unpack(in), near_bytes = unpack(in);
    ByteReader stacks(stack_bytes), ways(way_bytes), near(near_bytes);
    WholeWords whole;
    whole.unpack(in, version);
    Columns columns(into, blocks);
    StackPrediction prediction;
    columns.each_stack_word([&](uint32_t id, uint64_t &pointer) {
        pointer = prediction.expect(id) + uint64_t(stacks.signed_varint());
        prediction.came(pointer);
    });
    uint64_t first = 0;
    columns.each_column([&](uint64_t *words, const uint64_t *stack, size_t count) {
        const auto way = WordsWay(ways.fixed<uint8_t>());
        if (way > WordsWay::whole)
            throw FormatError("damaged words of a stream");
        if (way == WordsWay::whole) {
            whole.take(words, count);
            first = words[0];
            return;
        }
        uint64_t expected = first, last_move = 0;
        for (size_t i = 0; i < count; ++i) {
            words[i] = expected + uint64_t(near.signed_varint());
            if (way == WordsWay::stride && i > 0)
                last_move = words[i] - words[i - 1];
            else if (way == WordsWay::frame && stack && i + 1 < count)
                last_move = stack[i + 1] - stack[i];
            expected = words[i] + last_move;
        }
        first = words[0];
    });
    columns.each_word(into.words, [](uint64_t &word, uint64_t in_column) { word = in_column; });
}

} // namespace heapstory
