// A list that a test makes by hand: node { next*; key; count : 4; }, from holder { head^; }.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/load/synthetic.h"
#include "constraints/search/checker.h"

#include <cstring>
#include <vector>

namespace small_list {

using namespace heapstory::constraints;

constexpr uint32_t node_type = 1, holder_type = 2;
constexpr uint64_t next = 0, key = 8, bits = 16; // offsets
constexpr uint32_t next_cell = 0, key_cell = 1, bits_cell = 2;

inline PlanField field(uint64_t offset, FieldKind kind) {
    PlanField out;
    out.offset = offset;
    out.kind = kind;
    return out;
}

inline PlanType type(uint32_t id, uint64_t size, std::vector<PlanField> fields) {
    PlanType out;
    out.size = size;
    out.fields = std::move(fields);
    out.members.emplace_back().type_id = id;
    return out;
}

inline Expr variable(uint32_t index) {
    Expr out;
    out.op = Op::variable;
    out.index = index;
    return out;
}

inline Expr field_of(const Expr &object, uint32_t cell) {
    Expr out;
    out.op = Op::field;
    out.type = 0;
    out.index = cell;
    out.args = {object};
    return out;
}

inline Expr number(int64_t value) {
    Expr out;
    out.op = Op::number;
    out.number.integer = value;
    return out;
}

inline Expr apply(Op op, std::vector<Expr> args) {
    Expr out;
    out.op = op;
    out.args = std::move(args);
    return out;
}

// For every node X: the body.
inline PlanConstraint for_every_node(Expr body) {
    PlanConstraint out;
    out.variables.resize(1);
    out.body = std::move(body);
    return out;
}

// Every node can be reached from a holder.
inline PlanConstraint rooted() {
    PlanConstraint out = for_every_node(apply(Op::rooted, {variable(0)}));
    out.body.type = 0;
    out.shape.kind = ShapeKind::rooted;
    return out;
}

inline Plan plan_with(std::vector<PlanConstraint> constraints) {
    Plan plan;
    PlanField four_bits = field(bits, FieldKind::natural);
    four_bits.bit_offset = 2;
    four_bits.bit_size = 4;
    plan.types.push_back(
        type(node_type, 24,
             {field(next, FieldKind::pointer), field(key, FieldKind::integer), four_bits}));
    plan.types.push_back(type(holder_type, 8, {field(0, FieldKind::pointer)}));
    plan.types[0].roots.push_back({1, 0, none});
    plan.edge_sets.push_back({{0, 0, none}});
    plan.constraints = std::move(constraints);
    complete(plan);
    return plan;
}

// What the program does, one timestamp each. Blocks are zeroed and named by their address.
class Memory {
  public:
    uint64_t node() { return born(node_type, 24); }
    uint64_t holder() { return born(holder_type, 8); }
    void store(uint64_t address, uint64_t value, uint32_t site = 0) {
        std::string bytes(8, 0);
        std::memcpy(bytes.data(), &value, 8);
        writes.push_back({++now, address, bytes, site ? site : uint32_t(now)});
    }
    void free(uint64_t address) {
        for (SourceBlock &source : blocks)
            if (source.block.address == address)
                source.block.death = source.life.death = ++now;
    }
    Timeline timeline(const Plan &plan) const { return make_timeline(plan, blocks, writes, now); }

    uint64_t now = 0;
    std::vector<SourceBlock> blocks;
    std::vector<GivenWrite> writes;

  private:
    uint64_t born(uint32_t type_id, uint64_t size) {
        SourceBlock source;
        uint64_t address = 0x10000 + 64 * blocks.size();
        source.block = {blocks.size() + 1, address, size, ++now, forever, 0, 0, type_id};
        source.life = {address, size, now, forever};
        source.zeroed = true;
        blocks.push_back(source);
        return address;
    }
};

} // namespace small_list
