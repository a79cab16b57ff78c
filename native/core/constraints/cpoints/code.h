// Which functions stand behind the statements of a trace, as they were written: those that were
// inlined are told apart from the one they were compiled into.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/timeline.h"
#include "store/store.h"

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace heapstory::constraints {

// A function by its name and file.
using Function = std::pair<uint32_t, uint32_t>;

inline Function function_of(const PlaceRow &place) {
    return {place.function, place.path};
}

// "List::insert(int)" is meant by itself, by "List::insert" and by "insert".
bool is_named(const std::string &function, const std::string &wanted);

struct Inlined {
    Function function;
    uint32_t line = 0;  // of the call, in the function around it
    uint32_t depth = 0; // which of the site's places that is
    uint32_t at = 0;    // the line of the site in the inlined function itself
    bool own = false;   // it belongs to the structure
    bool is_same(const Inlined &other) const {
        return function == other.function && line == other.line;
    }
};

// A statement: the function it was compiled into, and those inlined there that hold it, the
// outermost first. Functions of libraries' headers are left out.
struct CodePath {
    Function compiled_into;
    bool compiled_into_own = false;
    std::vector<Inlined> inlined;
};

// Which functions belong to a structure, and the paths of sites.
class StructureCode {
  public:
    // By the writers of the structure, or those of these names.
    StructureCode(const Tables &tables, const Timeline &line, std::vector<std::string> names);

    bool belongs(const PlaceRow &place) const;      // as written
    bool holds_own(const PlaceRow &function) const; // itself or something inlined there
    const CodePath &path(uint32_t site);
    const std::set<uint32_t> &writers() const { return writers_; } // sites
    const std::set<Function> &functions() const { return source_; }
    // Whether some of the program's own statements were inlined.
    bool is_inlined() const;

  private:
    bool is_one_of_names(const PlaceRow &place) const;
    CodePath new_path(uint32_t site) const;

    const Tables &tables_;
    std::vector<std::string> names_;
    std::set<uint32_t> writers_;
    std::set<Function> source_;   // that write the structure, as written
    std::set<Function> compiled_; // and what they were compiled into
    std::unordered_map<uint32_t, CodePath> paths_;
};

} // namespace heapstory::constraints
