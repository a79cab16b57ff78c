// A wrong type is worse than none: what does not go together gives no type. Of types that lie
// within each other the whole one is meant.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/types/settle.h"

#include <algorithm>
#include <bit>

namespace heapstory {

namespace {

class Judge {
  public:
    Judge(const Layouts &layouts, const Allocation &allocation)
        : layouts_(layouts), allocation_(allocation) {}

    TypeId verdict() const {
        if (allocation_.allocator != no_type && fits(allocation_.allocator))
            return allocation_.allocator;
        std::vector<Candidate> whole = without_parts(candidates());
        if (whole.empty())
            return bytes();
        const Candidate *best = &whole[0];
        for (const Candidate &candidate : whole)
            if (candidate.weight > best->weight)
                best = &candidate;
        auto is_rival = [&](const Candidate &other) {
            return &other != best && other.weight + 1 >= best->weight;
        };
        return std::ranges::any_of(whole, is_rival) || is_contradicted(*best) ? no_type
                                                                              : best->type;
    }

    // What lies in an array behind its length, which C++ keeps for destructors: all that is known
    // begins there. no_type if it is no such array.
    TypeId counted_elements() const {
        std::vector<Candidate> found;
        for (const auto &[claim, sources] : allocation_.claims) {
            const uint64_t size = layouts_[claim.type].size;
            if (!allocation_.by_new || !layouts_.is_record(claim.type))
                continue;
            if (!size || claim.offset < length_size || allocation_.least <= length_size)
                return no_type;
            if ((claim.offset - length_size) % size == 0 &&
                (allocation_.least - length_size) % size == 0 &&
                (allocation_.most - length_size) % size == 0)
                found.push_back({claim.type, std::popcount(sources)});
        }
        found = without_parts(found);
        return found.size() == 1 ? found[0].type : no_type;
    }

  private:
    static constexpr uint64_t length_size = 8;
    struct Candidate {
        TypeId type = no_type;
        int weight = 0; // how many kinds of evidence there are
    };

    // What is said to begin where the blocks do, and may.
    std::vector<Candidate> candidates() const {
        std::vector<Candidate> found;
        for (const auto &[claim, sources] : allocation_.claims) {
            if (claim.offset || layouts_.is_bytes(claim.type) || !fits(claim.type))
                continue;
            // A pointer to a first member that is stored through says nothing of the block.
            if (!layouts_.is_record(claim.type) && sources == unsigned(Source::value))
                continue;
            found.push_back({claim.type, std::popcount(sources) + is_exact(claim.type)});
        }
        return found;
    }

    bool fits(TypeId type) const {
        const uint64_t size = layouts_[type].size;
        if (!size || size > allocation_.least)
            return false;
        return !allocation_.by_new || is_multiple(allocation_.least, size) ||
               is_multiple(allocation_.most, size);
    }

    // An array of objects that have destructors begins with their number.
    static bool is_multiple(uint64_t block, uint64_t size) {
        return block % size == 0 || (block - length_size) % size == 0;
    }

    bool is_exact(TypeId type) const {
        return layouts_[type].size == allocation_.least && allocation_.least == allocation_.most;
    }

    std::vector<Candidate> without_parts(const std::vector<Candidate> &candidates) const {
        std::vector<Candidate> whole;
        for (const Candidate &candidate : candidates) {
            auto holds_it = [&](const Candidate &other) {
                return !layouts_.same(other.type, candidate.type) &&
                       layouts_.contains(other.type, 0, candidate.type);
            };
            auto is_same = [&](const Candidate &other) {
                return layouts_.same(other.type, candidate.type);
            };
            if (std::ranges::none_of(candidates, holds_it) && std::ranges::none_of(whole, is_same))
                whole.push_back(candidate);
        }
        return whole;
    }

    // Whether another record is said to be where this one has none, with as much to go by.
    bool is_contradicted(const Candidate &best) const {
        return std::ranges::any_of(allocation_.claims, [&](const auto &entry) {
            const auto &[claim, sources] = entry;
            return claim.offset && claim.offset < layouts_[best.type].size &&
                   layouts_.is_record(claim.type) && fits_at(claim) &&
                   std::popcount(sources) >= best.weight &&
                   !layouts_.contains(best.type, claim.offset, claim.type);
        });
    }

    bool fits_at(const Claim &claim) const {
        const uint64_t size = layouts_[claim.type].size;
        return size && claim.offset + size <= allocation_.most;
    }

    // Text; but a `char *` is also what programs take for a pointer to anything.
    TypeId bytes() const {
        if (allocation_.pointers.empty())
            for (const auto &[claim, sources] : allocation_.claims)
                if (!claim.offset && layouts_.is_bytes(claim.type))
                    return claim.type;
        return no_type;
    }

    const Layouts &layouts_;
    const Allocation &allocation_;
};

// What the fields of typed blocks point to gets claims; true if any is new.
bool follow_fields(const Layouts &layouts, std::vector<Allocation> &allocations,
                   const std::vector<TypeId> &types) {
    bool news = false;
    for (size_t i = 1; i < allocations.size(); ++i) {
        if (types[i] == no_type)
            continue;
        for (const auto &[pointer, times] : allocations[i].pointers) {
            const auto [offset, target] = pointer;
            const TypeId pointee = layouts.pointee(types[i], offset);
            if (pointee == no_type)
                continue;
            unsigned &sources = allocations[target].claims[{0, pointee}];
            news |= !(sources & unsigned(Source::field));
            sources |= unsigned(Source::field);
        }
    }
    return news;
}

// `T[]`: a length and the elements.
TypeId counted_array_of(TypeId element, TypeTable &types) {
    Type elements{.kind = TypeKind::array, .name = types[element].name + "[]", .target = element};
    Type whole{.kind = TypeKind::record, .name = elements.name, .size = sizeof(uint64_t)};
    const TypeId length =
        types.add({.kind = TypeKind::base, .name = "unsigned long", .size = sizeof(uint64_t)});
    whole.fields.push_back({.name = "length", .size = sizeof(uint64_t), .type = length});
    whole.fields.push_back({.offset = sizeof(uint64_t), .type = types.add(std::move(elements))});
    return types.add(std::move(whole));
}

} // namespace

std::vector<TypeId> settle_types(const Store &store, Modules &modules) {
    std::vector<Allocation> allocations = Evidence(store, modules).take();
    const Layouts layouts(modules.types());
    std::vector<TypeId> types(allocations.size());
    constexpr int most_rounds = 16;
    for (int round = 0; round < most_rounds; ++round) {
        for (size_t i = 1; i < allocations.size(); ++i)
            types[i] = Judge(layouts, allocations[i]).verdict();
        if (!follow_fields(layouts, allocations, types))
            break;
    }
    for (size_t i = 1; i < allocations.size(); ++i)
        if (types[i] == no_type)
            if (TypeId element = Judge(layouts, allocations[i]).counted_elements())
                types[i] = counted_array_of(element, modules.types());
    std::vector<TypeId> by_stack(store.tables().stacks.size());
    for (size_t i = 1; i < allocations.size(); ++i)
        for (uint32_t stack : allocations[i].stacks)
            by_stack[stack] = types[i];
    return by_stack;
}

} // namespace heapstory
