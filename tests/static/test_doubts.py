"""Where the analysis knows that it is guessing, the confidence is low; where not, it is not."""

from __future__ import annotations

from tests.static.conftest import Leaks

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

NUMBER = """
#include <stdlib.h>
#include <string.h>
struct number { char *digits; };
static struct number *read_number(const char *text, struct number *into)
{
    if (!into && !(into = calloc(1, sizeof *into)))
        return NULL;
    free(into->digits);
    into->digits = malloc(strlen(text) + 1);
    if (!into->digits)
        abort();
    return into;
}
int use(const char *text, struct number *number)
{
    %s
    return read_number(text, number) != NULL;
}
"""

SLOTS = """
#include <stdlib.h>
struct slots { char *text[8]; int count; };
static int put(struct slots *slots, int i, char *text)
{
    if (i >= slots->count)
        return 0;
    slots->text[i] = text;
    return 1;
}
void use(struct slots *slots, int i)
{
    char *text = malloc(8);
    if (text)
        %s
}
"""

SET = """
#include <stdlib.h>
struct set { int room; int *elements; };
static int make(struct set *set, int room)
{
    set->room = room;
    set->elements = malloc(room);
    return set->elements != NULL;
}
static int add(struct set *set, int element)
{
    if (%s) {
        set->room = 1;
        set->elements = malloc(sizeof *set->elements);
        if (!set->elements)
            return 0;
    }
    set->elements[0] = element;
    return 1;
}
int use(struct set *set, int room)
{
    return make(set, room) && add(set, 1);
}
"""

TEXT = """
#include <stdlib.h>
#include <string.h>
static int fetch(const char *from, size_t size, char **into, size_t *room)
{
    if (!from)
        return 0;
    if (!*into) {
        if (!(*into = malloc(size + (size == 0))))
            return 0;
        *room = size + (size == 0);
    }
    if (*room < size)
        return 0;
    memcpy(*into, from, size);
    return 1;
}
int use(const char *from, size_t size)
{
    char *text = NULL;
    size_t room = 0;
    if (!fetch(from, size, &text, &room))
        return 0;
    %s
    return 1;
}
"""

PARENT = """
#include <stdlib.h>
struct node { struct node *parent; };
static struct node *child(struct node *parent)
{
    struct node *made = malloc(sizeof *made);
    if (!made)
        abort();
    made->parent = parent;
    return made;
}
void use(struct node **out, int n)
{
    struct node *root = child(NULL);
    for (int i = 0; i < n; i++)
        out[i] = child(%s);
}
"""

OPENED = """
#include <iconv.h>
static iconv_t opened[2] = {(iconv_t)-1, (iconv_t)-1};
static iconv_t converter(int back)
{
    %s
        opened[back] = back ? iconv_open("UTF-8", "ASCII") : iconv_open("ASCII", "UTF-8");
    return opened[back];
}
static int convert(void)
{
    return converter(0) != (iconv_t)-1;
}
int use(void)
{
    return convert() && convert();
}
"""

HOOK = """
#include <stdio.h>
#include <stdlib.h>
static int hooked;
static void *(*hook)(size_t size);
void set_hook(void *(*other)(size_t size)) { hook = other; hooked = 1; }
static void *get(size_t size) { return hooked ? hook(size) : malloc(size); }
static int read_text(FILE *in, char **out)
{
    int size = fgetc(in);
    char *made = size > 0 ? get(size) : NULL;
    if (made == NULL) {
        fclose(in);
        return -1;
    }
    *out = made;
    return size - 2;
}
int use(FILE *in)
{
    char *text = NULL;
    int size = read_text(in, &text);
    if (size < 0)
        return 0;
    %s
    return 1;
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


def test_null_that_only_the_callee_asks_for(leaks: Leaks) -> None:
    assert confidences(leaks, NUMBER % "") <= {"low"}
    assert "high" in confidences(leaks, NUMBER % "if (number) return 1;")


def test_results_that_nobody_reads(leaks: Leaks) -> None:
    assert confidences(leaks, SLOTS % "put(slots, i, text);") <= {"low"}
    assert "high" in confidences(leaks, SLOTS % "if (!put(slots, i, text)) return;")


def test_numbers_that_say_there_is_nothing(leaks: Leaks) -> None:
    assert confidences(leaks, SET % "set->room == 0") <= {"low"}
    assert "medium" in confidences(leaks, SET % "element > 0")


def test_failure_as_this_call_sees_it(leaks: Leaks) -> None:
    assert confidences(leaks, TEXT % "free(text);") <= {"low"}
    assert "high" in confidences(leaks, TEXT % "")


def test_failure_where_others_perhaps_made_it(leaks: Leaks) -> None:
    assert confidences(leaks, HOOK % "free(text);") <= {"low"}
    assert "high" in confidences(leaks, HOOK % "")


def test_callees_that_keep_it_in_a_loop(leaks: Leaks) -> None:
    assert confidences(leaks, PARENT % "root") <= {"low"}
    assert "high" in confidences(leaks, PARENT % "NULL")


def test_elements_looked_at_before_they_are_replaced(leaks: Leaks) -> None:
    assert confidences(leaks, OPENED % "if (opened[back] == (iconv_t)-1)") <= {"low"}
    assert "medium" in confidences(leaks, OPENED % "")


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


def test_results_of_functions_beyond_their_budget(leaks: Leaks) -> None:
    """Who calls such a function knows that the result is new memory, unless somebody keeps it."""
    filler = "\n".join(f"if (flags == {n}) note({n}, flags);" for n in range(500))
    for kept, forgotten in (("", {"forgets"}), ("last = text;", set())):
        found = leaks(f"""
#include <stdlib.h>
void note(int number, int flags);
static char *last;
char *make(int flags)
{{
    char *text = malloc(8);
    if (!text) abort();
    {filler}
    while (flags--) {{
        char *bigger = realloc(text, flags + 8);
        if (!bigger) abort();
        text = bigger;
    }}
    {kept}
    return text;
}}
int forgets(int flags) {{ return make(flags)[0]; }}
int frees(int flags)
{{
    char *text = make(flags);
    int first = text[0];
    free(text);
    return first;
}}
int again(void) {{ return last ? last[0] : 0; }}
""")
        assert {f.function for f in found} == forgotten


def test_blocks_followed_alone_keep_clear_of_others(leaks: Leaks) -> None:
    """A function too large to be followed at once: what a call makes is not taken for what was made
    before, whose members are numbers at the same offsets."""
    filler = "\n".join(f"if (flags == {n}) note({n}, flags);" for n in range(500))
    found = leaks(f"""
#include <stdlib.h>
#include <string.h>
void note(int number, int flags);
struct part {{ char *name, *first, *second; }};
struct whole {{ long one, two, three; struct part *part; }};
static int fill(struct whole *whole)
{{
    struct part *part = calloc(1, sizeof *part);
    if (!part)
        abort();
    if (!(part->name = strdup("a")) || !(part->first = strdup("b")) ||
        !(part->second = strdup("c")))
        abort();
    whole->part = part;
    return 0;
}}
int use(struct whole **out, int flags)
{{
    struct whole *whole = calloc(1, sizeof *whole);
    if (!whole)
        return 1;
    {filler}
    fill(whole);
    whole->one = 1;
    whole->two = 2;
    whole->three = 3;
    *out = whole;
    return 0;
}}
""")
    assert not found
