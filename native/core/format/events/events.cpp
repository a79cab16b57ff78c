// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/events/events.h"

#include "format/container/chunk.h"
#include "format/container/printable.h"

namespace heapstory {

namespace {

// A list as columns: the same `visit` lists the members for the writer and for the reader.
class ColumnWriter {
  public:
    explicit ColumnWriter(size_t columns) : columns_(columns), last_(columns) {}
    void delta(size_t column, uint64_t value) {
        columns_[column].signed_varint(int64_t(value - last_[column]));
        last_[column] = value;
    }
    void plain(size_t column, uint64_t value) { columns_[column].varint(value); }
    void finish(ByteWriter &out, size_t count) {
        out.varint(count);
        if (count)
            for (auto &column : columns_)
                pack(out, column.bytes);
    }

  private:
    std::vector<ByteWriter> columns_;
    std::vector<uint64_t> last_;
};

class ColumnReader {
  public:
    ColumnReader(ByteReader &in, size_t columns) : last_(columns) {
        size_ = in.varint();
        if (!size_)
            return;
        for (size_t i = 0; i < columns; ++i)
            bytes_.push_back(unpack(in));
        for (auto &column : bytes_)
            readers_.emplace_back(column);
        if (size_ > bytes_[0].size())
            throw FormatError("damaged list");
    }
    size_t size() const { return size_; }
    uint64_t delta(size_t column) {
        return last_[column] += uint64_t(readers_[column].signed_varint());
    }
    uint64_t plain(size_t column) { return readers_[column].varint(); }

