// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/recording.h"

#include "collect/chunks/store_records.h"
#include "collect/input/translate.h"
#include "heapstory_wire.h"

#include <iostream>

namespace heapstory {

namespace {

constexpr size_t record_bytes = 16;
constexpr uint64_t many_bad_frees = 1'000'000; // more often than not without end

unsigned without_more(unsigned kind) {
    return kind & ~unsigned(HSW_RANGE_MORE);
}

SiteKind site_kind_of_range(unsigned kind) {
    switch (without_more(kind)) {
    case HSW_RANGE_FILL:
        return SiteKind::fill;
    case HSW_RANGE_SYSCALL:
        return SiteKind::syscall;
    default:
        return SiteKind::copy;
    }
}

// What still counts after the end of the section.
bool is_last_word(uint32_t tag) {
    return tag == HSW_CRASH || tag == HSW_EXIT || tag == HSW_SCAN || tag == HSW_COUNTED ||
           tag == HSW_CANDIDATE || tag == HSW_ERROR || tag == HSW_ERROR_TIMES;
}

// Moments to which blocks are alive or not.
bool looks_at_heap(uint32_t tag) {
    return tag == HSW_CPOINT || tag == HSW_SCAN || tag == HSW_CRASH || tag == HSW_EXIT ||
           tag == HSW_EXECVE;
}

bool is_truth(const Record &record) {
    switch (record.tag) {
    case HSW_ALLOC:
    case HSW_FREE_BLOCK:
    case HSW_REALLOC:
    case HSW_REALLOC_OLD:
        return record.kind() & HSW_TRUTH;
    default:
        return false;
    }
}

bool is_mapping(const uint8_t *at) {
    const uint64_t tag = record_at(at).first >> HSW_ADDRESS_BITS;
    return tag == HSW_FILE_MAPPED || tag == HSW_FILE_UNMAPPED;
}

// Says of events in which step they happened.
class EventSteps {
  public:
    EventSteps(StreamBuilder &stream, std::span<const RecordStep> steps)
        : stream_(stream), steps_(steps) {}
    // By the record at `offset`; later ones follow.
    void add(uint64_t event, size_t offset) { stream_.event(event, step(offset)); }
    uint32_t step(size_t offset) {
        while (at_ + 1 < steps_.size() && steps_[at_ + 1].offset <= offset)
            ++at_;
        return steps_[at_].step;
    }

