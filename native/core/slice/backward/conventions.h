// What a slice does not ask for, by convention: how registers are preserved over calls, how frames
// are made, and how the loader binds functions.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/running.h"
#include "slice/backward/search.h"
#include "slice/slice.h"
#include "stream/state.h"

#include <cstdint>
#include <optional>

namespace heapstory::slice {

template <class Why> class Conventions {
  public:
    Conventions(const Prepared &prepared, const Options &options, Search &search, Why &why)
        : prepared_(prepared), graph_(prepared.graph()), options_(options), search_(search),
          why_(why) {}

    // Saving a register and getting it back, or making the frame pointer: what is looked for passes
    // through unchanged.
    bool is_transparent(const Running &now, unsigned i, bool by_memory) {
        const stream::Instruction &one = now.instruction(i);
        if (!options_.conventions || one.role == stream::Role::plain)
            return false;
        if (one.role == stream::Role::frame) {
            forget_frame_pointer();
            return true;
        }
        if (one.role == stream::Role::save_state || one.role == stream::Role::restore_state) {
            pass_state(now, i, one.role == stream::Role::save_state);
            return true;
        }
        const std::optional<uint64_t> slot = slot_of(now, i);
        if (!slot)
            return false;
        return one.role == stream::Role::restore ? !by_memory && restore(now, i, *slot)
                                                 : save(one.saved, *slot);
    }

    // A store that is no save of the register: what got it back was a load like any other.
    void settle_restores(uint64_t address, uint64_t size) {
        auto &restores = search_.all.restores;
        if (restores.empty())
            return;
        for (uint64_t slot = address > 7 ? address - 7 : 0; slot < address + size; ++slot) {
            auto found = restores.find(slot);
            if (found == restores.end())
                continue;
            const Restore &one = found->second;
            search_.hits.add(one.block, one.instruction, one.step);
            if (options_.control)
                search_.all.pending[one.activation].add(graph_,
                                                        graph_.node_of(one.block, one.instruction));
            restores.erase(found);
        }
    }

    // Which function a library's name stands for is looked up by the loader when it is first
    // called: whoever called it then has no part in what is looked for. Words through which code
    // goes to another module are therefore not looked for in what others' code stored.
    void note_link(const stream::Instruction &one, uint64_t address) {
        if (!options_.conventions)
            return;
        if (one.role != stream::Role::link && one.role != stream::Role::resolve)
            search_.all.links.erase(address);
        else if (!search_.all.memory.has(address))
            search_.all.links.insert(address);
    }
    void drop_links(const Running &now, unsigned i) {
        if (search_.all.links.empty() || now.block.own)
            return;
        now.each_access(i, stream::AccessKind::store, [&](auto &access, uint64_t address) {
            if (access.size != 8 || !search_.all.links.erase(address))
                return;
            search_.all.memory.remove(address, access.size);
            why_.forget(address, access.size);
        });
    }
    // How the loader found the function is not asked, either.
    bool is_lookup(const Running &now, unsigned i) const {
        return options_.conventions && prepared_.ends_lookup(now.id) &&
               i + 1 == now.effects.instructions.size();
    }

  private:
    static constexpr unsigned bytes_of(unsigned reg) { return stream::general_registers + 8 * reg; }

    // Where a register is saved, or got back from.
    static std::optional<uint64_t> slot_of(const Running &now, unsigned i) {
        const bool saves = now.instruction(i).role == stream::Role::save;
        std::optional<uint64_t> slot;
        now.each_access(i, saves ? stream::AccessKind::store : stream::AccessKind::load,
                        [&](auto &access, uint64_t address) {
                            slot = access.size == 8 ? std::optional(address) : std::nullopt;
                        });
        return slot;
    }

    bool restore(const Running &now, unsigned i, uint64_t slot) {
        const uint8_t saved = now.instruction(i).saved;
        if (!search_.registers->has(bytes_of(saved)))
            return false;
        search_.registers->remove(bytes_of(saved), 8);
        search_.all.memory.add(slot, 8);
        search_.all.restores[slot] = {now.id, uint16_t(i), now.step, search_.activation, saved};
        why_.restored(search_.thread, bytes_of(saved), slot);
        return true;
    }

    bool save(uint8_t saved, uint64_t slot) {
        auto &restores = search_.all.restores;
        auto waiting = restores.find(slot);
        if (waiting == restores.end() || waiting->second.saved != saved)
            return false;
        restores.erase(waiting);
        search_.all.memory.remove(slot, 8);
        search_.registers->add(bytes_of(saved), 8);
        why_.saved(search_.thread, bytes_of(saved), slot);
        return true;
    }

    void pass_state(const Running &now, unsigned i, bool saves) {
        stream::each_of_state(
            now.execution, now.block, now.effects, i, [&](unsigned first, uint64_t slot) {
                if (saves && search_.all.memory.meets(slot, 8)) {
                    search_.all.memory.remove(slot, 8);
                    search_.registers->add(first, 8);
                    why_.saved(search_.thread, first, slot);
                } else if (!saves && search_.registers->meets(stream::part_of(first))) {
                    search_.registers->remove(first, 8);
                    search_.all.memory.add(slot, 8);
                    why_.restored(search_.thread, first, slot);
                }
            });
    }

    void forget_frame_pointer() {
        constexpr unsigned first = bytes_of(stream::rbp);
        search_.registers->remove(first, 8);
        why_.forget(search_.thread, stream::part_of(first));
    }

    const Prepared &prepared_;
    const FlowGraph &graph_;
    const Options &options_;
    Search &search_;
    Why &why_;
};

} // namespace heapstory::slice