  private:
    size_t size_ = 0;
    std::vector<Bytes> bytes_;
    std::vector<ByteReader> readers_;
    std::vector<uint64_t> last_;
};

void write_births(ByteWriter &out, const EventLists &lists) {
    out.varint(lists.first_node);
    ColumnWriter columns(7);
    for (const Birth &birth : lists.births) {
        columns.delta(0, birth.event);
        columns.delta(1, birth.address);
        columns.plain(2, birth.size);
        columns.delta(3, birth.stack);
        columns.delta(4, birth.name);
        columns.plain(5, uint64_t(birth.kind) | unsigned(birth.allocator) << 1 | birth.flags << 5);
        columns.plain(6, birth.type);
    }
    columns.finish(out, lists.births.size());
}

void write_deaths(ByteWriter &out, const EventLists &lists) {
    ColumnWriter columns(4);
    for (const Death &death : lists.deaths) {
        columns.delta(0, death.event);
        columns.delta(1, death.node);
        columns.delta(2, death.stack);
        columns.plain(3, uint64_t(death.deallocator));
    }
    columns.finish(out, lists.deaths.size());
}

void write_calls(ByteWriter &out, const EventLists &lists) {
    ColumnWriter columns(2);
    for (const Call &call : lists.calls) {
        columns.delta(0, call.event);
        columns.plain(1, uint64_t(call.call) << 1 | call.is_return);
    }
    columns.finish(out, lists.calls.size());
}

void write_switches(ByteWriter &out, const EventLists &lists) {
    ColumnWriter columns(2);
    for (const Switch &item : lists.switches) {
        columns.delta(0, item.event);
        columns.plain(1, item.thread);
    }
    columns.finish(out, lists.switches.size());
}

void write_ranges(ByteWriter &out, const EventLists &lists) {
    ColumnWriter columns(5);
    for (const Range &range : lists.ranges) {
        columns.delta(0, range.event);
        columns.delta(1, range.address);
        columns.plain(2, range.length);
        columns.plain(3, range.site);
        columns.plain(4, uint64_t(range.is_fill) | range.is_initial << 1 | range.fill << 2);
    }
    columns.finish(out, lists.ranges.size());
}

void write_marks(ByteWriter &out, const EventLists &lists) {
    ByteWriter plain;
    plain.varint(lists.marks.size());
    for (const Mark &mark : lists.marks) {
        plain.varint(mark.event);
        plain.varint(uint64_t(mark.kind));
        plain.varint(mark.a);
        plain.varint(mark.b);
        plain.varint(mark.site);
        plain.varint(mark.thread);
        plain.string(mark.text);
    }
    pack(out, plain.bytes);
}

void write_open_calls(ByteWriter &out, const EventLists &lists) {
    ByteWriter plain;
    plain.varint(lists.open_calls.size());
    for (const OpenCalls &open : lists.open_calls) {
        plain.varint(open.thread);
        plain.varint(open.calls.size());
        for (uint32_t call : open.calls)
            plain.varint(call);
    }
    pack(out, plain.bytes);
}

template <class T> ByteSpan as_bytes(const std::vector<T> &items) {
    return {reinterpret_cast<const uint8_t *>(items.data()), items.size() * sizeof(T)};
}

} // namespace

bool is_mismatched(Allocator allocator, Deallocator deallocator) {
    bool is_malloc = allocator == Allocator::malloc || allocator == Allocator::calloc ||
                     allocator == Allocator::memalign;
    bool is_new = allocator == Allocator::new_ || allocator == Allocator::new_array;
    switch (deallocator) {
    case Deallocator::free:
    case Deallocator::realloc:
        return is_new || allocator == Allocator::custom;
    case Deallocator::delete_:
        return is_malloc || allocator == Allocator::new_array || allocator == Allocator::custom;
    case Deallocator::delete_array:
        return is_malloc || allocator == Allocator::new_ || allocator == Allocator::custom;
    case Deallocator::custom:
        return is_malloc || is_new;
    default:
        return false;
    }
}

Bytes encode_events(const EventLists &lists, SlotEncoder &slots, uint32_t &head_length) {
    ByteWriter out;
    SectionTable table;
    out.bytes.resize(sizeof table);
    out.bytes.reserve(sizeof table + slots.out.bytes.size() + 65536);
    auto section = [&](Section which, auto &&write) {
        out.bytes.resize(padded(out.bytes.size())); // so that segments can be read in place
        auto &entry = table.entries[size_t(which)];
        entry.offset = out.bytes.size();
        write();
        entry.length = out.bytes.size() - entry.offset;
    };
    section(Section::changes, [&] { pack(out, as_bytes(lists.changes)); });
    section(Section::switches, [&] { write_switches(out, lists); });
    head_length = uint32_t(out.bytes.size());
    section(Section::segments, [&] { out.raw(as_bytes(slots.segments)); });
    section(Section::slots, [&] { out.raw(slots.out.bytes); });
    section(Section::births, [&] { write_births(out, lists); });
    section(Section::deaths, [&] { write_deaths(out, lists); });
    section(Section::calls, [&] { write_calls(out, lists); });
    section(Section::ranges, [&] { write_ranges(out, lists); });
    section(Section::range_bytes, [&] { pack(out, lists.range_bytes); });
    section(Section::marks, [&] { write_marks(out, lists); });
    section(Section::open_calls, [&] { write_open_calls(out, lists); });
    std::memcpy(out.bytes.data(), &table, sizeof table);
    return std::move(out.bytes);
}

std::string encode_scan(std::span<const ScanWord> words) {
    ByteWriter out;
    for (const ScanWord &word : words)
        out.fixed(word);
    return {out.bytes.begin(), out.bytes.end()};
}

std::vector<ScanWord> decode_scan(std::string_view text) {
    ByteReader in(ByteSpan(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
    std::vector<ScanWord> words(text.size() / sizeof(ScanWord));
    for (ScanWord &word : words)
        word = in.fixed<ScanWord>();
    return words;
}

std::string encode_error(const ErrorDetails &error) {
    ByteWriter out;
    for (uint64_t member : {error.number, error.bytes, error.block, uint64_t(error.stack)})
        out.varint(member);
    out.varint(error.by_system_call);
    out.varint(error.origin);
    return {out.bytes.begin(), out.bytes.end()};
}

ErrorDetails decode_error(std::string_view text) {
    ByteReader in(ByteSpan(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
    ErrorDetails error;
    error.number = in.varint();
    error.bytes = in.varint();
    error.block = in.varint();
    error.stack = uint32_t(in.varint());
    error.by_system_call = in.varint();
    error.origin = in.done() ? 0 : uint32_t(in.varint()); // older traces end here
    return error;
}

EventsView::EventsView(ByteSpan payload) : payload_(payload) {
    table_ = ByteReader(payload).fixed<SectionTable>();
}

ByteSpan EventsView::section(Section which) const {
    const auto &entry = table_.entries[size_t(which)];
    if (entry.offset > payload_.size() || entry.length > payload_.size() - entry.offset)
        throw FormatError("damaged section table");
    return payload_.subspan(entry.offset, entry.length);
}

std::span<const SlotSegment> EventsView::segments() const {
    ByteSpan bytes = section(Section::segments);
    return {reinterpret_cast<const SlotSegment *>(bytes.data()),
            bytes.size() / sizeof(SlotSegment)};
}

std::vector<uint64_t> EventsView::changes() const {
    ByteReader packed(section(Section::changes));
    Bytes plain = unpack(packed);
    std::vector<uint64_t> words(plain.size() / 8);
    std::memcpy(words.data(), plain.data(), words.size() * 8);
    return words;
}

uint64_t EventsView::first_node() const {
    return ByteReader(section(Section::births)).varint();
}

std::vector<Birth> EventsView::births() const {
    ByteReader in(section(Section::births));
    in.varint();
    ColumnReader columns(in, 7);
    std::vector<Birth> births(columns.size());
    for (Birth &birth : births) {
        birth.event = uint32_t(columns.delta(0));
        birth.address = columns.delta(1);
        birth.size = columns.plain(2);
        birth.stack = uint32_t(columns.delta(3));
        birth.name = uint32_t(columns.delta(4));
        uint64_t bits = columns.plain(5);
        birth.kind = NodeKind(bits & 1);
        birth.allocator = Allocator(bits >> 1 & 15);
        birth.flags = uint8_t(bits >> 5);
        birth.type = uint32_t(columns.plain(6));
    }
    return births;
}

std::vector<Death> EventsView::deaths() const {
    ByteReader in(section(Section::deaths));
    ColumnReader columns(in, 3);
    const Bytes last = in.left() ? unpack(in) : Bytes(); // traces of format 6 have none
    ByteReader deallocators(last);
    std::vector<Death> deaths(columns.size());
    for (Death &death : deaths) {
        death.event = uint32_t(columns.delta(0));
        death.node = columns.delta(1);
        death.stack = uint32_t(columns.delta(2));
        if (!last.empty())
            death.deallocator = Deallocator(deallocators.varint());
    }
    return deaths;
}

std::vector<Call> EventsView::calls() const {
    ByteReader in(section(Section::calls));
    ColumnReader columns(in, 2);
    std::vector<Call> calls(columns.size());
    for (Call &call : calls) {
        call.event = uint32_t(columns.delta(0));
        uint64_t bits = columns.plain(1);
        call.call = uint32_t(bits >> 1);
        call.is_return = bits & 1;
    }
    return calls;
}

std::vector<Switch> EventsView::switches() const {
    ByteReader in(section(Section::switches));
    ColumnReader columns(in, 2);
    std::vector<Switch> switches(columns.size());
    for (Switch &item : switches) {
        item.event = uint32_t(columns.delta(0));
        item.thread = uint32_t(columns.plain(1));
    }
    return switches;
}

std::vector<Range> EventsView::ranges() const {
    ByteReader in(section(Section::ranges));
    ColumnReader columns(in, 5);
    std::vector<Range> ranges(columns.size());
    uint64_t bytes = 0;
    for (Range &range : ranges) {
        range.event = uint32_t(columns.delta(0));
        range.address = columns.delta(1);
        range.length = columns.plain(2);
        range.site = uint32_t(columns.plain(3));
        uint64_t bits = columns.plain(4);
        range.is_fill = bits & 1;
        range.is_initial = bits >> 1 & 1;
        range.fill = uint8_t(bits >> 2);
        range.bytes = bytes;
        if (!range.is_fill)
            bytes += range.length;
    }
    return ranges;
}

Bytes EventsView::range_bytes() const {
    ByteReader in(section(Section::range_bytes));
    return unpack(in);
}

std::vector<Mark> EventsView::marks() const {
    ByteReader packed(section(Section::marks));
    Bytes plain = unpack(packed);
    ByteReader in(plain);
    std::vector<Mark> marks(in.count());
    for (Mark &mark : marks) {
        mark.event = uint32_t(in.varint());
        mark.kind = Mark::Kind(in.varint());
        mark.a = in.varint();
        mark.b = in.varint();
        mark.site = uint32_t(in.varint());
        mark.thread = uint32_t(in.varint());
        bool is_text = mark.kind != Mark::Kind::scan && mark.kind != Mark::Kind::error;
        mark.text = is_text ? printable(in.string()) : std::string(in.string());
    }
    return marks;
}

std::vector<OpenCalls> EventsView::open_calls() const {
    ByteReader packed(section(Section::open_calls));
    Bytes plain = unpack(packed);
    ByteReader in(plain);
    std::vector<OpenCalls> threads(in.count());
    for (OpenCalls &open : threads) {
        open.thread = uint32_t(in.varint());
        open.calls.resize(in.count());
        for (uint32_t &call : open.calls)
            call = uint32_t(in.varint());
    }
    return threads;
}

} // namespace heapstory
