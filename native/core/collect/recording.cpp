// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/recording.h"

#include "format/lookup.h"
#include "heapstory_wire.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

namespace heapstory {

namespace {

constexpr uint64_t length_mask = (uint64_t(1) << 56) - 1;

SiteKind site_kind_of_range(unsigned kind) {
    switch (kind & ~unsigned(HSW_RANGE_MORE)) {
    case HSW_RANGE_FILL:
        return SiteKind::fill;
    case HSW_RANGE_SYSCALL:
        return SiteKind::syscall;
    default:
        return SiteKind::copy;
    }
}

} // namespace

Recording::Recording(TraceWriter &writer, const RecordingOptions &options)
    : writer_(writer), options_(options), raw_sites_(1) {
    builder_.lists.first_node = next_node_;
    begin_chunk();
}

void Recording::feed(ByteSpan records) {
    const uint8_t *at = records.data(), *end = at + records.size();
    while (at + 16 <= end && !enough_) {
        uint64_t first, value;
        std::memcpy(&first, at, 8);
        std::memcpy(&value, at + 8, 8);
        at += 16;
        uint32_t tag = uint32_t(first >> HSW_ADDRESS_BITS);
        uint64_t address = first & HSW_ADDRESS_MASK;
        if (tag < HSW_FIRST_TAG) [[likely]] {
            if (!finished_)
                store(tag, address, value);
        } else
            at = control({tag, address, value}, at, end);
        if (options_.most_changes && builder_.timestamp() >= options_.most_changes)
            enough_ = true;
    }
}

void Recording::store(uint32_t raw_id, uint64_t address, uint64_t value) {
    if (raw_id >= raw_sites_.size())
        raw_id = 0;
    RawSite &raw = raw_sites_[raw_id];
    uint32_t site = raw.own && raw.site ? raw.site : site_of(raw);
    if (raw.kind != HSW_SITE_MORE || !builder_.position())
        begin_event();
    builder_.store(address, raw.size ? raw.size : 8, value, site);
}

// Chunks end between events, so that all parts of an event are in one.
void Recording::begin_event() {
    if (builder_.is_full()) [[unlikely]]
        write_chunk();
    builder_.begin_event();
}

uint32_t Recording::site_of(RawSite &raw) {
    uint32_t context = raw.own ? 0 : stacks_.context();
    if (raw.site && raw.context == context)
        return raw.site;
    raw.site = make_site(raw, context, SiteKind::store);
    raw.context = context;
    return raw.site;
}

uint32_t Recording::make_site(const RawSite &raw, uint32_t context, SiteKind kind) {
    uint64_t key = uint64_t(&raw - raw_sites_.data()) << 32 | context;
    auto [at, added] = site_ids_.try_emplace(key, uint32_t(tables_.sites.size()));
    if (added) {
        SiteRow row;
        row.instruction = modules_.locate(raw.pc);
        row.statement = context ? tables_.sites[context].instruction : row.instruction;
        row.kind = kind;
        row.size = raw.size;
        row.own = raw.own;
        tables_.sites.push_back(row);
    }
    return at->second;
}

void Recording::define_site(const Record &record) {
    uint32_t id = uint32_t(record.value & 0xffffff);
    if (id >= raw_sites_.size())
        raw_sites_.resize(id + 1);
    RawSite &raw = raw_sites_[id];
    raw.pc = record.address;
    raw.size = uint8_t(record.value >> 24);
    raw.kind = uint8_t(record.value >> 32);
    raw.own = record.value >> 40 & HSW_SITE_OWN;
    if (raw.kind == HSW_SITE_CALL)
        raw.site = make_site(raw, 0, SiteKind::call);
}

// 0 if the target is not the program's own.
uint32_t Recording::call_id(const RawSite &raw, uint64_t value) {
    auto [at, added] = call_ids_.try_emplace(value, 0);
    if (added) {
        CallRow row;
        row.site = raw.site;
        row.target = modules_.locate(value & HSW_ADDRESS_MASK);
        row.own = !row.target.module || modules_.is_own(row.target.module);
        if (row.own) {
            at->second = uint32_t(tables_.calls.size());
            tables_.calls.push_back(row);
        }
    }
    return at->second;
}

void Recording::call(const Record &record) {
    uint32_t raw_id = uint32_t(record.value >> HSW_ADDRESS_BITS);
    if (raw_id >= raw_sites_.size())
        return;
    RawSite &raw = raw_sites_[raw_id];
    if (raw.last_call != record.value) {
        raw.last_call = record.value;
        raw.call = call_id(raw, record.value);
    }
    Frame frame;
    frame.sp = record.address;
    frame.site = raw.site;
    frame.call = raw.call;
    frame.event = builder_.events();
    stacks_.push(frame, [this](const Frame &gone) { returned(gone); });
    // Own code's calls are themselves the context of what happens below them.
    auto &frames = stacks_.frames();
    uint32_t outer = frames.size() > 1 ? frames[frames.size() - 2].context : 0;
    stacks_.set_context(raw.own ? raw.site : outer);
    if (frame.call)
        builder_.lists.calls.push_back({builder_.position(), frame.call, false});
}

void Recording::returned(const Frame &frame) {
    if (!frame.call)
        return;
    auto &calls = builder_.lists.calls;
    bool idle = frame.event == builder_.events();
    if (idle && !calls.empty() && calls.back().call == frame.call && !calls.back().is_return)
        calls.pop_back(); // nothing happened in between
    else
        calls.push_back({builder_.position(), frame.call, true});
}

uint32_t Recording::intern_stack(uint32_t parent, uint32_t site) {
    auto [at, added] =
        stack_ids_.try_emplace(uint64_t(parent) << 32 | site, uint32_t(tables_.stacks.size()));
    if (added)
        tables_.stacks.push_back({parent, site});
    return at->second;
}

uint32_t Recording::current_stack() {
    const auto &frames = stacks_.frames();
    size_t known = frames.size();
    while (known && !frames[known - 1].stack)
        --known;
    uint32_t stack = known ? frames[known - 1].stack : 0;
    for (size_t i = known; i < frames.size(); ++i) {
        stack = intern_stack(stack, frames[i].site);
        stacks_.set_stack(i, stack);
    }
    return stack;
}

uint64_t Recording::born(Birth birth) {
    birth.event = birth.kind == NodeKind::heap && !(birth.flags & Birth::initial)
                      ? builder_.position() - 1
                      : builder_.position();
    builder_.lists.births.push_back(birth);
    return next_node_++;
}

void Recording::allocate(uint64_t address, uint64_t size, unsigned allocator) {
    Birth birth;
    birth.address = address;
    birth.size = size;
    birth.allocator = uint8_t(allocator);
    begin_event();
    builder_.change();
    birth.stack = current_stack();
    if (allocator == HSW_CALLOC) {
        birth.flags = Birth::zeroed;
        shadow_.zero(address, size, builder_.events() - 1);
    } else {
        shadow_.clear(address, size);
    }
    if (LiveNode *stale = live_.find(address)) // its free was not seen
        live_.erase(stale);
    live_.insert({address, size, born(birth)});
}

// A block of the starting snapshot: born before the recording, nobody knows where.
void Recording::found(uint64_t address, uint64_t size, unsigned allocator) {
    Birth birth;
    birth.address = address;
    birth.size = size;
    birth.allocator = uint8_t(allocator);
    birth.flags = Birth::initial;
    (allocator == HSW_CUSTOM ? custom_ : live_).insert({address, size, born(birth)});
}

// A wrapper of a known allocator returns a block born inside it: then the block belongs to the
// wrapper's caller. Anything else is a block of its own, inside a larger one or not.
void Recording::custom_allocate(uint64_t address, uint64_t size) {
    uint32_t stack = intern_stack(current_stack(), stacks_.last_returned().site);
    if (LiveNode *inner = live_.find(address); inner && inner->node >= builder_.lists.first_node) {
        builder_.lists.births[inner->node - builder_.lists.first_node].stack = stack;
        return;
    }
    if (LiveNode *stale = custom_.find(address))
        custom_.erase(stale);
    begin_event();
    builder_.change();
    shadow_.clear(address, size);
    Birth birth;
    birth.address = address;
    birth.size = size;
    birth.allocator = HSW_CUSTOM;
    birth.stack = stack;
    custom_.insert({address, size, born(birth)});
}

void Recording::release(uint64_t address, unsigned allocator) {
    LiveNodes &nodes = allocator == HSW_CUSTOM ? custom_ : live_;
    LiveNode *node = nodes.find(address);
    if (!node)
        return;
    begin_event();
    builder_.change();
    shadow_.clear(address, node->size);
    builder_.lists.deaths.push_back({builder_.position() - 1, node->node, current_stack()});
    nodes.erase(node);
}

void Recording::reallocate(uint64_t old_address, uint64_t old_size) {
    Record fresh = *reallocation_;
    reallocation_.reset();
    begin_event();
    builder_.change();
    uint32_t stack = current_stack();
    LiveNode *old = live_.find(old_address);
    if (old) {
        builder_.lists.deaths.push_back({builder_.position() - 1, old->node, stack});
        old_size = old->size;
        live_.erase(old);
    }
    Birth birth;
    birth.address = fresh.address;
    birth.size = fresh.value & length_mask;
    birth.allocator = uint8_t(fresh.value >> 56);
    birth.stack = stack;
    if (fresh.address == old_address) {
        birth.flags = Birth::in_place;
        uint64_t kept = std::min(old_size, birth.size);
        shadow_.clear(old_address + kept, std::max(old_size, birth.size) - kept);
    } else {
        birth.flags = Birth::moved;
        shadow_.clear(fresh.address, birth.size);
        shadow_.clear(old_address, old_size);
    }
    live_.insert({birth.address, birth.size, born(birth)});
}

void Recording::globals(uint64_t address, uint64_t length) {
    uint32_t section = tables_.string(modules_.name_of(address));
    auto add = [&](uint64_t from, uint64_t size, uint32_t name, TypeId type) {
        Birth birth;
        birth.address = from;
        birth.size = size;
        birth.kind = NodeKind::global;
        birth.flags = Birth::zeroed;
        birth.name = name;
        birth.type = type;
        globals_[from] = born(birth);
    };
    // Variables by name, and what lies between them as pieces of the section.
    uint64_t at = address;
    for (const Variable &variable : modules_.variables(address, length)) {
        if (variable.address > at)
            add(at, variable.address - at, section, no_type);
        add(variable.address, variable.size, tables_.string(variable.name), variable.type);
        at = variable.address + variable.size;
    }
    if (at < address + length)
        add(at, address + length - at, section, no_type);
    shadow_.zero(address, length, builder_.events());
}

void Recording::unmapped(uint64_t address, uint64_t length) {
    bool any = false;
    for (auto at = globals_.begin(); at != globals_.end();) {
        if (at->first < address || at->first >= address + length) {
            ++at;
            continue;
        }
        builder_.lists.deaths.push_back({builder_.position(), at->second, 0});
        at = globals_.erase(at);
        any = true;
    }
    if (any)
        shadow_.clear(address, length);
    modules_.unmap(address, length);
}

uint32_t Recording::ranged_site(uint32_t raw_id, unsigned kind) {
    if (raw_id >= raw_sites_.size())
        raw_id = 0;
    RawSite &raw = raw_sites_[raw_id];
    return make_site(raw, raw.own ? 0 : stacks_.context(), site_kind_of_range(kind));
}

// Pieces of one operation, and the bytes that a reallocation moved, share its event.
void Recording::begin_ranged_event(unsigned kind) {
    bool joins = continued_range_ || (kind & ~unsigned(HSW_RANGE_MORE)) == HSW_RANGE_REALLOC;
    if (!joins || !builder_.position())
        begin_event();
    continued_range_ = kind & HSW_RANGE_MORE;
}

void Recording::range(const Record &record, const Payload &payload) {
    unsigned kind = unsigned(record.value >> 56);
    if (kind == HSW_RANGE_INITIAL) {
        builder_.initial(record.address, payload.bytes);
        return;
    }
    begin_ranged_event(kind);
    builder_.copy(record.address, payload.bytes, ranged_site(uint32_t(payload.end_value), kind));
}

void Recording::fill(uint64_t address, uint64_t length, uint8_t byte, uint32_t raw) {
    begin_ranged_event(HSW_RANGE_FILL);
    builder_.fill(address, length, byte, ranged_site(raw, HSW_RANGE_FILL));
}

Mark &Recording::mark(Mark::Kind kind) {
    Mark mark;
    mark.event = builder_.position();
    mark.kind = kind;
    mark.site = stacks_.context();
    mark.thread = stacks_.thread();
    builder_.lists.marks.push_back(std::move(mark));
    return builder_.lists.marks.back();
}

const uint8_t *Recording::payload(const uint8_t *at, const uint8_t *end, uint64_t length,
                                  Payload &out) {
    uint64_t whole = (length + 15) & ~uint64_t(15);
    if (whole + 16 > uint64_t(end - at))
        return end; // cut off: nothing follows
    out.bytes = {at, size_t(length)};
    std::memcpy(&out.end_value, at + whole + 8, 8);
    return at + whole + 16;
}

const uint8_t *Recording::text_payload(const uint8_t *at, const uint8_t *end, std::string &out) {
    const void *stop = std::memchr(at, 0, size_t(end - at));
    if (!stop)
        return end;
    out.assign(reinterpret_cast<const char *>(at), static_cast<const char *>(stop));
    Payload whole;
    return payload(at, end, out.size() + 1, whole);
}

const uint8_t *Recording::control(const Record &record, const uint8_t *at, const uint8_t *end) {
    bool last_words = record.tag == HSW_CRASH || record.tag == HSW_EXIT || record.tag == HSW_SCAN;
    if (finished_ && !last_words)
        return skip_payload(record, at, end);
    uint64_t length = record.value & length_mask;
    unsigned kind = unsigned(record.value >> 56);
    Payload bytes;
    switch (record.tag) {
    case HSW_CALL:
        call(record);
        break;
    case HSW_RET:
        stacks_.returned(record.address, [this](const Frame &frame) { returned(frame); });
        break;
    case HSW_SITE:
        define_site(record);
        break;
    case HSW_ALLOC:
        in_snapshot_         ? found(record.address, length, kind)
        : kind == HSW_CUSTOM ? custom_allocate(record.address, length)
                             : allocate(record.address, length, kind);
        break;
    case HSW_FREE_BLOCK:
        release(record.address, kind);
        break;
    case HSW_REALLOC:
        reallocation_ = record;
        break;
    case HSW_REALLOC_OLD:
        if (reallocation_)
            reallocate(record.address, record.value);
        break;
    case HSW_RANGE:
        if ((kind & ~unsigned(HSW_RANGE_MORE)) == HSW_RANGE_FILL) {
            if (at + 16 > end)
                return end;
            uint64_t site, byte;
            std::memcpy(&site, at, 8);
            std::memcpy(&byte, at + 8, 8);
            fill(record.address, length, uint8_t(byte), uint32_t(site & HSW_ADDRESS_MASK));
            return at + 16;
        }
        at = payload(at, end, length, bytes);
        if (!bytes.bytes.empty())
            range(record, bytes);
        break;
    case HSW_SWITCH:
        stacks_.switch_to(uint32_t(record.address));
        builder_.lists.switches.push_back({builder_.position(), uint32_t(record.address)});
        break;
    case HSW_THREAD_END:
        mark(Mark::Kind::thread_end).a = record.address;
        stacks_.end_thread(uint32_t(record.address));
        break;
    case HSW_MAP: {
        hsw_map map;
        std::string path;
        if (uint64_t(end - at) < sizeof map)
            return end;
        std::memcpy(&map, at, sizeof map);
        const void *stop = std::memchr(at + sizeof map, 0, size_t(end - at) - sizeof map);
        if (!stop)
            return end;
        path = reinterpret_cast<const char *>(at + sizeof map);
        modules_.map({record.address, length, map.file_offset, (kind & 2) != 0, (kind & 4) != 0,
                      map.own != 0},
                     path);
        return payload(at, end, sizeof map + path.size() + 1, bytes);
    }
    case HSW_UNMAP:
        unmapped(record.address, record.value);
        break;
    case HSW_GLOBALS:
        globals(record.address, record.value);
        break;
    case HSW_RECEIVER:
        modules_.receiver(record.address, record.value);
        break;
    case HSW_CPOINT: {
        Mark &point = mark(Mark::Kind::cpoint);
        point.a = kind;
        point.b = length;
        return text_payload(at, end, point.text);
    }
    case HSW_ROOT: {
        Mark &root = mark(Mark::Kind::root);
        root.a = record.address;
        root.b = record.value;
        return text_payload(at, end, root.text);
    }
    case HSW_SCAN: {
        at = payload(at, end, length, bytes);
        Mark &scan = mark(Mark::Kind::scan);
        scan.a = kind;
        scan.b = record.address;
        scan.text.assign(reinterpret_cast<const char *>(bytes.bytes.data()), bytes.bytes.size());
        break;
    }
    case HSW_SIGNAL:
        mark(Mark::Kind::signal).a = record.value;
        break;
    case HSW_SIGRETURN:
        mark(Mark::Kind::sigreturn);
        break;
    case HSW_CRASH: {
        Mark &crash = mark(Mark::Kind::crash);
        crash.a = record.address;
        crash.b = record.value;
        crash_signal_ = int(record.value);
        break;
    }
    case HSW_EXIT:
        mark(Mark::Kind::exit).a = record.value;
        exit_code_ = int(record.value);
        break;
    case HSW_EXECVE: {
        Mark &exec = mark(Mark::Kind::exec);
        return text_payload(at, end, exec.text);
    }
    case HSW_STACK: {
        at = payload(at, end, length, bytes);
        stacks_.switch_to(uint32_t(record.address));
        for (size_t i = 0; i + sizeof(hsw_frame) <= bytes.bytes.size(); i += sizeof(hsw_frame)) {
            hsw_frame found;
            std::memcpy(&found, bytes.bytes.data() + i, sizeof found);
            SiteRow row;
            row.instruction = row.statement = modules_.locate(found.pc);
            row.kind = SiteKind::call;
            row.own = modules_.is_own(row.instruction.module);
            Frame frame;
            frame.sp = found.sp;
            frame.site = uint32_t(tables_.sites.size());
            frame.context = frame.site;
            tables_.sites.push_back(row);
            stacks_.push(frame, [](const Frame &) {});
        }
        break;
    }
    case HSW_SNAPSHOT:
        in_snapshot_ = true;
        break;
    case HSW_BEGIN:
        in_snapshot_ = false;
        mark(Mark::Kind::begin);
        break;
    case HSW_FINISH:
        finished_ = true;
        mark(Mark::Kind::finish);
        break;
    default: // START, END
        break;
    }
    return at;
}

// Records after the end of the section are read over.
const uint8_t *Recording::skip_payload(const Record &record, const uint8_t *at,
                                       const uint8_t *end) {
    uint64_t length = record.value & length_mask;
    bool is_fill = (record.value >> 56 & ~uint64_t(HSW_RANGE_MORE)) == HSW_RANGE_FILL;
    Payload unused;
    std::string text;
    switch (record.tag) {
    case HSW_RANGE:
        return is_fill ? at + 16 : payload(at, end, length, unused);
    case HSW_STACK:
    case HSW_EXECVE:
        return payload(at, end, length, unused);
    case HSW_CPOINT:
    case HSW_ROOT:
        return text_payload(at, end, text);
    case HSW_MAP: {
        const uint8_t *path = at + sizeof(hsw_map);
        const void *stop = path < end ? std::memchr(path, 0, size_t(end - path)) : nullptr;
        if (!stop)
            return end;
        return payload(at, end, uint64_t(static_cast<const uint8_t *>(stop) - at) + 1, unused);
    }
    default:
        return at;
    }
}

void Recording::begin_chunk() {
    builder_.lists.switches.push_back({0, stacks_.thread()});
    stacks_.for_each_thread([this](uint32_t thread, const std::vector<Frame> &frames) {
        OpenCalls open{thread, {}};
        for (const Frame &frame : frames)
            if (frame.call)
                open.calls.push_back(frame.call);
        builder_.lists.open_calls.push_back(std::move(open));
    });
}

// Everything is written by the queue's thread, in order.
void Recording::append(ChunkKind kind, Bytes payload, ChunkHeader header) {
    if (payload.empty())
        return;
    auto shared = std::make_shared<Bytes>(std::move(payload));
    queue_.add([this, kind, shared, header] { writer_.append(kind, *shared, header); });
}

void Recording::write_tables() {
    modules_.resolve();
    append(ChunkKind::tables, tables_writer_.rows());
    append(ChunkKind::symbols, tables_writer_.symbols());
}

void Recording::write_chunk() {
    write_tables();
    auto chunk = std::make_shared<GatheredChunk>(builder_.take(next_node_));
    begin_chunk();
    slots_since_keyframe_ += chunk->slots.size();
    queue_.add([this, chunk] { packer_.write(*chunk); });
    constexpr uint64_t least = uint64_t(1) << 22;
    if (slots_since_keyframe_ >= std::max(least, options_.keyframe_ratio * shadow_.live_words()))
        write_keyframe();
}

void Recording::write_keyframe() {
    ChunkHeader header;
    header.first_event = builder_.events();
    header.first_timestamp = builder_.timestamp();
    append(ChunkKind::keyframe, shadow_.keyframe(builder_.events()), header);
    slots_since_keyframe_ = 0;
}

void Recording::flush() {
    if (!builder_.empty())
        write_chunk();
}

void Recording::write_sources() {
    std::set<std::string> paths;
    for (const auto &places : tables_.places)
        for (const PlaceRow &place : places)
            if (place.path)
                paths.insert(tables_.text(place.path));
    constexpr std::streamoff largest = 4 << 20;
    for (const std::string &path : paths) {
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        if (!file || file.tellg() > largest)
            continue;
        file.seekg(0);
        std::ostringstream text;
        text << file.rdbuf();
        append(ChunkKind::source, tables_writer_.source(path, text.str()));
    }
}

void Recording::close() {
    flush();
    modules_.resolve();
    modules_.resolve_types();
    write_tables();
    if (options_.source)
        write_sources();
    // The last moment is the one that is asked for most.
    if (slots_since_keyframe_ > 4 * shadow_.live_words())
        write_keyframe();
    queue_.drain();
    Lookup lookup = build_lookup(TraceFile(writer_.directory()));
    writer_.append(ChunkKind::nodes, lookup.nodes);
    writer_.append(ChunkKind::words, lookup.words);
    writer_.close();
}

} // namespace heapstory
