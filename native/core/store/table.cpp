// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/table.h"

namespace heapstory {

TableData table_of(std::vector<ColumnSpec> columns, Batch batch) {
    auto shared = std::make_shared<const Batch>(std::move(batch));
    return {std::move(columns), [shared]() -> BatchSource {
                return [shared, done = false](Batch &out) mutable {
                    if (done)
                        return false;
                    done = true;
                    out = *shared;
                    return true;
                };
            }};
}

} // namespace heapstory
