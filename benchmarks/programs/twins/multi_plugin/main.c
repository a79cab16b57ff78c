/* Runs all plugins; the leak is in table.c. */
#include "plugin.h"
#include <stdio.h>

int main(void) {
    const struct plugin *const all[] = {&counter_plugin, &table_plugin};
    for (int i = 0; i < 2; i++) {
        void *state = all[i]->create(4);
        if (!state)
            continue;
        printf("%s %d\n", all[i]->name, all[i]->run(state));
        all[i]->destroy(state);
    }
    return 0;
}
