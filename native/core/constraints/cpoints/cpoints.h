// C-points: the moments at which a structure must be consistent.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// By default they are the returns from the structure's own code to other code. A function belongs
// to the structure if its own statements write fields of the structure's objects or free them. A
// return to a function that does not belong is a C-point, unless a function further up the call
// stack belongs: then an operation is still under way. The outermost function of a thread does not
// count there: a main that sets up the structure itself is no operation.
//
// A function may also do an operation by calling functions that belong, one after the other, and
// write nothing itself. What is wrong at a return to it counts only if it is still wrong when it
// returns in turn (`operation_end`): what it fixes before that was temporary. One that calls itself
// does one operation in all its calls: what is wrong counts if it still is when the first of them
// returns. A function that calls very many such functions, or the outermost one, does no operation
// but uses the structure.
//
// All this is about functions as they were written. Those that were inlined end where the next
// call shows it (`levels.h`). Where such a function is called in a loop, its ends from one round to
// the next are guessed: what is wrong there counts only if something is when the loop has ended.
//
// C-points belong to the thread whose function returned. What other threads have changed in the
// middle of an operation (`busy`) is for their own C-points.
#pragma once

#include "constraints/timeline/timeline.h"
#include "store/store.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heapstory::constraints {

enum class CPointKind : uint8_t { exit, entry, mark, option, crash, end };

struct FoundCPoint {
    uint64_t time = 0;
    CPointKind kind = CPointKind::end;
    uint32_t site = 0;              // the statement: of the call, the mark, the crash
    uint32_t depth = 0;             // exit of an inlined function: which of the site's places
    std::string function;           // entry and exit: which
    std::optional<uint64_t> number; // option: which one of `record --cpoint`
    std::string text;               // mark: what the program said
    // Exit: what is no longer wrong then does not count. None: all does.
    std::optional<uint64_t> operation_end;
    // Exit: of an inlined function that has made the same calls again since. It may have ended
    // there and have been entered again, or it has a loop.
    bool is_round = false;
    // Exit: when other threads ran in operations that they have not ended, (from, to].
    std::vector<std::pair<uint64_t, uint64_t>> busy = {};
};

// Two instructions of a file, by their offsets.
struct CallAndStore {
    std::string path, build_id;
    uint64_t call = 0, store = 0;
};

struct CPointQuery {
    bool returns = false;                    // those of the structure's own code
    std::vector<std::string> own;            // functions that belong, instead of the writers
    std::vector<std::string> users;          // functions that belong to no structure, as main
    std::vector<std::string> exits, entries; // of these functions
    std::vector<std::pair<std::string, uint32_t>> lines; // calls and writes at FILE:LINE
    // Whether what a call returns is what a store behind it writes (symbols/results.h), if the code
    // is known.
    std::function<std::optional<bool>(const CallAndStore &)> stores_result;
};

struct CPointAnswer {
    std::vector<FoundCPoint> points;        // in order of time; several may share a moment
    std::vector<std::string> functions;     // that belong to the structure
    std::vector<std::string> inlined;       // of these, operations that were inlined somewhere
    std::vector<std::string> inlined_users; // of the query's users, those that were
};

CPointAnswer find_cpoints(const Store &store, const Timeline &line, const CPointQuery &query);

} // namespace heapstory::constraints
