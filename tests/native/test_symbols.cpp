// Names and types, and what this very program's file says of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/demangle.h"
#include "symbols/symbols.h"

#include "catch.h"
#include <algorithm>
#include <link.h>

using namespace heapstory;

// Looked for below, by the names they have in the symbol table.
extern "C" {
int heapstory_test_counter = 3;
__attribute__((noinline)) int heapstory_test_function(int n) {
    return n + heapstory_test_counter;
}
}

namespace {

// Where this program lies, less where its file says.
uint64_t load_bias() {
    uint64_t bias = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *found) {
            *static_cast<uint64_t *>(found) = info->dlpi_addr;
            return 1; // the first is the program itself
        },
        &bias);
    return bias;
}

} // namespace

TEST_CASE("names of C++ and Rust are readable, others stay as they are") {
    CHECK(demangle("_ZN5shape4drawEi") == "shape::draw(int)");
    CHECK(demangle("_ZN4core3fmt5write17h0123456789abcdefE") == "core::fmt::write");
    CHECK(demangle("_RNvNtCs1234_7mycrate4list4push") == "mycrate::list::push");
    CHECK(demangle("main") == "main");
    CHECK(demangle("") == "");
    CHECK(demangle("_Znonsense") == "_Znonsense");
    CHECK(demangle("_RNvnonsense") == "_RNvnonsense");
}

TEST_CASE("equal types are one type") {
    TypeTable types;
    Type number;
    number.kind = TypeKind::base;
    number.name = "int";
    number.size = 4;
    const TypeId first = types.add(number);
    CHECK(first != no_type);
    CHECK(types.add(number) == first);
    CHECK(types.find("int") == first);
    CHECK(types.find("long") == no_type);
    CHECK(types[first].size == 4);
    CHECK(types.size() == 1);

    Type pointer;
    pointer.kind = TypeKind::pointer;
    pointer.name = "int *";
    pointer.size = 8;
    pointer.target = first;
    CHECK(types.add(pointer) != first);
}

TEST_CASE("functions and variables of a file") {
    CHECK(heapstory_test_function(1) == 4);
    TypeTable types;
    const auto file = ElfFile::open("/proc/self/exe", types);
    const uint64_t bias = load_bias();

    const uint64_t code = uint64_t(&heapstory_test_function) - bias;
    const auto function = file->function(code + 1);
    REQUIRE(function);
    CHECK(function->name == "heapstory_test_function");
    CHECK(function->address == code);
    const auto places = file->places(code);
    REQUIRE_FALSE(places.empty());
    CHECK(places.back().function == "heapstory_test_function");

    const uint64_t data = uint64_t(&heapstory_test_counter) - bias;
    const auto variables = file->variables();
    const auto counter = std::find_if(variables.begin(), variables.end(), [](const Variable &v) {
        return v.name == "heapstory_test_counter";
    });
    REQUIRE(counter != variables.end());
    CHECK(counter->address == data);
    CHECK(counter->size == sizeof heapstory_test_counter);
    CHECK(std::is_sorted(variables.begin(), variables.end(),
                         [](const auto &a, const auto &b) { return a.address < b.address; }));

    const auto segments = file->segments();
    const auto holds = [](uint64_t address) {
        return [=](const Segment &s) { return address - s.address < s.memory_size; };
    };
    const auto code_segment = std::find_if(segments.begin(), segments.end(), holds(code));
    const auto data_segment = std::find_if(segments.begin(), segments.end(), holds(data));
    REQUIRE(code_segment != segments.end());
    REQUIRE(data_segment != segments.end());
    CHECK(code_segment->executable);
    CHECK(data_segment->writable);
}

TEST_CASE("an address outside of all code has no function") {
    TypeTable types;
    const auto file = ElfFile::open("/proc/self/exe", types);
    CHECK_FALSE(file->function(~uint64_t(0)));
    CHECK(file->places(~uint64_t(0)).empty());
}

TEST_CASE("what is no ELF file is refused") {
    TypeTable types;
    CHECK_THROWS_AS(ElfFile::open("/etc/passwd", types), std::runtime_error);
    CHECK_THROWS_AS(ElfFile::open("/no/such/file", types), std::runtime_error);
}
