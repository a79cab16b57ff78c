// What the wire says by number, as the format says it. Numbers that are not known are `unknown`.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/events/events.h"
#include "format/nodes/discoveries.h"

namespace heapstory {

Allocator allocator_of(unsigned allocator); // enum hsw_allocator
Deallocator deallocator_of(unsigned allocator);
Allocator discovery_of(unsigned node); // enum hsw_node
EndKind end_of(unsigned end);          // enum hsw_node_end
SuspicionKind suspicion_of(unsigned suspicion);
CountKind count_of(unsigned counted);
CandidateKind candidate_of(unsigned candidate);
ErrorKind error_of(unsigned error); // enum hsw_error
MarkedBy marked_by(unsigned cpoint);
ScanKind scan_of(unsigned scan);
std::vector<ScanWord> scan_words(ByteSpan payload); // hsw_scan_word[]

} // namespace heapstory
