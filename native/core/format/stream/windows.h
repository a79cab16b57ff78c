// Which part of a recording has an instruction stream.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A window is written when it has ended, behind its sequences; steps behind the last window are of
// one that was cut off. Varints: its first step, how many there are, how it ended.
#pragma once

#include "format/container/chunk.h"

#include <cstdint>

namespace heapstory {

enum class WindowEnd : uint8_t {
    recording = 1,   // with all that was recorded
    until = 2,       // where the user said
    instructions = 3 // after as many as the user said
};

struct StreamWindow {
    uint64_t first_step = 0, steps = 0;
    WindowEnd end = WindowEnd::recording;
};

Bytes encode_window(const StreamWindow &window);
StreamWindow decode_window(ByteSpan payload);

} // namespace heapstory
