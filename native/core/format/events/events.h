// One chunk of what happened: writer and reader of its payload.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The payload starts with a table of sections (offset and length of each, in the order of
// enum Section), then the sections. Stores are in `segments` and `slots` (slots.h); everything else
// is a list in time order, its members as packed columns. Every list names events by their number
// in the chunk; something that is no event itself (a call, a C-point) stands after the `event`
// first events of the chunk.
#pragma once

#include "format/events/slots.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heapstory {

enum class NodeKind : uint8_t { heap = 0, global = 1 };

// Which function gave a heap node out or, in the modes portable and internals, how it was found.
enum class Allocator : uint8_t {
    unknown = 0,
    malloc,
    calloc, // zeroed
    memalign,
    new_,
    new_array,
    custom,       // record --alloc-fn
    returned = 9, // by code that is left out
    kept,         // the same, a reallocation in place
    seen,         // first accessed
    stored,       // a pointer to it was stored first
    split         // off another node
};

// Which function took a heap node back.
enum class Deallocator : uint8_t { unknown = 0, free, delete_, delete_array, custom, realloc };

// Whether the function that took a node back belongs to another family than the one that gave it.
bool is_mismatched(Allocator allocator, Deallocator deallocator);

struct Birth {
    uint32_t event = 0;
    uint64_t address = 0, size = 0;
    uint32_t stack = 0; // stack id, 0 unknown
    uint32_t name = 0;  // string id, 0 none
    uint32_t type = 0;  // globals: type id, 0 unknown
    NodeKind kind = NodeKind::heap;
    Allocator allocator = Allocator::unknown;
    enum Flag : uint8_t {
        zeroed = 1,   // all bytes are zero at birth
        in_place = 2, // a reallocation that kept the address: words keep their versions
        moved = 4,    // a reallocation to another address
        initial = 8   // was there before the recording started
    };
    uint8_t flags = 0;
};

struct Death {
    uint32_t event = 0;
    uint64_t node = 0;
    uint32_t stack = 0;
    Deallocator deallocator = Deallocator::unknown;
};

struct Call {
    uint32_t event = 0;
    uint32_t call = 0; // call id
    bool is_return = false;
};

struct Switch {
    uint32_t event = 0;
    uint32_t thread = 0;
};

// A ranged store too long to be cut into slots.
struct Range {
    uint32_t event = 0;
    uint64_t address = 0, length = 0;
    uint32_t site = 0;
    bool is_fill = false;
    bool is_initial = false; // contents before the recording: no event
    uint8_t fill = 0;
    uint64_t bytes = 0; // where its bytes start in the range bytes
};

// Who asked for a C-point: HEAPSTORY_CPOINT in the program, or record --cpoint.
enum class MarkedBy : uint8_t { program = 1, option };

enum class ScanKind : uint8_t {
    stack = 1,
    registers,
    memory,  // thread-local, or mapped by the program
    partial, // no words: there was too much memory to scan all of it
    parts    // no roots: addresses inside blocks that are as good as starts, and why
};

struct ScanWord {
    uint64_t where = 0; // address of the word, or DWARF number of the register
    uint64_t value = 0;
};

struct Mark {
    enum class Kind : uint8_t {
        cpoint = 1, // a: MarkedBy, b: number of the option; text: name
        root,       // a: address, b: size; text: name
        scan,       // a: ScanKind, b: thread; text: see encode_scan
        signal,     // a: number
        sigreturn,
        crash, // a: program counter, b: stack id (0 in older traces) << 8 | signal
        exit,  // a: code
        exec,  // text: path
        begin,
        finish,
        thread_end, // a: thread
        bad_free,   // stands behind an event of its own. a: address, b: stack id << 8 | Deallocator
        error,      // a: ErrorKind, b: address; text: see encode_error
        error_times, // a: number of the error, b: how often it happened
        // Text: the stream's step, and where a file was mapped a space and its path; else the
        // memory was unmapped. a: address, b: bytes
        mapping
    };
    uint32_t event = 0;
    Kind kind = Kind::cpoint;
    uint64_t a = 0, b = 0;
    uint32_t site = 0; // statement, 0 unknown
    uint32_t thread = 0;
    std::string text;
};

// The words of a scan as the text of its mark.
std::string encode_scan(std::span<const ScanWord> words);
std::vector<ScanWord> decode_scan(std::string_view text);

enum class ErrorKind : uint8_t {
    unknown = 0,
    unaddressable_read,
    unaddressable_write,
    overlap,
    bad_argument,
    undefined_condition,
    undefined_address,
    undefined_argument
};

// What an error's mark says beside kind and address.
struct ErrorDetails {
    uint64_t number = 0, bytes = 0;
    uint64_t block = 0; // where the block starts that it is about, or the value came from; 0 none
    uint32_t stack = 0;
    bool by_system_call = false;
    uint32_t origin = 0; // a site of the function whose variable the value came from, 0 none
};
std::string encode_error(const ErrorDetails &error);
ErrorDetails decode_error(std::string_view text);

// The calls that were open in a thread when the chunk began, outermost first.
struct OpenCalls {
    uint32_t thread = 0;
    std::vector<uint32_t> calls;
};

// Everything but the slots. Node ids of births start at first_node.
struct EventLists {
    uint64_t first_node = 1;
    std::vector<uint64_t> changes; // one bit per event: it advanced the timestamp
    std::vector<Birth> births;
    std::vector<Death> deaths;
    std::vector<Call> calls;
    std::vector<Switch> switches;
    std::vector<Range> ranges;
    Bytes range_bytes;
    std::vector<Mark> marks;
    std::vector<OpenCalls> open_calls;

    uint64_t next_node() const { return first_node + births.size(); }
};

enum class Section : unsigned {
    segments,
    slots,
    changes,
    births,
    deaths,
    calls,
    switches,
    ranges,
    range_bytes,
    marks,
    open_calls,
    count
};

struct SectionTable {
    struct Entry {
        uint64_t offset = 0, length = 0;
    };
    std::array<Entry, size_t(Section::count)> entries;
};

// The head, which tells times and threads, is `head_length` bytes of it.
Bytes encode_events(const EventLists &lists, SlotEncoder &slots, uint32_t &head_length);

// A view of an events payload, or of its head, which has changes and switches only; sections are
// decoded when asked for.
class EventsView {
  public:
    EventsView() = default;
    explicit EventsView(ByteSpan payload);

    std::span<const SlotSegment> segments() const;
    ByteSpan slots() const { return section(Section::slots); }
    std::vector<uint64_t> changes() const;
    std::vector<Birth> births() const;
    std::vector<Death> deaths() const;
    std::vector<Call> calls() const;
    std::vector<Switch> switches() const;
    std::vector<Range> ranges() const;
    Bytes range_bytes() const;
    std::vector<Mark> marks() const;
    std::vector<OpenCalls> open_calls() const;
    uint64_t first_node() const;

  private:
    ByteSpan section(Section which) const;
    ByteSpan payload_;
    SectionTable table_;
};

} // namespace heapstory
