// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/loops/loops.h"

#include "slice/forward.h"
#include "slice/loops/findings.h"
#include "slice/loops/iterations.h"
#include "slice/loops/shapes.h"
#include "slice/loops/sites.h"
#include "slice/shadow.h"
#include "slice/steps.h"
#include "stream/execution.h"

#include <array>
#include <bit>
#include <span>
#include <utility>

namespace heapstory::slice {

namespace {

using stream::Access;
using stream::AccessKind;
using stream::Block;
using stream::Effects;
using stream::Execution;
using stream::Instruction;
using stream::RegisterPart;
using stream::Role;

// Who made or read something, and when.
struct Dated {
    Clock clock = 0;
    Site site = 0; // 0: nobody in a loop

    bool operator==(const Dated &) const = default;
};

// Of memory: who wrote it, and who has read since what a loop found there.
struct Cell {
    Dated made;
    std::array<Dated, 3> reads; // the newest first; when there are more, the oldest is kept

    void read(Dated now, Clock iteration) {
        if (reads[0].site && reads[0].clock >= iteration)
            return;
        if (!reads[2].site)
            reads[2] = reads[1];
        reads[1] = reads[0];
        reads[0] = now;
    }
};

class Walk {
  public:
    Walk(const Prepared &prepared, const LoopOptions &options)
        : prepared_(prepared), source_(prepared.source()), graph_(prepared.graph()),
          shapes_(graph_, options.whole), heads_(prepared, shapes_, options.lines),
          sites_(prepared, options.ignored), findings_(shapes_.size() + 1),
          allocations_(options.allocations), steps_(prepared) {}

    std::vector<Loop> run(const LoopOptions &options, const Progress &progress) {
        for (uint32_t number = 0; number < source_.sequences(); ++number) {
            if (progress)
                progress(number, source_.sequences());
            steps_.read(number);
            for (uint32_t at = 0; at < steps_.count(); ++at) {
                step_ = steps_.number(at);
                give_out();
                enter(at);
                run_step(at);
            }
        }
        for (auto &[thread, state] : threads_) {
            for (const ActiveLoop &one : state.loops.active)
                findings_[one.loop()].goes_on = true;
            leave(state.loops, 0);
        }
        std::vector<Loop> result = told_loops(prepared_, shapes_, sites_, findings_);
        if (options.forward)
            for (uint32_t loop = 1; loop <= shapes_.size(); ++loop)
                result[loop - 1].reached = reached(loop);
        return result;
    }

  private:
    struct Thread {
        LoopStack loops;
        std::array<Dated, stream::register_bytes> registers;
    };
    struct Call {
        uint64_t callee = 0;
        Site site = 0;
        uint64_t stack = 0;
    };

    // The blocks that are given out up to the present step: what they hold is made after that.
    void give_out() {
        for (; !allocations_.empty() && allocations_.front().step <= step_;
             allocations_ = allocations_.subspan(1)) {
            const stream::Range &block = allocations_.front().block;
            const uint64_t first = block.address / 8 * 8;
            memory_.forget(first, (block.address + block.size + 7) / 8 * 8 - first);
        }
    }

    // ---- where the run is ----

    void enter(uint32_t at) {
        if (steps_.enter(at)) {
            thread_ = &threads_[steps_.thread()];
            returned_ = false;
        }
        auto &levels = thread_->loops.levels;
        const uint64_t activation = steps_.activation();
        if (!levels.empty() && levels.back().activation == activation)
            return;
        auto found = std::find_if(levels.rbegin(), levels.rend(), [&](const Level &level) {
            return level.activation == activation;
        });
        if (found != levels.rend())
            drop_levels(size_t(levels.rend() - found));
        else {
            if (returned_ && !levels.empty()) // to a caller from before the stream
                drop_levels(levels.size() - 1);
            const bool called = call_.callee == activation;
            const Site site = called ? call_.site : levels.empty() ? 0 : levels.back().site;
            levels.push_back(
                {activation, thread_->loops.active.size(), site, called ? call_.stack : 0, true});
        }
    }

    void drop_levels(size_t keep) {
        auto &loops = thread_->loops;
        leave(loops, keep < loops.levels.size() ? loops.levels[keep].loops : loops.active.size());
        loops.levels.resize(keep);
    }

