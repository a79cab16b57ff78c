// Pieces of the machine output that the core writes itself: there may be millions of rows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heapstory {

constexpr size_t piece_bytes = size_t(1) << 20; // about as much text is given at once

inline void add_number(std::string &out, uint64_t value, int base = 10) {
    char digits[20];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value, base).ptr);
}

inline void add_address(std::string &out, uint64_t address) {
    out += "\"0x";
    add_number(out, address, 16);
    out += '"';
}

// Some nodes, or all of them.
class Selection {
  public:
    explicit Selection(const std::optional<std::vector<uint64_t>> &selected) {
        if (!selected)
            return;
        wanted_.emplace();
        for (uint64_t node : *selected) {
            wanted_->resize(std::max<size_t>(wanted_->size(), node + 1));
            (*wanted_)[node] = true;
        }
    }
    bool operator()(uint64_t node) const {
        return !wanted_ || (node < wanted_->size() && (*wanted_)[node]);
    }

  private:
    std::optional<std::vector<bool>> wanted_; // by node
};

// What others say about small numbers, each asked once.
template <class Say> class Sayings {
  public:
    explicit Sayings(Say say) : say_(std::move(say)) {}
    const std::string &operator()(uint32_t number) {
        said_.resize(std::max<size_t>(said_.size(), size_t(number) + 1));
        if (said_[number].empty())
            said_[number] = say_(number);
        return said_[number];
    }

  private:
    Say say_;
    std::vector<std::string> said_;
};

} // namespace heapstory
