// SPDX-License-Identifier: GPL-2.0-or-later
#include "random_stream.h"

using namespace heapstory;

namespace {

// Small ones often, any now and then.
uint64_t random_number(std::mt19937_64 &random) {
    return random() >> random() % 64;
}

uint16_t word_or_none(std::mt19937_64 &random, uint16_t words) {
    return words && random() % 2 ? uint16_t(random() % words) : stream::no_word;
}

stream::Access random_access(std::mt19937_64 &random, uint16_t words, uint16_t instruction) {
    stream::Access access;
    access.instruction = instruction;
    access.size = 1 + uint32_t(random() % 8);
    access.word = word_or_none(random, words);
    access.displacement = int64_t(random_number(random));
    access.guard = word_or_none(random, words);
    if (random() % 2) {
        access.kind = stream::AccessKind::store;
        access.value = word_or_none(random, words);
        if (access.value == stream::no_word)
            access.constant = -int64_t(random_number(random) >> 1);
    }
    return access;
}

stream::Effect random_effect(std::mt19937_64 &random) {
    stream::Effect effect;
    effect.kind = stream::EffectKind(random() % 7);
    effect.address = random_number(random);
    for (uint64_t i = random() % 4; i; --i)
        effect.defined.push_back({random_number(random), random_number(random)});
    for (uint64_t i = random() % 4; i; --i)
        effect.used.push_back({random_number(random), random_number(random)});
    for (uint64_t i = random() % 4; i; --i)
        effect.registers_defined.add(unsigned(random() % (stream::register_bytes - 8)), 8);
    for (uint64_t i = random() % 4; i; --i)
        effect.registers_used.add(unsigned(random() % (stream::register_bytes - 8)), 8);
    if (random() % 2)
        effect.registers_addressed.add_general(unsigned(random() & 0xffff));
    return effect;
}

} // namespace

std::vector<stream::Block> random_blocks(std::mt19937_64 &random, size_t count) {
    std::vector<stream::Block> blocks(count);
    for (stream::Block &block : blocks) {
        block.address = random_number(random);
        for (uint64_t i = random() % 60; i; --i)
            block.code.push_back(uint8_t(random()));
        block.jump = stream::Jump(random() % 6);
        block.own = random() % 2;
        block.words = uint16_t(random() % 6);
        block.stack_word = word_or_none(random, block.words);
        if (random() % 4 == 0) {
            block.stub = uint16_t(1 + random() % 9);
            block.stub_uses = uint16_t(random());
        }
        uint16_t instruction = 0;
        for (uint64_t i = random() % 8; i; --i)
            block.accesses.push_back(
                random_access(random, block.words, instruction += uint16_t(random() % 3)));
        for (uint64_t i = random() % 3; i; --i)
            block.exits.push_back(
                {uint16_t(random() % 20), uint16_t(random() % (block.accesses.size() + 1))});
    }
    return blocks;
}

RandomStream random_stream(std::mt19937_64 &random, const std::vector<stream::Block> &blocks,
                           size_t steps) {
    RandomStream made;
    stream::Sequence &sequence = made.sequence;
    sequence.first_step = random() % 1000000;
    sequence.switches.push_back({0, 1 + uint32_t(random() % 3)});
    made.first_event = random() % 1000;
    uint64_t event = made.first_event, stack = 0x1ffefff000;
    std::vector<uint32_t> loop;
    for (uint32_t at = 0; at < steps; ++at) {
        if (random() % 100 == 0 || loop.empty()) {
            loop.assign(1 + random() % 5, 0);
            for (uint32_t &id : loop)
                id = uint32_t(random() % (blocks.size() + 1));
        }
        uint32_t id = loop[at % loop.size()];
        sequence.block.push_back(id);
        sequence.exit.push_back(random() % 20 ? stream::ran_to_end : uint8_t(random()));
        sequence.operand.push_back(uint32_t(id ? sequence.words.size() : sequence.effects.size()));
        if (!id)
            sequence.effects.push_back(random_effect(random));
        stack += random() % 20 ? 0 : 8 * (random() % 10) - 40;
        for (uint16_t word = 0; id && word < blocks[id - 1].words; ++word) {
            const uint64_t sorts[] = {stack, stack + 8ull * word, 0x4a00000 + 24ull * at, random(),
                                      random_number(random)};
            sequence.words.push_back(
                sorts[word == blocks[id - 1].stack_word ? 0 : (id + word) % 5]);
        }
        if (random() % 50 == 0)
            sequence.switches.push_back({at, 1 + uint32_t(random() % 3)});
        if (random() % 50 == 0)
            sequence.faults.push_back({at, uint16_t(random() % 10)});
        while (random() % 4 == 0) {
            event += random() % 10 ? 0 : random() % 5;
            made.events.push_back({event++, at});
        }
    }
    return made;
}