    void leave(LoopStack &loops, size_t keep) {
        while (loops.active.size() > keep) {
            const ActiveLoop &one = loops.active.back();
            LoopFindings &found = findings_[one.loop()];
            if (one.arrivals() > (one.beyond_head ? 1 : 2) && !found.sample)
                found.sample = {one.first(), one.second(), step_};
            loops.active.pop_back();
        }
    }

    bool in_loop() const { return !thread_->loops.active.empty(); }

    void at_node(uint32_t node, Point point) {
        auto &[active, levels] = thread_->loops;
        const size_t outside = levels.back().loops;
        if (levels.back().is_new)
            first_node(levels.back(), node);
        while (active.size() > outside && !shapes_.contains(active.back().loop(), node)) {
            ++findings_[active.back().loop()].exits[last_site_];
            leave(thread_->loops, active.size() - 1);
        }
        const uint32_t loop = shapes_.headed(node);
        if (loop) {
            if (active.size() > outside && active.back().loop() == loop)
                active.back().iterate(point, ++clock_);
            else
                begin(loop, point);
        }
        for (size_t i = active.size(); i-- > outside;)
            if (!active[i].beyond_head && heads_.is_beyond(active[i].loop(), node))
                count(active[i]);
    }

    // A function that nobody is known to have called may have begun before the stream, and its
    // loops with it.
    void first_node(Level &level, uint32_t node) {
        level.is_new = false;
        if (!level.stack)
            for (uint32_t loop = shapes_.innermost(node); loop; loop = shapes_.shape(loop).parent)
                findings_[loop].entered_before = true;
    }

    void begin(uint32_t loop, Point point) {
        auto &active = thread_->loops.active;
        if (!active.empty())
            findings_[active.back().loop()].inner.insert(loop);
        active.emplace_back(loop, point, ++clock_);
    }

    void count(ActiveLoop &loop) {
        LoopFindings &found = findings_[loop.loop()];
        ++found.iterations;
        found.entered += !loop.counted;
        loop.beyond_head = loop.counted = true;
    }

    // ---- what runs ----

    void run_step(uint32_t at) {
        const uint32_t id = steps_.sequence().block[at];
        returned_ = false;
        if (!id) {
            if (in_loop())
                run_effect(steps_.effect(at));
            return;
        }
        const Block &block = source_.block(id);
        const Execution execution(steps_.sequence(), at, block);
        if (block.own || in_loop())
            run_block(execution, id, block);
        returned_ = block.jump == stream::Jump::ret;
        if (block.jump == stream::Jump::call)
            note_call(at, execution, block);
    }

    void run_block(const Execution &execution, uint32_t id, const Block &block) {
        const Effects &effects = prepared_.effects(id);
        const unsigned count = execution.instructions(effects);
        const bool ignored = sites_.is_ignored(id);
        unsigned first = 0;
        for (const BlockPart &part : graph_.parts(id)) {
            if (first >= count)
                return;
            if (block.own)
                at_node(part.node, {step_, uint16_t(first)});
            const unsigned end = std::min<unsigned>(part.end, count);
            if (in_loop())
                for (unsigned i = first; i < end; ++i) {
                    if (ignored) {
                        run_ignored(execution, effects, i);
                        continue;
                    }
                    site_ =
                        block.own ? sites_.site(id, i, true) : thread_->loops.levels.back().site;
                    run_instruction(execution, effects, i);
                }
            if (block.own && end)
                last_site_ = sites_.site(id, end - 1, true);
            first = part.end;
        }
    }

    void note_call(uint32_t at, const Execution &execution, const Block &block) {
        const uint64_t callee = steps_.callee(at);
        if (!callee)
            return;
        call_ = {callee, block.own ? last_site_ : thread_->loops.levels.back().site,
                 execution.address(block.accesses.back())};
    }

    void run_instruction(const Execution &execution, const Effects &effects, unsigned i) {
        const Instruction &one = effects.instructions[i];
        if (one.role != Role::plain && pass_through(execution, effects, i))
            return;
        for (RegisterPart part : effects.uses(one))
            use(part, false);
        for (RegisterPart part : effects.address_uses(one))
            use(part, true);
        execution.each_access(effects, i, AccessKind::load,
                              [&](auto &access, uint64_t address) { load(address, access.size); });
        for (RegisterPart part : effects.definitions(one))
            for (uint64_t bits = part.bits; bits; bits &= bits - 1)
                thread_->registers[part.word * 64u + unsigned(std::countr_zero(bits))] = {clock_,
                                                                                          site_};
        execution.each_access(effects, i, AccessKind::store,
                              [&](auto &access, uint64_t address) { store(address, access.size); });
    }

