// Tables of the core as Arrow streams, by the Arrow C data interface.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/table.h"

#include <cstdint>

extern "C" {

// The structures of the Arrow C data and stream interfaces, whose layout is fixed by Arrow.
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema **children;
    ArrowSchema *dictionary;
    void (*release)(ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    ArrowArray **children;
    ArrowArray *dictionary;
    void (*release)(ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *);
    int (*get_next)(ArrowArrayStream *, ArrowArray *);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};
}

namespace heapstory {

// A new stream over the table; the caller releases it.
void export_stream(const TableData &table, ArrowArrayStream *out);

} // namespace heapstory
