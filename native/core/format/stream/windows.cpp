// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/windows.h"

#include <utility>

namespace heapstory {

Bytes encode_window(const StreamWindow &window) {
    ByteWriter out;
    out.varint(window.first_step);
    out.varint(window.steps);
    out.varint(unsigned(window.end));
    return std::move(out.bytes);
}

StreamWindow decode_window(ByteSpan payload) {
    ByteReader in(payload);
    StreamWindow window;
    window.first_step = in.varint();
    window.steps = in.varint();
    const uint64_t end = in.varint();
    if (end < unsigned(WindowEnd::recording) || end > unsigned(WindowEnd::instructions))
        throw FormatError("damaged window of the instruction stream");
    window.end = WindowEnd(end);
    return window;
}

} // namespace heapstory
