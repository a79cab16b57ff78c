// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/heap/frame_variables.h"

#include <algorithm>

namespace heapstory {

namespace {

// "ns::List::walk(int)" is meant by itself, without its arguments, and by "walk".
std::string short_name(const std::string &function) {
    const std::string bare = function.substr(0, function.find('('));
    const size_t last = bare.rfind("::");
    return last == std::string::npos ? bare : bare.substr(last + 2);
}

bool is_meant(const std::string &function, const std::string &wanted) {
    return function == wanted || function.substr(0, function.find('(')) == wanted ||
           short_name(function) == wanted;
}

// Where a variable is all the time, from the canonical frame address.
const VariableLocation *place_of(const LocalVariable &local) {
    if (!local.scope.empty() || !local.size || local.locations.size() != 1)
        return nullptr;
    const LocationRange &range = local.locations.front();
    if (!range.everywhere || range.locations.size() != 1)
        return nullptr;
    const VariableLocation &only = range.locations.front();
    return only.kind == VariableLocation::Kind::frame && !only.size ? &only : nullptr;
}

} // namespace

const std::vector<FrameVariables::Variable> &FrameVariables::variables_of(uint32_t call) {
    auto [at, is_new] = variables_.try_emplace(call);
    if (is_new && call < tables_.calls.size())
        at->second = find(tables_.calls[call].target);
    return at->second;
}

std::vector<FrameVariables::Variable> FrameVariables::find(const CodeAddress &target) {
    std::vector<Variable> found;
    const std::vector<PlaceRow> places = modules_.places(target);
    if (places.empty())
        return found;
    const std::string function = tables_.text(places.back().function);
    if (std::ranges::none_of(functions_,
                             [&](const std::string &name) { return is_meant(function, name); }))
        return found;
    for (const LocalVariable &local : modules_.file(target.module)->locals(target.offset))
        if (const VariableLocation *place = place_of(local)) {
            const uint32_t name =
                tables_.string("frame " + short_name(function) + "." + local.name);
            found.push_back({place->offset, local.size, name, local.type});
        }
    return found;
}

void FrameVariables::called(const Frame &frame, uint32_t thread) {
    if (functions_.empty() || !frame.call)
        return;
    const std::vector<Variable> &variables = variables_of(frame.call);
    if (variables.empty())
        return;
    end(frame.sp);
    const uint64_t canonical = frame.sp + 8; // the frame pointer's value before the call
    Live &live = live_[frame.sp];
    live.thread = thread;
    for (const Variable &variable : variables) {
        Birth birth;
        birth.address = canonical + uint64_t(variable.offset);
        birth.size = variable.size;
        birth.kind = NodeKind::global;
        birth.name = variable.name;
        birth.type = variable.type;
        birth.event = output_.builder.position();
        shadow_.clear(birth.address, birth.size);
        output_.builder.lists.births.push_back(birth);
        live.nodes.emplace_back(output_.builder.lists.next_node() - 1, birth.address);
        live.sizes.push_back(birth.size);
    }
}

void FrameVariables::end(uint64_t sp) {
    auto live = live_.find(sp);
    if (live == live_.end())
        return;
    for (size_t i = 0; i < live->second.nodes.size(); ++i) {
        auto [node, address] = live->second.nodes[i];
        output_.builder.lists.deaths.push_back({output_.builder.position(), node});
        shadow_.clear(address, live->second.sizes[i]);
    }
    live_.erase(live);
}

void FrameVariables::thread_ended(uint32_t thread) {
    for (auto live = live_.begin(); live != live_.end();) {
        const uint64_t sp = live->first;
        const bool is_its = live->second.thread == thread;
        ++live;
        if (is_its)
            end(sp);
    }
}

} // namespace heapstory
