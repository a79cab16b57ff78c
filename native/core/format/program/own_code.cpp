// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/program/own_code.h"

#include "format/container/chunk.h"

#include <algorithm>
#include <utility>

namespace heapstory {

namespace {

using Kind = VariableLocation::Kind;

void write(ByteWriter &out, const VariableLocation &location) {
    out.varint(unsigned(location.kind));
    out.varint(unsigned(location.reg));
    out.signed_varint(location.offset);
    out.varint(location.piece);
    out.varint(location.size);
}

VariableLocation read_location(ByteReader &in) {
    VariableLocation location;
    const uint64_t kind = in.varint();
    if (kind > unsigned(Kind::fixed))
        throw FormatError("damaged location of a variable");
    location.kind = Kind(kind);
    location.reg = int(in.varint());
    location.offset = in.signed_varint();
    location.piece = in.varint();
    location.size = in.varint();
    return location;
}

void write(ByteWriter &out, const OwnVariable &variable) {
    out.varint(variable.name);
    out.varint(variable.type);
    out.varint(variable.size);
    out.varint(variable.scope.size());
    for (const CodeRange &range : variable.scope) {
        out.varint(range.low);
        out.varint(range.high - range.low);
    }
    out.varint(variable.locations.size());
    for (const LocationRange &range : variable.locations) {
        out.varint(range.everywhere ? 0 : range.start + 1);
        out.varint(range.everywhere ? 0 : range.end - range.start);
        out.varint(range.locations.size());
        for (const VariableLocation &location : range.locations)
            write(out, location);
    }
}

OwnVariable read_variable(ByteReader &in) {
    OwnVariable variable;
    variable.name = uint32_t(in.varint());
    variable.type = TypeId(in.varint());
    variable.size = in.varint();
    variable.scope.resize(in.count());
    for (CodeRange &range : variable.scope) {
        range.low = in.varint();
        range.high = range.low + in.varint();
    }
    variable.locations.resize(in.count());
    for (LocationRange &range : variable.locations) {
        const uint64_t start = in.varint(), length = in.varint();
        range.everywhere = !start;
        range.start = start ? start - 1 : 0;
        range.end = range.start + length;
        for (size_t left = in.count(); left; --left)
            range.locations.push_back(read_location(in));
    }
    return variable;
}

void write(ByteWriter &out, const std::vector<PlaceRow> &places) {
    out.varint(places.size());
    for (const PlaceRow &place : places) {
        out.varint(place.function);
        out.varint(place.path);
        out.varint(place.line);
    }
}

std::vector<PlaceRow> read_places(ByteReader &in) {
    std::vector<PlaceRow> places(in.count());
    for (PlaceRow &place : places) {
        place.function = uint32_t(in.varint());
        place.path = uint32_t(in.varint());
        place.line = uint32_t(in.varint());
    }
    return places;
}

void write_instructions(ByteWriter &out, std::vector<OwnInstruction> &instructions) {
    std::ranges::sort(instructions, {}, &OwnInstruction::address);
    out.varint(instructions.size());
    uint64_t last = 0;
    for (const OwnInstruction &one : instructions) {
        out.varint(one.address - std::exchange(last, one.address));
        out.varint(one.places);
        out.varint(one.begun);
        out.varint(one.frame);
        out.varint(one.function);
    }
}

// Numbers of places and frames within the chunk begin at these.
void read_instructions(ByteReader &in, size_t places, size_t frames, OwnCode &into) {
    uint64_t address = 0;
    for (size_t left = in.count(); left; --left) {
        OwnInstruction &one = into.instructions.emplace_back();
        one.address = address += in.varint();
        const uint64_t place = in.varint(), begun = in.varint(), frame = in.varint(),
                       function = in.varint(), lists = into.places.size() - places;
        if (place >= lists || begun > lists || frame > into.frames.size() - frames ||
            function > into.functions.size())
            throw FormatError("damaged place of an instruction");
        one.places = uint32_t(places + place);
        one.begun = begun ? uint32_t(places + begun) : 0;
        one.frame = frame ? uint32_t(frames + frame) : 0;
        one.function = uint32_t(function);
    }
}

} // namespace

Bytes encode_own_code(OwnCode code) {
    ByteWriter plain, out;
    plain.varint(code.places.size());
    for (const std::vector<PlaceRow> &places : code.places)
        write(plain, places);
    plain.varint(code.frames.size());
    for (const FrameAddress &frame : code.frames) {
        plain.varint(unsigned(frame.reg));
        plain.signed_varint(frame.offset);
    }
    plain.varint(code.functions.size());
    for (const std::vector<OwnVariable> &function : code.functions) {
        plain.varint(function.size());
        for (const OwnVariable &variable : function)
            write(plain, variable);
    }
    write_instructions(plain, code.instructions);
    pack(out, plain.bytes);
    return std::move(out.bytes);
}

void decode_own_code(ByteSpan payload, OwnCode &into) {
    ByteReader packed(payload);
    const Bytes plain = unpack(packed);
    ByteReader in(plain);
    const size_t places = into.places.size(), frames = into.frames.size();
    for (size_t left = in.count(); left; --left)
        into.places.push_back(read_places(in));
    for (size_t left = in.count(); left; --left) {
        FrameAddress &frame = into.frames.emplace_back();
        frame.reg = int(in.varint());
        frame.offset = in.signed_varint();
    }
    for (size_t left = in.count(); left; --left) {
        std::vector<OwnVariable> &function = into.functions.emplace_back();
        for (size_t variables = in.count(); variables; --variables)
            function.push_back(read_variable(in));
    }
    read_instructions(in, places, frames, into);
}

Bytes encode_code(ByteSpan bytes) {
    ByteWriter out;
    pack(out, bytes);
    return std::move(out.bytes);
}

Bytes decode_code(ByteSpan payload) {
    ByteReader in(payload);
    return unpack(in);
}

} // namespace heapstory
