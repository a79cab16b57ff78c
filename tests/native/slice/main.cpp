// Slices a program that is run one instruction at a time:
//
//     single-step-slice [--data] [--thin] ADDRESS PROGRAM ARG...
//
// prints the addresses of the slice of the last execution of the instruction at ADDRESS, and how
// often each ran in it. `--trace` in place of ADDRESS prints the stream: a line for every
// instruction, its address and its accesses.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "single_step.h"

#include "slice/backward.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

using namespace heapstory;

namespace {

std::optional<slice::Point> last_execution(const SingleStep &source,
                                           const slice::Prepared &prepared, uint64_t address) {
    std::optional<slice::Point> found;
    stream::Sequence sequence;
    for (uint32_t number = 0; number < source.sequences(); ++number) {
        source.read(number, sequence);
        for (uint32_t at = 0; at < sequence.steps(); ++at) {
            const auto &instructions = prepared.effects(sequence.block[at]).instructions;
            for (size_t i = 0; i < instructions.size(); ++i)
                if (instructions[i].address == address)
                    found = slice::Point{sequence.first_step + at, uint16_t(i)};
        }
    }
    return found;
}

void print_stream(const SingleStep &source) {
    stream::Sequence sequence;
    for (uint32_t number = 0; number < source.sequences(); ++number) {
        source.read(number, sequence);
        for (uint32_t at = 0; at < sequence.steps(); ++at) {
            const stream::Block &block = source.block(sequence.block[at]);
            stream::Effects effects = stream::effects_of(block);
            for (size_t i = 0; i < effects.instructions.size(); ++i) {
                std::printf("%#lx", effects.instructions[i].address);
                for (const stream::Access &access : block.accesses)
                    if (access.instruction == i)
                        std::printf(
                            " %c%#lx:%u", access.kind == stream::AccessKind::store ? 'S' : 'L',
                            sequence.words[sequence.operand[at] + access.word], access.size);
                std::printf("\n");
            }
        }
    }
}

int run(std::vector<std::string> words) {
    slice::Options options;
    while (words.size() > 1 && words.front().starts_with("--") && words.front() != "--trace") {
        options.control &= words.front() != "--data";
        options.addresses &= words.front() != "--thin";
        words.erase(words.begin());
    }
    if (words.size() < 2) {
        std::fprintf(stderr, "usage: single-step-slice [--data] [--thin] ADDRESS PROGRAM ARG...\n");
        return 2;
    }
    std::string what = words.front();
    words.erase(words.begin());
    SingleStep source(words);
    if (what == "--trace") {
        print_stream(source);
        return 0;
    }
    slice::Prepared prepared(source, [&](uint64_t address) { return source.code(address); });
    auto point = last_execution(source, prepared, std::strtoull(what.c_str(), nullptr, 0));
    if (!point) {
        std::fprintf(stderr, "never executed\n");
        return 4;
    }
    slice::Criterion criterion{.point = *point, .whole_instruction = true};
    for (const slice::Hit &hit : slice::backward(prepared, criterion, options).hits)
        std::printf("%#lx %lu\n", hit.address, hit.count);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception &error) {
        std::fprintf(stderr, "single-step-slice: %s\n", error.what());
        return 3;
    }
}