  private:
    StreamBuilder &stream_;
    std::span<const RecordStep> steps_;
    size_t at_ = 0;
};

} // namespace

void Unseen::add(uint64_t address) {
    ++bytes;
    if (!ranges.empty() && ranges.back().address + ranges.back().length == address)
        ++ranges.back().length;
    else if (ranges.size() < most_ranges)
        ranges.push_back({address, 1});
}

void Recording::feed(ByteSpan records) {
    const uint8_t *at = records.data(), *end = at + records.size();
    while (at + record_bytes <= end && !enough_) {
        if (in_stream_)
            at = separate(at, end);
        else if (at = parse({at, end}, {}); at + record_bytes <= end && !enough_)
            enter_stream();
    }
}

void Recording::flush() {
    if (window_ && !stream_.is_empty() && !separator_.is_ahead())
        write_sequence();
    output_.flush();
}

void Recording::write_out() {
    flush();
    output_.drain();
}

void Recording::enter_stream() {
    in_stream_ = true;
    stream_.begin(stacks_.thread(), builder_.events());
    separator_.set_limit(options_.most_instructions);
    window_ = stream_.steps();
}

const uint8_t *Recording::separate(const uint8_t *at, const uint8_t *end) {
    at = separator_.take(at, end);
    parse_others();
    if (at == end || enough_)
        return at;
    if (StreamSeparator::ends_stream(at)) {
        settle_stream();
        end_window(WindowEnd::until);
        in_stream_ = false;
        return at + record_bytes;
    }
    if (separator_.is_at_limit()) {
        enough_of_stream_ = true;
        end_window(WindowEnd::instructions);
        separator_.ignore_stream();
    } else
        write_sequence();
    return at;
}

void Recording::parse_others() {
    parse(separator_.others(), window_ ? separator_.steps() : std::span<const RecordStep>());
    separator_.drop_others();
}

void Recording::settle_stream() {
    separator_.finish();
    parse_others();
}

void Recording::end_window(std::optional<WindowEnd> end) {
    if (!window_)
        return;
    write_sequence();
    if (end)
        output_.write_window({*window_, stream_.steps() - *window_, *end});
    window_.reset();
}

const uint8_t *Recording::parse(ByteSpan records, std::span<const RecordStep> steps) {
    const uint8_t *start = records.data(), *at = start, *end = at + records.size();
    const uint64_t most_changes = options_.most_changes ? options_.most_changes : ~uint64_t(0);
    EventSteps positions(stream_, steps);
    while (!enough_ || (at + record_bytes <= end && continues(at))) {
        const uint8_t *stores = at;
        uint64_t event = builder_.events();
        if (!finished_)
            at = builder_.take_stores(at, end, sites_.stores(), stacks_.context(), most_changes);
        if (!steps.empty())
            for (; stores < at; stores += record_bytes)
                if (sites_.stores()[record_at(stores).first >> HSW_ADDRESS_BITS].begins)
                    positions.add(event++, size_t(stores - start));
        enough_ = builder_.timestamp() >= most_changes;
        if (at + record_bytes > end || (enough_ && !continues(at)))
            return at;
        fetch_ahead(at, end);
        if (is_mapping(at))
            step_ = steps.empty() ? stream_.steps()
                                  : stream_.first_step() + positions.step(size_t(at - start));
        const uint8_t *next = parse_record(at, end);
        if (next == at)
            return at;
        for (; !steps.empty() && event < builder_.events(); ++event)
            positions.add(event, size_t(at - start));
        at = next;
        enough_ = builder_.timestamp() >= most_changes;
    }
    return at;
}

// Blocks come in no order. Where payloads stand between the records, nothing is lost but time.
void Recording::fetch_ahead(const uint8_t *at, const uint8_t *end) const {
    constexpr ptrdiff_t ahead = 12; // records
    if (end - at < (ahead + 1) * ptrdiff_t(record_bytes))
        return;
    const uint64_t first = record_at(at + ahead * ptrdiff_t(record_bytes)).first;
    const auto tag = uint32_t(first >> HSW_ADDRESS_BITS);
    if (tag == HSW_ALLOC || tag == HSW_FREE_BLOCK)
        allocations_.fetch(first & HSW_ADDRESS_MASK);
}

// Whether a record is a part of the event before it, rather than the next one.
bool Recording::continues(const uint8_t *at) {
    const auto [first, value] = record_at(at);
    const uint32_t tag = uint32_t(first >> HSW_ADDRESS_BITS);
    if (tag < HSW_FIRST_TAG)
        return tag < sites_.stores().size() && !sites_.stores()[tag].begins;
    const unsigned kind = without_more(Record{tag, 0, value}.kind());
    bool joins = continued_range_ || kind == HSW_RANGE_REALLOC;
    return (tag == HSW_RANGE && joins) || (tag == HSW_FILL && continued_range_) ||
           tag == HSW_JOIN || tag == HSW_SOURCE;
}

// Returns where the next one begins; the same place if this one is of the stream.
const uint8_t *Recording::parse_record(const uint8_t *at, const uint8_t *end) {
    const auto [first, value] = record_at(at);
    const uint32_t tag = uint32_t(first >> HSW_ADDRESS_BITS);
    const uint64_t address = first & HSW_ADDRESS_MASK;
    if (tag < HSW_FIRST_TAG) {
        if (!finished_)
            store(tag, address, value);
        return at + record_bytes;
    }
    if (StreamSeparator::is_stream(tag))
        return at;
    Record record{tag, address, value};
    at += record_bytes;
    std::optional<Payload> payload = take_payload(record, at, end);
    if (!payload)
        return end; // cut off
    if (!finished_ || is_last_word(tag))
        control(record, *payload);
    return at;
}

void Recording::close() {
    if (in_stream_) {
        settle_stream();
        const bool ended = finished_ || enough_ || exit_code_ || crash_signal_ || executes_;
        end_window(ended ? std::optional(WindowEnd::recording) : std::nullopt);
    }
    allocations_.write_recent();
    output_.close();
}

void Recording::store(uint32_t raw_id, uint64_t address, uint64_t value) {
    const StoreSite &site = sites_.store(raw_id);
    if (site.begins || !builder_.position())
        output_.begin_event();
    builder_.store(address, site.size, value, site.site);
}

void Recording::control(const Record &record, const Payload &payload) {
    if (record.tag >= HSW_MODE)
        return found_nodes_.take(record);
    if (is_truth(record))
        return found_nodes_.truth(record);
    switch (record.tag) {
    case HSW_CALL:
        return call(record);
    case HSW_RET:
        return stacks_.returned(record.address, [this](const Frame &frame) { returned(frame); });
    case HSW_SITE:
        return sites_.define(record);
    case HSW_ALLOC:
        if (in_snapshot_)
            return allocations_.found(record);
        if (allocator_of(record.kind()) == Allocator::custom)
            return allocations_.custom_allocate(record, stacks_.last_returned().site);
        return allocations_.allocate(record);
    case HSW_FREE_BLOCK:
        if (!allocations_.release(record))
            bad_free(record);
        return;
    case HSW_BAD_FREE:
        return bad_free(record);
    case HSW_REQUEST:
        unwind(record.address);
        return allocations_.requested(sites_.of_code(record.value));
    case HSW_REALLOC:
        return allocations_.reallocate_to(record);
    case HSW_REALLOC_OLD:
        return allocations_.reallocate_from(record);
    case HSW_RANGE:
        if (without_more(record.kind()) == HSW_RANGE_FILL)
            fill_ = record;
        else if (!payload.bytes.empty())
            range(record, payload);
        return;
    case HSW_FILL:
        return fill(record);
    case HSW_SWITCH:
        stacks_.switch_to(uint32_t(record.address));
        builder_.lists.switches.push_back({builder_.position(), uint32_t(record.address)});
        return;
    case HSW_MAP:
        return mapped(record, payload);
    case HSW_UNMAP:
        sites_.forget_addresses();
        return allocations_.unmapped(record.address, record.value);
    case HSW_GLOBALS:
        return allocations_.globals(record.address, record.value);
    case HSW_RECEIVER:
        return modules_.receiver(record.address, record.value);
    case HSW_STACK:
        return found_stack(record, payload);
    case HSW_SNAPSHOT:
        in_snapshot_ = true;
        return;
    case HSW_HOLDS:
        return shadow_.compare(record.address, payload.bytes, [&](uint64_t address) {
            if (record.kind() != HSW_HOLDS_NODES ||
                found_nodes_.is_allocated(address, payload.end_value))
                unseen_.add(address);
        });
    case HSW_UNSEEN:
        unseen_.by_io_uring |= record.address == HSW_UNSEEN_IO_URING;
        return;
    default: // START and END say nothing here
        moment(record, payload);
    }
}

// What becomes a mark of the trace: something that happened between events.
void Recording::moment(const Record &record, const Payload &payload) {
    if (looks_at_heap(record.tag))
        allocations_.write_recent();
    switch (record.tag) {
    case HSW_CPOINT:
        cpoint(record, payload);
        break;
    case HSW_ERROR:
        error(record, payload);
        break;
    case HSW_ERROR_TIMES:
        mark(Mark::Kind::error_times, record.address, record.value);
        break;
    case HSW_ROOT:
        mark(Mark::Kind::root, record.address, record.value).text = payload.text();
        break;
    case HSW_FILE_MAPPED:
        mark(Mark::Kind::mapping, record.address, record.value).text =
            std::to_string(step_) + " " + payload.text();
        break;
    case HSW_FILE_UNMAPPED:
        mark(Mark::Kind::mapping, record.address, record.value).text = std::to_string(step_);
        break;
    case HSW_SCAN:
        scans_ += record.kind() == HSW_SCAN_PARTS && payload.bytes.empty();
        mark(Mark::Kind::scan, uint64_t(scan_of(record.kind())), record.address).text =
            encode_scan(scan_words(payload.bytes));
        break;
    case HSW_SIGNAL:
        unwind(record.address);
        mark(Mark::Kind::signal, record.value);
        break;
    case HSW_SIGRETURN:
        mark(Mark::Kind::sigreturn);
        break;
    case HSW_CRASH:
        crash(record);
        break;
    case HSW_EXIT:
        mark(Mark::Kind::exit, record.value);
        exit_code_ = int(record.value);
        break;
    case HSW_EXECVE:
        mark(Mark::Kind::exec).text = payload.text();
        executes_ = true;
        break;
    case HSW_THREAD_END:
        mark(Mark::Kind::thread_end, record.address);
        stacks_.end_thread(uint32_t(record.address));
        frame_variables_.thread_ended(uint32_t(record.address));
        break;
    case HSW_BEGIN:
        in_snapshot_ = false;
        mark(Mark::Kind::begin);
        break;
    case HSW_FINISH:
        finished_ = true;
        mark(Mark::Kind::finish);
        break;
    default:
        break;
    }
}

// Returns of other code are not recorded: the stack pointer shows which frames are gone.
void Recording::unwind(uint64_t stack_pointer) {
    stacks_.unwind(stack_pointer, [this](const Frame &frame) { returned(frame); });
}

void Recording::crash(const Record &record) {
    crash_signal_ = int(record.value & 0xff);
    unwind(record.value >> 8);
    uint32_t site = sites_.of_code(record.address);
    const uint64_t stack = sites_.stack(sites_.current_stack(), site);
    Mark &crash = mark(Mark::Kind::crash, record.address, stack << 8 | (record.value & 0xff));
    if (tables_.sites[site].own)
        crash.site = site;
}

void Recording::cpoint(const Record &record, const Payload &payload) {
    unwind(record.address);
    uint32_t site = sites_.of_code(payload.end_value);
    Mark &point = mark(Mark::Kind::cpoint, uint64_t(marked_by(record.kind())), record.length());
    point.text = payload.text();
    point.site = site;
}

void Recording::bad_free(const Record &record) {
    if (++bad_frees_ == many_bad_frees)
        std::cerr << "heapstory: " << many_bad_frees
                  << " frees of what is no block, and it goes on "
                  << "(Ctrl-C ends the program; what was recorded is kept)\n";
    allocations_.tell_freed(record.address | record.value << HSW_ADDRESS_BITS);
    output_.begin_event();
    uint64_t stack = sites_.current_stack();
    const auto raw = uint32_t(record.value >> HSW_BAD_FREE_SITE);
    if (raw)
        stack = sites_.stack(uint32_t(stack), sites_.of_range(sites_.raw(raw), SiteKind::other));
    mark(Mark::Kind::bad_free, record.address | record.value << HSW_ADDRESS_BITS,
         stack << 8 | uint64_t(deallocator_of(record.kind())));
}

void Recording::error(const Record &record, const Payload &payload) {
    hsw_error_report report;
    if (payload.bytes.size() < sizeof report)
        return;
    std::memcpy(&report, payload.bytes.data(), sizeof report);
    unwind(record.address);
    const uint64_t block = allocations_.tell(report.block) ? report.block : 0;
    ErrorDetails details{report.number, report.bytes, block, sites_.current_stack(),
                         report.by_system_call != 0};
    uint32_t site = stacks_.context();
    if (report.site) {
        const RawSite &raw = sites_.raw(report.site);
        const auto &frames = stacks_.frames();
        // What other code does is own code's call, which is on the stack already.
        const bool is_there = !raw.own && !frames.empty() && frames.back().site == site;
        site = sites_.of_range(raw, SiteKind::other);
        if (!is_there)
            details.stack = sites_.stack(details.stack, site);
    }
    if (report.origin)
        details.origin = sites_.of_range(sites_.raw(report.origin), SiteKind::other);
    Mark &made = mark(Mark::Kind::error, uint64_t(error_of(report.kind)), report.address);
    made.text = encode_error(details);
    made.site = site;
    ++errors_;
}

Mark &Recording::mark(Mark::Kind kind, uint64_t a, uint64_t b) {
    Mark &mark = builder_.lists.marks.emplace_back();
    mark.event = builder_.position();
    mark.kind = kind;
    mark.a = a;
    mark.b = b;
    mark.site = stacks_.context();
    mark.thread = stacks_.thread();
    return mark;
}

void Recording::call(const Record &record) {
    RawSite &raw = sites_.raw(uint32_t(record.value >> HSW_ADDRESS_BITS));
    Frame frame;
    frame.sp = record.address;
    frame.site = raw.site;
    frame.call = sites_.call_id(raw, record.value);
    frame.event = builder_.events();
    stacks_.push(frame, [this](const Frame &gone) { returned(gone); });
    // Own code's calls are themselves the context of what happens below them.
    auto &frames = stacks_.frames();
    uint32_t outer = frames.size() > 1 ? frames[frames.size() - 2].context : 0;
    stacks_.set_context(raw.own ? raw.site : outer);
    if (frame.call && !options_.held_back)
        builder_.lists.calls.push_back({builder_.position(), frame.call, false});
    frame_variables_.called(frame, stacks_.thread());
}

void Recording::returned(const Frame &frame) {
    frame_variables_.returned(frame);
    if (!frame.call || options_.held_back)
        return;
    auto &calls = builder_.lists.calls;
    bool idle = frame.event == builder_.events();
    if (idle && !calls.empty() && calls.back().call == frame.call && !calls.back().is_return)
        calls.pop_back(); // nothing happened in between
    else
        calls.push_back({builder_.position(), frame.call, true});
}

void Recording::found_stack(const Record &record, const Payload &payload) {
    stacks_.switch_to(uint32_t(record.address));
    hsw_frame caller, found;
    for (size_t i = 0; i + sizeof found <= payload.bytes.size();
         i += sizeof found, caller = found) {
        std::memcpy(&found, payload.bytes.data() + i, sizeof found);
        if (i == 0)
            continue;
        Frame frame;
        frame.sp = found.sp;
        frame.site = sites_.of_code(caller.pc);
        frame.context = tables_.sites[frame.site].own ? frame.site : stacks_.context();
        frame.call = sites_.new_call(frame.site, found.pc);
        stacks_.push(frame, [](const Frame &) {});
    }
}

void Recording::mapped(const Record &record, const Payload &payload) {
    hsw_map map;
    std::memcpy(&map, payload.bytes.data(), sizeof map);
    Mapped mapped;
    mapped.address = record.address;
    mapped.length = record.length();
    mapped.file_offset = map.file_offset;
    mapped.writable = record.kind() & 2;
    mapped.executable = record.kind() & 4;
    mapped.own = map.own;
    modules_.map(mapped, payload.text(sizeof map));
}

uint32_t Recording::ranged_site(uint64_t raw, unsigned kind) {
    return sites_.of_range(sites_.raw(uint32_t(raw)), site_kind_of_range(kind));
}

// Pieces of one operation, and the bytes that a reallocation moved, share its event. What is
// written is written into blocks that are in the trace.
void Recording::begin_ranged_event(unsigned kind) {
    bool joins = continued_range_ || without_more(kind) == HSW_RANGE_REALLOC;
    if (!joins)
        allocations_.write_recent();
    if (!joins || !builder_.position())
        output_.begin_event();
    continued_range_ = kind & HSW_RANGE_MORE;
}

void Recording::range(const Record &record, const Payload &payload) {
    if (record.kind() == HSW_RANGE_INITIAL) {
        builder_.initial(record.address, payload.bytes);
        return;
    }
    begin_ranged_event(record.kind());
    builder_.copy(record.address, payload.bytes, ranged_site(payload.end_value, record.kind()));
}

void Recording::fill(const Record &record) {
    if (!fill_)
        return;
    begin_ranged_event(fill_->kind());
    builder_.fill(fill_->address, fill_->length(), uint8_t(record.value),
                  ranged_site(record.address, fill_->kind()));
    fill_.reset();
}

} // namespace heapstory
