// Runs the tests of the native core.
// SPDX-License-Identifier: GPL-2.0-or-later
#define CATCH_CONFIG_RUNNER
#include "catch.h"

int main(int count, char **words) {
    return Catch::Session().run(count, words);
}
