// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/load.h"

#include "constraints/load/builder.h"
#include "graph/history/edge_versions.h"

#include <exception>
#include <thread>
#include <unordered_set>

namespace heapstory::constraints {

namespace {

// A node that others are split off is taken as it began: a constraint speaks of all its fields.
SourceBlock source_of(const Store &store, uint64_t id, NodeRow row) {
    const Tables &tables = store.tables();
    store.discovered().restore(id, row, row.birth);
    SourceBlock source;
    source.life = {row.address, row.size, row.birth, row.death};
    source.heap = row.kind == NodeKind::heap;
    source.zeroed = row.flags & Birth::zeroed;
    source.in_place = row.flags & Birth::in_place;
    Block &block = source.block;
    block.id = id;
    block.address = row.address;
    block.size = row.size;
    block.birth = row.birth_timestamp;
    block.death = row.death_timestamp;
    block.stack = row.kind == NodeKind::heap ? row.stack : 0;
    block.free_stack = row.free_stack;
    block.type_id = row.type                                ? row.type
                    : row.stack < tables.stack_types.size() ? tables.stack_types[row.stack]
                                                            : no_type;
    return source;
}

// Blocks whose contents a wanted block took over, by reallocation in place.
void add_ancestors(const Store &store, const NodeRow &row, std::unordered_set<uint64_t> &ids) {
    NodeRow at = row;
    while (at.flags & Birth::in_place && at.birth) {
        uint64_t before = store.nodes().find_last(at.address, at.birth - 1);
        if (!before || !ids.insert(before).second)
            return;
        at = store.nodes().get(before);
    }
}

void add_blocks(const Store &store, Builder &builder, uint64_t until) {
    std::unordered_set<uint64_t> ancestors;
    store.nodes().for_each([&](uint64_t id, const NodeRow &row) {
        if (row.flags & Birth::in_place && builder.wants(source_of(store, id, row)))
            add_ancestors(store, row, ancestors);
    });
    store.nodes().for_each([&](uint64_t id, const NodeRow &row) {
        SourceBlock source = source_of(store, id, row);
        if (source.block.birth > until)
            return;
        if (builder.wants(source) || ancestors.contains(id))
            builder.add(source);
    });
}

// One thread's share: the words from `first` to `end` of every chunk.
class Feed {
  public:
    Feed(const Store &store, Builder &builder, uint64_t until, unsigned part, uint64_t first,
         uint64_t end)
        : store_(store), builder_(builder), until_(until), part_(part), first_(first), end_(end) {}

    void run() {
        for (uint32_t chunk : store_.event_chunks())
            if (store_.header(chunk).first_timestamp <= until_)
                feed(chunk);
    }

  private:
    // Slots come in order of word and time; what ranges write to the same words comes in between.
    void feed(uint32_t chunk) {
        const ChunkHeader &header = store_.header(chunk);
        auto clock = store_.clock(chunk);
        EventsView view = store_.events(chunk);
        auto ranges = store_.ranges(chunk);
        ranged_.clear();
        for (const Range &range : ranges->ranges)
            add_range(range, *ranges, header, *clock);
        std::stable_sort(ranged_.begin(), ranged_.end());
        auto next = ranged_.begin();
        auto write_ranged = [&](const Ordered &before) {
            for (; next != ranged_.end() && *next < before; ++next)
                write(next->write);
        };
        for (const SlotSegment &segment : view.segments()) {
            if (segment.last_word < first_ || segment.first_word >= end_)
                continue;
            decode_segment(segment, view.slots(), slots_);
            for (const Slot &slot : slots_) {
                if (slot.word < first_ || slot.word >= end_)
                    continue;
                Ordered ordered;
                Write &write = ordered.write;
                write.word = slot.word;
                write.value = slot.value;
                write.event = header.first_event + slot.event;
                write.first = uint8_t(shape_first(slot.shape));
                write.size = uint8_t(shape_size(slot.shape));
                ordered.order = write.event * 2 + 1;
                write_ranged(ordered);
                if (builder_.is_silent(write))
                    continue;
                write.since = clock->timestamps.of(slot.event);
                write.site = slot.site;
                this->write(write);
            }
        }
        for (; next != ranged_.end(); ++next)
            write(next->write);
    }

    void write(const Write &write) {
        if (write.since <= until_)
            builder_.write(part_, write);
    }

    void add_range(const Range &range, const ChunkRanges &ranges, const ChunkHeader &header,
                   const ChunkClock &clock) {
        uint64_t last = (range.address + range.length + 7) / 8;
        for (uint64_t word = std::max(range.address / 8, first_); word < std::min(last, end_);
             ++word) {
            if (!builder_.holds(word))
                continue;
            uint64_t from = std::max(word * 8, range.address);
            uint64_t to = std::min(word * 8 + 8, range.address + range.length);
            Write write;
            write.word = word;
            if (range.is_fill)
                std::memset(&write.value, range.fill, to - from);
            else
                std::memcpy(&write.value,
                            ranges.bytes.data() + range.bytes + (from - range.address), to - from);
            write.event = header.first_event + range.event;
            write.since = range.is_initial ? 0 : clock.timestamps.of(range.event);
            write.site = range.site;
            write.first = uint8_t(from - word * 8);
            write.size = uint8_t(to - from);
            ranged_.push_back({write, write.event * 2 + !range.is_initial});
        }
    }

    struct Ordered {
        Write write;
        uint64_t order = 0;
        bool operator<(const Ordered &other) const {
            return write.word != other.write.word ? write.word < other.write.word
                                                  : order < other.order;
        }
    };
    const Store &store_;
    Builder &builder_;
    uint64_t until_;
    unsigned part_;
    uint64_t first_, end_; // words
    std::vector<Slot> slots_;
    std::vector<Ordered> ranged_;
};

// A second pass: it must be known which pointers to look for.
void add_references(const Store &store, Timeline &line) {
    Pointers pointers(store);
    EdgeVersions versions(store, pointers);
    line.begin_references();
    while (versions.read([&](const EdgeVersion &edge) {
        if (edge.target)
            line.references.add(
                edge.target, edge.value, edge.timestamp,
                std::min(edge.until, store.nodes().get(edge.target).death_timestamp));
    }))
        ;
    line.references.finish();
}

} // namespace

Timeline load(const Store &store, const Plan &plan, uint64_t until) {
    auto [low, high] = store.nodes().bounds();
    Builder builder(plan, [&store, low, high](uint64_t address, uint64_t n, SourceBlock &found) {
        if (address < low || address >= high)
            return false;
        uint64_t id = store.nodes().find(address, n);
        if (!id)
            return false;
        found = source_of(store, id, store.nodes().get(id));
        return true;
    });
    builder.next_birth = [&nodes = store.nodes()](uint64_t n) {
        uint64_t born = nodes.born_by(n);
        return born < nodes.size() ? nodes.get(born + 1).birth : forever;
    };
    add_blocks(store, builder, until);
    builder.begin(2);
    std::exception_ptr failure[2];
    auto work = [&](unsigned part) {
        try {
            Feed(store, builder, until, part, part ? builder.middle() : 0,
                 part ? ~uint64_t(0) : builder.middle())
                .run();
        } catch (...) {
            failure[part] = std::current_exception();
        }
    };
    {
        std::jthread other(work, 1);
        work(0);
    }
    for (auto &error : failure)
        if (error)
            std::rethrow_exception(error);
    Timeline line = builder.finish();
    line.last = std::min<uint64_t>(until, store.totals().changes);
    if (has(plan, Op::references))
        add_references(store, line);
    return line;
}

} // namespace heapstory::constraints
