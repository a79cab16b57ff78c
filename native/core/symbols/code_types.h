// What code says of the types of memory: beyond ElfFile, for who settles the types of blocks.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

namespace heapstory {

// What a store tells, by the variables that are in its registers. The stored bytes lie `offset`
// behind the start of a `holder` (or of an element of an array of them).
struct StoredTypes {
    TypeId holder = no_type;
    int64_t offset = 0;
    bool indexed = false;   // plus an unknown multiple of an element's size
    TypeId value = no_type; // of what the stored pointer points to
};
StoredTypes types_of_store(ElfFile &file, uint64_t instruction);

// The type of what a call returns a pointer to, where it is not known where that goes first (see
// ElfFile::pointee_of_receiver).
TypeId type_of_result(ElfFile &file, uint64_t return_address);

// The type that a call inside an allocator is for: std::allocator<T>::allocate and what Rust's
// boxes and vectors do, inlined or not. no_type if it is in none.
TypeId type_of_allocator(ElfFile &file, uint64_t call);

// The class whose virtual table holds an address; no_type if there is none.
TypeId type_of_vtable(ElfFile &file, uint64_t address);

} // namespace heapstory
