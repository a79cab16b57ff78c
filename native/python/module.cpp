// The binding: heapstory._core. Thin on purpose; what it says is in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "code_places.h"
#include "constraints.h"
#include "explore.h"
#include "linear.h"
#include "slicer.h"
#include "symbols/names.h"
#include "table.h"
#include "trace.h"
#include "view.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

NB_MODULE(_core, m) {
    using namespace heapstory;
    m.attr("FORMAT_VERSION") = int(format_version);
    nb::object base = nb::module_::import_("heapstory.errors").attr("TraceError");
    nb::exception<FormatError>(m, "CoreError", base.ptr());
    m.def("readable_name", &readable_name, nb::arg("linkage_name"));
    bind_table(m);
    bind_graph(m);
    bind_trace(m);
    bind_code_places(m);
    bind_explore(m);
    bind_linear(m);
    bind_slicer(m);
    bind_view(m);
    add_constraints(m, [](nb::handle trace) { return nb::cast<Trace &>(trace).shared_store(); });
}