    // The loader puts everything back before it goes to the function that it has looked up, in ways
    // of its own: for the program it makes its result alone.
    void run_ignored(const Execution &execution, const Effects &effects, unsigned i) {
        constexpr unsigned rax = stream::general_registers + 8 * stream::rax;
        for (RegisterPart part : effects.definitions(effects.instructions[i]))
            for (unsigned byte = rax; byte < rax + 8; ++byte)
                if (part.word == byte / 64 && part.bits >> byte % 64 & 1)
                    thread_->registers[byte] = {};
        execution.each_access(effects, i, AccessKind::store, [&](auto &access, uint64_t address) {
            memory_.each(address, access.size, [](uint64_t, Cell &cell) { cell = {}; });
        });
    }

    // Saving a register and getting it back: who made what is in it stays the same.
    bool pass_through(const Execution &execution, const Effects &effects, unsigned i) {
        const Instruction &one = effects.instructions[i];
        auto &registers = thread_->registers;
        if (one.role == Role::frame) {
            const unsigned rbp = stream::general_registers + 8 * stream::rbp;
            std::fill_n(registers.begin() + rbp, 8, Dated());
            return true;
        }
        if (one.role != Role::save && one.role != Role::restore)
            return false;
        bool passed = false;
        const unsigned first = stream::general_registers + 8 * one.saved;
        const auto kind = one.role == Role::save ? AccessKind::store : AccessKind::load;
        execution.each_access(effects, i, kind, [&](const Access &access, uint64_t address) {
            if (access.size != 8)
                return;
            passed = true;
            memory_.each(address, 8, [&](uint64_t at, Cell &cell) {
                if (kind == AccessKind::store)
                    cell = {registers[first + (at - address)], {}};
                else
                    std::fill_n(registers.begin() + first + long(at - address), 8 - (at - address),
                                cell.made);
            });
        });
        return passed;
    }

    void run_effect(const stream::Effect &effect) {
        site_ = sites_.at(effect.address);
        if (!site_)
            site_ = thread_->loops.levels.back().site;
        for (unsigned word = 0; word < stream::RegisterSet::words; ++word)
            use({uint8_t(word), effect.registers_used.part(word)}, false);
        for (const stream::Range &range : effect.used)
            load(range.address, range.size);
        for (unsigned i = 0; i < stream::register_bytes; ++i)
            if (effect.registers_defined.has(i))
                thread_->registers[i] = {clock_, site_};
        for (const stream::Range &range : effect.defined)
            store(range.address, range.size);
    }

    // ---- who made what is used ----

    void use(RegisterPart part, bool address) {
        Dated last;
        for (uint64_t bits = part.bits; bits; bits &= bits - 1) {
            const unsigned byte = part.word * 64u + unsigned(std::countr_zero(bits));
            const Dated &made = thread_->registers[byte];
            if (made == last)
                continue;
            last = made;
            use(made, address, {false, byte});
        }
    }

    void load(uint64_t address, uint64_t size) {
        const ActiveLoop &inner = thread_->loops.active.back();
        Dated last;
        memory_.each(address, size, [&](uint64_t at, Cell &cell) {
            if (cell.made.clock < inner.start())
                cell.read({clock_, site_}, inner.current());
            if (cell.made == last)
                return;
            last = cell.made;
            use(cell.made, false, {true, at});
        });
    }

    void use(const Dated &made, bool address, const Location &location) {
        const auto &active = thread_->loops.active;
        if (!made.site || !site_ || made.clock < active.front().start())
            return;
        size_t i = active.size() - 1;
        while (made.clock < active[i].start())
            --i;
        const ActiveLoop &loop = active[i];
        note_edge(loop.loop(), {made.site, site_, address});
        if (made.clock < loop.current() && !is_below(i, location))
            note(findings_[loop.loop()].flow, CarriedKind::flow, made, i, location);
    }

