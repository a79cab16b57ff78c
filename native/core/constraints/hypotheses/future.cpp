// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/future.h"

#include <map>

namespace heapstory::constraints {

namespace {

using CellChanges = std::map<uint32_t, std::vector<Version>>; // by cell

Timeline same_objects(const Timeline &line) {
    Timeline out;
    out.blocks = line.blocks;
    out.first_object = line.first_object;
    out.block = line.block;
    out.base = line.base;
    out.type = line.type;
    out.first_cell = line.first_cell;
    out.by_type = line.by_type;
    out.several_types = line.several_types;
    return out;
}

void set_lives(Timeline &out, uint64_t time, const Hypotheses &hypotheses) {
    for (Block &block : out.blocks) {
        bool alive = block.birth <= time && time < block.death;
        block.birth = alive;
        block.death = alive ? forever : 0;
    }
    for (size_t i = 0; i < hypotheses.size(); ++i)
        if (uint32_t block = hypotheses[i].revived; block != none) {
            if (!out.blocks[block].birth) // all that suppose it follow each other
                out.blocks[block].birth = moment(i);
            out.blocks[block].death = moment(i) + 1;
        }
}

CellChanges changes_of(const Situation &at, const Hypotheses &hypotheses) {
    CellChanges changes;
    for (size_t i = 0; i < hypotheses.size(); ++i)
        for (const Change &change : hypotheses[i].changes) {
            Version version = change.version, back = at.frozen(at.held(change.cell));
            version.since = moment(i);
            back.since = moment(i) + 1;
            auto &versions = changes[change.cell];
            versions.push_back(version);
            versions.push_back(back);
        }
    return changes;
}

void set_versions(Timeline &out, const Situation &at, const CellChanges &changes) {
    const Timeline &line = at.line();
    out.birth.reserve(line.objects());
    out.death.reserve(line.objects());
    out.first_version.reserve(line.first_version.size());
    out.versions.reserve(line.first_version.size());
    auto change = changes.begin();
    for (Object object = 0; object < line.objects(); ++object) {
        out.birth.push_back(out.blocks[out.block[object]].birth);
        out.death.push_back(out.blocks[out.block[object]].death);
        for (uint32_t cell = line.first_cell[object]; cell < line.first_cell[object + 1]; ++cell) {
            if (const Version *version = out.birth[object] == 1 ? at.held(cell) : nullptr) {
                out.versions.push_back(at.frozen(version));
                out.versions.back().since = 1;
            }
            if (change != changes.end() && change->first == cell) {
                const std::vector<Version> &versions = (change++)->second;
                out.versions.insert(out.versions.end(), versions.begin(), versions.end());
            }
            out.first_version.push_back(out.versions.size());
        }
    }
}

} // namespace

Timeline make_future(const Situation &at, const Hypotheses &hypotheses) {
    Timeline out = same_objects(at.line());
    out.last = moment(hypotheses.size());
    set_lives(out, at.time(), hypotheses);
    set_versions(out, at, changes_of(at, hypotheses));
    return out;
}

} // namespace heapstory::constraints
