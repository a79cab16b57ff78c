// Slices a program that is run one instruction at a time:
//
//     single-step-slice [--data] [--thin] [--plain] [--lists] --stored ADDRESS PROGRAM ARG...
//
// prints the addresses of the slice of the last instruction that stored at ADDRESS, and how often
// each ran in it. `--plain`: the calling convention is nothing special; `--lists`: by the
// algorithms of the thesis, which must agree with each other. `--trace` in place of both prints
// the stream: a line for every instruction, its address and its accesses. `--forward COUNT SEED`
// compares forward slices and chops of that many instructions with the graph of all dependences;
// `--forward COUNT SEED --recorded TRACE` does so in a recorded stream.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "dependences.h"
#include "single_step.h"

#include "slice/backward/backward.h"
#include "slice/instances.h"
#include "slice/lists.h"
#include "store/own_code.h"
#include "store/stream.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>

using namespace heapstory;

namespace {

std::optional<slice::Point> last_store(const SingleStep &source, uint64_t address) {
    std::optional<slice::Point> found;
    stream::Sequence sequence;
    for (uint32_t number = 0; number < source.sequences(); ++number) {
        source.read(number, sequence);
        for (uint32_t at = 0; at < sequence.steps(); ++at) {
            for (const stream::Access &access : source.block(sequence.block[at]).accesses) {
                uint64_t first = sequence.words[sequence.operand[at] + access.word];
                if (access.kind == stream::AccessKind::store && first <= address &&
                    address < first + access.size)
                    found = slice::Point{sequence.first_step + at, access.instruction};
            }
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

void print(const std::map<uint64_t, uint64_t> &counts) {
    for (auto [address, count] : counts)
        std::printf("%#lx %lu\n", address, count);
}

void slice_by_lists(const slice::Prepared &prepared, const slice::Point &point) {
    std::vector<slice::Instance> all = slice::instances(prepared, point);
    slice::ListSlice one = slice::algorithm4(all), two = slice::algorithm4_sorted(all),
                     three = slice::algorithm5(all);
    if (one.instances != two.instances || one.instances != three.instances)
        throw std::runtime_error("algorithms 4 and 5 do not agree");
    std::map<uint64_t, uint64_t> counts;
    for (uint64_t number : one.instances) {
        const slice::Instance &instance = all[number - 1];
        ++counts[prepared.effects(instance.block).instructions[instance.instruction].address];
    }
    print(counts);
}

void compare_stepped(const std::vector<std::string> &command, unsigned samples, unsigned seed) {
    SingleStep source(command);
    slice::Prepared prepared(source, [&](uint64_t address) { return source.code(address); });
    compare_forward(prepared, samples, seed);
}

void compare_recorded(const std::string &trace, unsigned samples, unsigned seed) {
    auto store = std::make_shared<const Store>(trace);
    StoredStream source(store);
    StoredCode code(store);
    slice::Prepared prepared(source, [&](uint64_t address) { return code.bytes(address); });
    compare_forward(prepared, samples, seed);
}

int run(std::vector<std::string> words) {
    slice::Options options;
    bool lists = false;
    while (words.size() > 1 && words.front().starts_with("--") && words.front() != "--trace" &&
           words.front() != "--forward") {
        options.control &= words.front() != "--data";
        options.addresses &= words.front() != "--thin";
        options.conventions &= words.front() != "--plain";
        lists |= words.front() == "--lists";
        if (words.front() == "--stored")
            break;
        words.erase(words.begin());
    }
    if (words.size() > 1 && words.front() == "--trace") {
        print_stream(SingleStep({words.begin() + 1, words.end()}));
        return 0;
    }
    if (words.size() > 3 && words.front() == "--forward") {
        const auto samples = unsigned(std::stoul(words[1])), seed = unsigned(std::stoul(words[2]));
        if (words[3] == "--recorded")
            compare_recorded(words.at(4), samples, seed);
        else
            compare_stepped({words.begin() + 3, words.end()}, samples, seed);
        return 0;
    }
    if (words.size() < 3 || words.front() != "--stored") {
        std::fprintf(stderr, "usage: see the first lines of %s\n", __FILE__);
        return 2;
    }
    uint64_t address = std::strtoull(words[1].c_str(), nullptr, 0);
    SingleStep source({words.begin() + 2, words.end()});
    slice::Prepared prepared(source, [&](uint64_t address) { return source.code(address); });
    auto point = last_store(source, address);
    if (!point) {
        std::fprintf(stderr, "nothing was stored there\n");
        return 4;
    }
    if (lists) {
        slice_by_lists(prepared, *point);
        return 0;
    }
    const slice::Criterion criterion = slice::Criterion::at(*point);
    std::map<uint64_t, uint64_t> counts;
    for (const slice::Hit &hit : slice::backward(prepared, criterion, options).hits)
        counts[hit.address] += hit.count;
    print(counts);
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