    void note_edge(uint32_t loop, LoopEdge edge) {
        const std::pair<uint64_t, uint32_t> now(edge.key(), loop);
        auto &recent = recent_[(now.first ^ now.first >> 29 ^ loop) % recent_.size()];
        if (recent == now)
            return;
        recent = now;
        findings_[loop].edges.insert(now.first);
    }

    void store(uint64_t address, uint64_t size) {
        Dated last;
        memory_.each(address, size, [&](uint64_t at, Cell &cell) {
            if (cell.reads[0].site)
                find_anti(at, cell);
            if (cell.made.site == site_ && cell.made != last)
                rewrite(cell.made);
            last = cell.made;
            cell = {{clock_, site_}, {}};
        });
    }

    void rewrite(const Dated &made) {
        const auto &active = thread_->loops.active;
        for (size_t i = active.size(); i-- > 0;)
            if (made.clock >= active[i].start()) {
                if (made.clock < active[i].current())
                    ++findings_[active[i].loop()].rewritten[site_];
                return;
            }
    }

    void find_anti(uint64_t address, const Cell &cell) {
        const auto &active = thread_->loops.active;
        for (size_t i = active.size(); i-- > 0 && cell.made.clock < active[i].start();) {
            if (is_below(i, {true, address}))
                continue;
            for (const Dated &read : cell.reads)
                if (read.site && read.clock >= active[i].start() &&
                    read.clock < active[i].current())
                    note(findings_[active[i].loop()].anti, CarriedKind::anti, read, i,
                         {true, address});
        }
    }

    void note(std::unordered_map<uint64_t, Carried> &in, CarriedKind kind, const Dated &then,
              size_t active, Location location) {
        if (!site_)
            return;
        const uint64_t distance = thread_->loops.active[active].distance(then.clock);
        location.step = step_;
        location.stack = stack_of(active);
        LoopFindings::note(in, then.site, site_,
                           {kind, sites_.address(then.site), sites_.address(site_), location, 1,
                            distance, distance});
    }

    // Whether something lies in the frame of a function that is called from a loop, where what
    // earlier iterations left is nobody's: whoever uses it has not set it.
    bool is_below(size_t active, const Location &location) const {
        constexpr uint64_t reach = 256 << 10; // of frames: what lies farther away may be no stack
        if (!location.memory)
            return false;
        for (const Level &level : thread_->loops.levels)
            if (level.loops > active)
                return level.stack && level.stack + 8 - location.where - 1 < reach;
        return false;
    }

    // Where the return address of the function lies in which a loop is.
    uint64_t stack_of(size_t active) const {
        const auto &levels = thread_->loops.levels;
        for (size_t i = levels.size(); i-- > 0;)
            if (levels[i].loops <= active)
                return levels[i].stack;
        return 0;
    }

    uint64_t reached(uint32_t loop) const {
        const auto &sample = findings_[loop].sample;
        if (!sample || !findings_[loop].entered)
            return 0;
        Origin origin;
        origin.criterion.point = sample->first;
        origin.stretch_end = sample->second;
        origin.last_step = sample->last_step;
        origin.history = false;
        return forward(prepared_, origin, {}).instructions;
    }

    const Prepared &prepared_;
    const stream::Source &source_;
    const FlowGraph &graph_;
    const LoopShapes shapes_;
    const LoopHeads heads_;
    const LoopSites sites_;
    std::vector<LoopFindings> findings_;              // by loop
    std::span<const stream::Allocation> allocations_; // that are still to come

    ForwardSteps steps_;
    uint64_t step_ = 0;
    std::unordered_map<uint32_t, Thread> threads_;
    Thread *thread_ = &threads_[0];
    Call call_;
    bool returned_ = false; // the activation has ended with the step before
    Clock clock_ = 0;
    Site site_ = 0;      // of what runs now
    Site last_site_ = 0; // the last of the program's own that ran
    Shadow<Cell> memory_;
    std::array<std::pair<uint64_t, uint32_t>, 4096> recent_{}; // edges that need no look-up
};

} // namespace

std::vector<Loop> loops(const Prepared &prepared, const LoopOptions &options,
                        const Progress &progress) {
    return Walk(prepared, options).run(options, progress);
}

} // namespace heapstory::slice
