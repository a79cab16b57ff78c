// What the collector keeps in step with the stream: call stacks, and the last value of every word.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/chunks/shadow.h"
#include "collect/program/call_stacks.h"

#include "catch.h"

using namespace heapstory;

namespace {

struct Stacks {
    CallStacks stacks;
    std::vector<uint32_t> gone; // calls that ended, in order

    auto note() {
        return [this](const Frame &frame) { gone.push_back(frame.call); };
    }
    void call(uint64_t sp, uint32_t id) {
        Frame frame;
        frame.sp = sp;
        frame.call = id;
        stacks.push(frame, note());
    }
    std::vector<uint32_t> open() const {
        std::vector<uint32_t> calls;
        for (const Frame &frame : stacks.frames())
            calls.push_back(frame.call);
        return calls;
    }
};

using Calls = std::vector<uint32_t>;
constexpr uint64_t top = 0x7ff000000000, other_stack = 0x7fe000000000;

} // namespace

TEST_CASE("calls nest and return") {
    Stacks one;
    one.call(top, 1);
    one.call(top - 64, 2);
    CHECK(one.open() == Calls{1, 2});
    one.stacks.returned(top - 64, one.note());
    CHECK(one.gone == Calls{2});
    CHECK(one.stacks.last_returned().call == 2);
    one.stacks.returned(top, one.note());
    CHECK(one.open().empty());
}

TEST_CASE("a frame is gone as soon as the stack pointer is at or above it") {
    Stacks one;
    one.call(top, 1);
    one.call(top - 64, 2);
    one.call(top - 128, 3);
    one.stacks.unwind(top, one.note()); // longjmp
    CHECK(one.gone == Calls{3, 2});
    CHECK(one.open() == Calls{1});
    one.call(top, 4); // a tail call
    CHECK(one.gone == Calls{3, 2, 1});
    CHECK(one.open() == Calls{4});
}

TEST_CASE("threads and coroutines keep their own frames") {
    Stacks one;
    one.call(top, 1);
    one.stacks.switch_to(2);
    CHECK(one.open().empty());
    one.call(top - 4096, 5);
    one.stacks.switch_to(1);
    CHECK(one.open() == Calls{1});
    one.call(other_stack, 7); // far away: another stack of the same thread
    CHECK(one.open() == Calls{7});
    one.stacks.returned(top, one.note());
    CHECK(one.gone == Calls{1});
}

TEST_CASE("a store that leaves the bytes as they were is silent") {
    Shadow shadow;
    constexpr uint64_t address = 0x4a00000;
    ShadowPage &page = shadow.get(address);
    CHECK(shadow.store(page, 0, 0, 8, 7)); // the first write
    CHECK_FALSE(shadow.store(page, 0, 0, 8, 7));
    CHECK(shadow.store(page, 0, 0, 4, 8));
    CHECK_FALSE(shadow.store(page, 0, 4, 4, 0));
    CHECK(shadow.live_words() == 1);
    CHECK(page.image[0] == 8);
}

TEST_CASE("a part of a word is written for the first time by itself") {
    Shadow shadow;
    ShadowPage &page = shadow.get(0x4a00000);
    CHECK(shadow.store(page, 1, 0, 4, 0));
    CHECK(shadow.store(page, 1, 4, 4, 0)); // zero as it was, but nobody had written it
    CHECK_FALSE(shadow.store(page, 1, 0, 8, 0));
}

TEST_CASE("what a block held is gone with it, and calloc's zeros are known") {
    Shadow shadow;
    constexpr uint64_t address = 0x4a00ff8; // over the border of two pages
    const Bytes bytes(16, 3);
    CHECK(shadow.copy(address, ByteSpan(bytes)));
    CHECK_FALSE(shadow.copy(address, ByteSpan(bytes)));
    CHECK(shadow.read(address, 16) == bytes);
    shadow.clear(address, 16);
    CHECK(shadow.live_words() == 0);
    CHECK(shadow.copy(address, ByteSpan(bytes)));
    shadow.zero(address, 16);
    const Bytes zeros(16, 0);
    CHECK_FALSE(shadow.copy(address, ByteSpan(zeros)));
}
