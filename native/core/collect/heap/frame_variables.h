// Variables of live frames as nodes (record --frame FUNC).
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Such a node begins when its function is called and ends when that returns. Only variables that
// are in one place in memory all the time are taken: what is in registers is not recorded, and what
// is there for a while only would be read from the wrong place. Of several functions that were
// inlined, only calls count.
#pragma once

#include "collect/chunks/output.h"
#include "collect/chunks/shadow.h"
#include "collect/program/call_stacks.h"
#include "collect/program/modules.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace heapstory {

class FrameVariables {
  public:
    FrameVariables(Output &output, Shadow &shadow, Tables &tables, Modules &modules,
                   const RecordingOptions &options)
        : output_(output), shadow_(shadow), tables_(tables), modules_(modules),
          functions_(options.frames) {}

    void called(const Frame &frame, uint32_t thread);
    void returned(const Frame &frame) {
        if (!live_.empty())
            end(frame.sp);
    }
    void thread_ended(uint32_t thread);

  private:
    struct Variable {
        int64_t offset; // from the canonical frame address
        uint64_t size;
        uint32_t name;
        TypeId type;
    };
    struct Live {
        uint32_t thread;
        std::vector<std::pair<uint64_t, uint64_t>> nodes; // and their addresses
        std::vector<uint64_t> sizes;
    };
    const std::vector<Variable> &variables_of(uint32_t call);
    std::vector<Variable> find(const CodeAddress &target);
    void end(uint64_t sp);

    Output &output_;
    Shadow &shadow_;
    Tables &tables_;
    Modules &modules_;
    std::vector<std::string> functions_;
    std::unordered_map<uint32_t, std::vector<Variable>> variables_; // by call id
    std::map<uint64_t, Live> live_;                                 // by stack pointer on entry
};

} // namespace heapstory
