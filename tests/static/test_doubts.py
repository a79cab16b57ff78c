"""Where the analysis knows that it is guessing, the confidence is low; where not, it is not."""

from __future__ import annotations

from conftest import Leaks

STREAM = """
#include <stdlib.h>
struct stream { char *window; int mode; };
int check(int mode);
static int reset(struct stream *s) { return check(s->mode) ? -2 : 0; }
static int init(struct stream *s, int mode)
{
    if (mode > 9)
        return -1;
    s->window = malloc(64);
    if (!s->window)
        return -4;
    return reset(s);
}
int use(int mode)
{
    struct stream s;
    if (init(&s, mode) != 0)
        return 1;
    %s
    return 0;
}
"""

KEY = """
#include <stdlib.h>
struct key { int type; char *certificate; };
int is_certificate(int type);
static struct key *key_new(int type)
{
    struct key *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    %s
        k->certificate = malloc(64);
    return k;
}
void use(int type)
{
    free(key_new(type));
}
"""

TABLE = """
#include <stdlib.h>
void fill(char **table, int n, int leak)
{
    char *room = malloc(64);
    if (!room || leak)
        return;
    for (int i = 0; i < n; i++)
        table[i] = room + i;
}
"""


def confidences(leaks: Leaks, text: str) -> set[str]:
    return {finding.confidence for finding in leaks(text)}


def test_memory_after_a_failure(leaks: Leaks) -> None:
    assert confidences(leaks, STREAM % "free(s.window);") <= {"low"}
    assert "high" in confidences(leaks, STREAM % "")


def test_members_made_sometimes(leaks: Leaks) -> None:
    assert confidences(leaks, KEY % "if (is_certificate(type))") <= {"low"}
    assert "high" in confidences(leaks, KEY % "")


def test_loops_that_perhaps_do_not_run(leaks: Leaks) -> None:
    good = TABLE.replace("|| leak", "")
    assert confidences(leaks, good) <= {"low"}


def test_functions_beyond_their_budget(leaks: Leaks) -> None:
    """Fifteen blocks, each of which may be null, held or given away: far too many states, but the
    one that is forgotten is found."""
    names = [f"p{i}" for i in range(15)]
    made = "\n".join(
        f"char *{n} = (flags >> {i}) & 1 ? malloc(8) : 0;" for i, n in enumerate(names)
    )
    kept = "\n".join(
        f"if ({n} && keep) {{ out[{i}] = {n}; {n} = 0; }}" for i, n in enumerate(names)
    )
    freed = "\n".join(f"free({n});" for n in names[:-1])
    head = "#include <stdlib.h>\nint f(char **out, int keep, int flags)\n{\n"
    found = leaks(f"{head}{made}\n{kept}\n{freed}\nreturn 0;\n}}\n")
    assert {finding.variable for finding in found if finding.confidence != "low"} == {names[-1]}
