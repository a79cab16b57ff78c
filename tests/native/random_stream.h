// Instruction streams of no program.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/stream/sequences.h"
#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <random>
#include <vector>

std::vector<heapstory::stream::Block> random_blocks(std::mt19937_64 &random, size_t count);

struct RandomStream {
    heapstory::stream::Sequence sequence;
    uint64_t first_event = 0;
    std::vector<heapstory::EventStep> events;
};

// Loops over a few blocks at a time, with words of all sorts, effects, switches and faults.
RandomStream random_stream(std::mt19937_64 &random,
                           const std::vector<heapstory::stream::Block> &blocks, size_t steps);
