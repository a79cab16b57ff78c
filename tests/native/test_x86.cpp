// What instructions do to registers and memory.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/receiver/x86.h"

#include "catch.h"
#include <initializer_list>
#include <vector>

using namespace heapstory;
using Kind = Instruction::Kind;

namespace {

constexpr int rax = 0, rcx = 1, rbx = 3, rsp = 4, rbp = 5, rdi = 7;

Instruction decode(std::initializer_list<int> bytes) {
    std::vector<uint8_t> code(bytes.begin(), bytes.end());
    Instruction in = decode_x86(code.data(), code.size());
    CHECK((in.kind == Kind::unknown || in.length == code.size()));
    return in;
}

} // namespace

TEST_CASE("moves name where from and where to") {
    Instruction copy = decode({0x48, 0x89, 0xc3}); // mov %rax, %rbx
    CHECK((copy.kind == Kind::move && copy.from == rax && copy.to == rbx && !copy.memory));
    Instruction load = decode({0x48, 0x8b, 0x45, 0xf8}); // mov -8(%rbp), %rax
    CHECK((load.kind == Kind::move && load.memory && !load.stores && load.to == rax));
    CHECK((load.base == rbp && load.displacement == -8 && load.index == Instruction::none));
    Instruction store = decode({0x48, 0x89, 0x44, 0xcb, 0x10}); // mov %rax, 16(%rbx,%rcx,8)
    CHECK((store.kind == Kind::move && store.stores && store.from == rax));
    CHECK((store.base == rbx && store.index == rcx && store.scale == 8));
    Instruction global = decode({0x48, 0x89, 0x05, 1, 0, 0, 0}); // mov %rax, 1(%rip)
    CHECK((global.base == Instruction::next_address && global.displacement == 1));
}

TEST_CASE("what is not followed says which registers it writes") {
    Instruction narrow = decode({0x89, 0xc3}); // mov %eax, %ebx
    CHECK((narrow.kind == Kind::other && narrow.written == 1u << rbx));
    CHECK(decode({0x80, 0xcc, 0x01}).written == 1u << rax); // or $1, %ah: a part of rax
    CHECK(decode({0xf3, 0x48, 0xab}).written == (1u << rcx | 1u << rdi));       // rep stos
    Instruction canary = decode({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}); // mov %fs:40, %rax
    CHECK((canary.kind == Kind::other && canary.written == 1u << rax));
    CHECK(decode({0x66, 0x90}).written == 0); // a long nop
}

TEST_CASE("sums, tests and steps of the stack") {
    Instruction sum = decode({0x48, 0x83, 0xec, 0x18}); // sub $24, %rsp
    CHECK((sum.kind == Kind::add && sum.to == rsp && sum.immediate && sum.value == -24));
    CHECK(decode({0x48, 0x85, 0xc0}).kind == Kind::test);       // test %rax, %rax
    CHECK(decode({0x48, 0x83, 0xf8, 0x00}).kind == Kind::test); // cmp $0, %rax
    CHECK(decode({0x48, 0x83, 0xf8, 0x01}).kind == Kind::other);
    CHECK(decode({0x50}).kind == Kind::push);
    Instruction pop = decode({0x5b}); // pop %rbx
    CHECK((pop.kind == Kind::pop && pop.written == 1u << rbx));
}

TEST_CASE("ways through the code") {
    Instruction call = decode({0xe8, 0xfb, 0xff, 0xff, 0xff});
    CHECK((call.kind == Kind::call && call.immediate && call.target == -5));
    CHECK_FALSE(decode({0xff, 0xd0}).immediate); // call *%rax
    CHECK(decode({0x74, 0x10}).kind == Kind::jump_if_zero);
    CHECK(decode({0x0f, 0x85, 0, 1, 0, 0}).target == 256);
    CHECK(decode({0x7f, 0x10}).kind == Kind::jump_if_other);
    CHECK(decode({0xff, 0xe0}).kind == Kind::unknown); // jmp *%rax
    CHECK(decode({0xc3}).kind == Kind::return_);
    CHECK(decode({0x0f, 0x0b}).kind == Kind::unknown); // ud2
    CHECK(decode({0x48}).kind == Kind::unknown);       // cut off
}
