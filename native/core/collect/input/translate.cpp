// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/input/translate.h"

#include "heapstory_wire.h"

#include <cstring>

namespace heapstory {

Allocator allocator_of(unsigned allocator) {
    switch (allocator) {
    case HSW_MALLOC:
        return Allocator::malloc;
    case HSW_CALLOC:
        return Allocator::calloc;
    case HSW_MEMALIGN:
        return Allocator::memalign;
    case HSW_NEW:
        return Allocator::new_;
    case HSW_NEW_ARRAY:
        return Allocator::new_array;
    case HSW_CUSTOM:
    case HSW_CUSTOM_SIZED:
    case HSW_CUSTOM_OWN:
    case HSW_CUSTOM_TOLD:
        return Allocator::custom;
    default:
        return Allocator::unknown;
    }
}

Deallocator deallocator_of(unsigned allocator) {
    switch (allocator) {
    case HSW_MALLOC:
        return Deallocator::free;
    case HSW_NEW:
        return Deallocator::delete_;
    case HSW_NEW_ARRAY:
        return Deallocator::delete_array;
    case HSW_CUSTOM:
    case HSW_CUSTOM_TOLD:
        return Deallocator::custom;
    case HSW_BY_REALLOC:
        return Deallocator::realloc;
    default:
        return Deallocator::unknown;
    }
}

Allocator discovery_of(unsigned node) {
    switch (node) {
    case HSW_NODE_RETURNED:
        return Allocator::returned;
    case HSW_NODE_KEPT:
        return Allocator::kept;
    case HSW_NODE_SEEN:
        return Allocator::seen;
    case HSW_NODE_STORED:
        return Allocator::stored;
    case HSW_NODE_SPLIT:
        return Allocator::split;
    default:
        return Allocator::unknown;
    }
}

EndKind end_of(unsigned end) {
    switch (end) {
    case HSW_END_FREED:
        return EndKind::freed;
    case HSW_END_REUSED:
        return EndKind::reused;
    case HSW_END_UNMAPPED:
        return EndKind::unmapped;
    case HSW_END_REALLOCATED:
        return EndKind::reallocated;
    default:
        return EndKind::unknown;
    }
}

SuspicionKind suspicion_of(unsigned suspicion) {
    switch (suspicion) {
    case HSW_SUSPICION_OFFSET:
        return SuspicionKind::offset;
    case HSW_SUSPICION_RANGE:
        return SuspicionKind::range;
    case HSW_SUSPICION_WALK:
        return SuspicionKind::walk;
    case HSW_SUSPICION_STALE:
        return SuspicionKind::stale;
    case HSW_SUSPICION_FIELD:
        return SuspicionKind::field;
    default:
        return SuspicionKind::unknown;
    }
}

CountKind count_of(unsigned counted) {
    switch (counted) {
    case HSW_COUNTED_HIGH:
        return CountKind::high;
    case HSW_COUNTED_FAR:
        return CountKind::far;
    case HSW_COUNTED_SILENT:
        return CountKind::silent;
    case HSW_COUNTED_BAD_FREE:
        return CountKind::bad_free;
    case HSW_COUNTED_QUIET:
        return CountKind::quiet;
    case HSW_COUNTED_CROWDED:
        return CountKind::crowded;
    default:
        return CountKind::unknown;
    }
}

CandidateKind candidate_of(unsigned candidate) {
    switch (candidate) {
    case HSW_CANDIDATE_GIVES:
        return CandidateKind::gives;
    case HSW_CANDIDATE_TAKES:
        return CandidateKind::takes;
    default:
        return CandidateKind::unknown;
    }
}

ErrorKind error_of(unsigned error) {
    switch (error) {
    case HSW_UNADDRESSABLE_READ:
        return ErrorKind::unaddressable_read;
    case HSW_UNADDRESSABLE_WRITE:
        return ErrorKind::unaddressable_write;
    case HSW_OVERLAP:
        return ErrorKind::overlap;
    case HSW_BAD_ARGUMENT:
        return ErrorKind::bad_argument;
    case HSW_UNDEFINED_CONDITION:
        return ErrorKind::undefined_condition;
    case HSW_UNDEFINED_ADDRESS:
        return ErrorKind::undefined_address;
    case HSW_UNDEFINED_ARGUMENT:
        return ErrorKind::undefined_argument;
    default:
        return ErrorKind::unknown;
    }
}

MarkedBy marked_by(unsigned cpoint) {
    return cpoint == HSW_CPOINT_OPTION ? MarkedBy::option : MarkedBy::program;
}

ScanKind scan_of(unsigned scan) {
    switch (scan) {
    case HSW_SCAN_REGISTERS:
        return ScanKind::registers;
    case HSW_SCAN_MEMORY:
        return ScanKind::memory;
    case HSW_SCAN_PARTIAL:
        return ScanKind::partial;
    case HSW_SCAN_PARTS:
        return ScanKind::parts;
    default:
        return ScanKind::stack;
    }
}

std::vector<ScanWord> scan_words(ByteSpan payload) {
    std::vector<ScanWord> words;
    hsw_scan_word word;
    for (size_t at = 0; at + sizeof word <= payload.size(); at += sizeof word) {
        std::memcpy(&word, payload.data() + at, sizeof word);
        words.push_back({word.where, word.value});
    }
    return words;
}

} // namespace heapstory
