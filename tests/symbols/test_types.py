"""Types and receivers of allocations, against what the compiled programs say themselves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.symbols.probe import ask, compile_program, receivers, run

LAYOUT = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct opaque;
enum color { RED, GREEN };
typedef struct { int x, y; } point;
struct bits { unsigned a : 3, b : 9; uint64_t c : 40; signed char d : 2; };
struct __attribute__((packed)) tight { char c; int i; short s; };
struct node {
    struct node *next, **link;
    char name[5];
    short grid[2][3];
    union { int whole; float real; struct { char low, high; }; };
    point at, *corners;
    enum color color;
    int (*compare)(const void *, const struct node *);
    const volatile unsigned long *flags;
    void *data;
    struct opaque *secret;
    double weights[];
};
union number { long l; double d; char bytes[12]; };
struct node *head; struct bits bits; struct tight tight; union number number; point origin;
#define P(T, m) printf("%s " #m " %zu %zu\n", #T, offsetof(T, m), sizeof(((T *)0)->m))
#define S(T) printf("%s size 0 %zu\n", #T, sizeof(T))
int main(void)
{
    S(struct node); S(struct bits); S(struct tight); S(union number); S(point);
    P(struct node, next); P(struct node, link); P(struct node, name); P(struct node, grid);
    P(struct node, at); P(struct node, corners); P(struct node, color); P(struct node, compare);
    P(struct node, flags); P(struct node, data); P(struct node, secret);
    P(struct tight, c); P(struct tight, i); P(struct tight, s);
    P(union number, l); P(union number, d); P(union number, bytes); P(point, x); P(point, y);
    return head == NULL && bits.a == 0 && tight.i == 0 && number.l == 0 && origin.x == 0 ? 0 : 1;
}
"""


def types_of(program: Path, *names: str) -> dict[str, dict[str, Any]]:
    answers = ask(program, "variables", *(f"type {n}" for n in names))[1:]
    return {
        name: answer | {"fields": {f[0]: f for f in answer["fields"]}}
        for name, answer in zip(names, answers, strict=True)
    }


@pytest.mark.parametrize(
    "command", ["gcc -gdwarf-4", "gcc -gdwarf-5 -O2", "clang -gdwarf-4", "clang -g"]
)
def test_layout_of_c(tmp_path: Path, command: str) -> None:
    program = compile_program(tmp_path, LAYOUT, "layout.c", *command.split())
    names = ("struct node", "struct bits", "struct tight", "union number", "point")
    types = types_of(program, *names)
    for line in run(program).splitlines():
        record, member, offset, size = line.rsplit(" ", 3)
        if member == "size":
            assert types[record]["size"] == int(size)
        else:
            assert types[record]["fields"][member][1:3] == [int(offset), int(size)], line
    node = types["struct node"]["fields"]
    assert {name: field[3] for name, field in node.items()} == {
        "next": "struct node *", "link": "struct node **", "name": "char[5]", "grid": "short[2][3]",
        "": "union {...}", "at": "point", "corners": "point *", "color": "enum color",
        "compare": "int (*)(void *, struct node *)", "flags": "unsigned long *", "data": "void *",
        "secret": "struct opaque *", "weights": "double[]",
    }  # fmt: skip
    assert types["union number"]["union"] == 1
    bits = types["struct bits"]["fields"]
    assert [bits[n][1:3] + bits[n][5:7] for n in "abcd"] == [
        [0, 4, 0, 3], [0, 4, 3, 9], [0, 8, 12, 40], [6, 1, 4, 2],
    ]  # fmt: skip


def test_anonymous_members(tmp_path: Path) -> None:
    program = compile_program(tmp_path, LAYOUT, "layout.c", "gcc", "-g")
    union_id = types_of(program, "struct node")["struct node"]["fields"][""][4]
    (_, union) = ask(program, "variables", f"type {union_id}")
    assert [f[0] for f in union["fields"]] == ["whole", "real", ""]
    (_, struct) = ask(program, "variables", f"type {union['fields'][2][4]}")
    assert [f[:3] for f in struct["fields"]] == [["low", 0, 1], ["high", 1, 1]]


def test_declarations_meet_definitions(tmp_path: Path) -> None:
    header = "struct node; struct list { struct node *first; }; extern struct list all;"
    (tmp_path / "user.c").write_text(
        header + "struct list all; int main(void) { return all.first != 0; }"
    )
    (tmp_path / "owner.c").write_text(header + "struct node { int v; struct list *of; } only;")
    program = tmp_path / "both"
    run("gcc", "-g", tmp_path / "user.c", tmp_path / "owner.c", "-o", program)
    types = types_of(program, "struct list", "struct node", "struct node *")
    assert types["struct node"]["size"] == 16
    assert types["struct list"]["fields"]["first"][4] == types["struct node *"]["id"]
    assert types["struct node *"]["target"] == types["struct node"]["id"]


@pytest.mark.parametrize("order", [("file 0", "file 1"), ("file 1", "file 0")])
def test_declarations_meet_definitions_of_other_modules(
    tmp_path: Path, order: tuple[str, str]
) -> None:
    user = "struct node; struct list { struct node *first; } all; int main(void) { return 0; }"
    owner = "struct secret; struct node { int v; struct secret *s; }; struct node only;"
    program = compile_program(tmp_path, user, "user.c", "gcc", "-g")
    library = compile_program(tmp_path, owner, "owner.c", "gcc", "-g", "-shared", "-fPIC")
    questions = [order[0], "variables", order[1], "variables"]
    *_, node, all_nodes, secret = ask(
        program,
        *questions,
        "type struct node",
        "type struct list",
        "type struct secret",
        more=(library,),
    )
    assert (node["size"], [f[0] for f in node["fields"]]) == (16, ["v", "s"])
    assert (secret["size"], secret["fields"]) == (0, [])
    *_, pointer = ask(program, *questions, f"type {all_nodes['fields'][0][4]}", more=(library,))
    assert pointer["target"] == node["id"]


def test_equal_types_of_units_are_one(tmp_path: Path) -> None:
    body = "struct node { struct node *next; struct leaf { int v; } *leaf; } *"
    (tmp_path / "a.c").write_text(f"{body} a; int main(void) {{ return 0; }}")
    (tmp_path / "b.c").write_text(f"{body} b;")
    (tmp_path / "c.c").write_text("struct node { long other; } *c;")  # another type of that name
    program = tmp_path / "units"
    run("gcc", "-g", *(tmp_path / f"{n}.c" for n in "ab"), "-c")
    objects = [Path(f"{n}.o") for n in "ab"]
    try:
        run("clang", "-g", *objects, tmp_path / "c.c", "-o", program)
    finally:
        for path in objects:
            path.unlink()
    found = {v[0]: v[4] for v in ask(program, "variables")[0]}
    assert found["a"] == found["b"] != found["c"]


CLASSES = r"""
#include <cstddef>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
namespace app {
struct First { int one; virtual ~First() {} };
struct Second { long two; };
template <class T, int N> class Both : public First, protected Second {
  public:
    T items[N];
    Both *next = nullptr;
    First &reference = *this;
    static int made;
    enum class Mode : unsigned char { on, off } mode;
    int Second::*member = nullptr ? nullptr : nullptr;
    static void print() {
        Both b;
        auto at = [&](void *p) { return (size_t)((char *)p - (char *)&b); };
        std::printf("items %zu %zu\nnext %zu %zu\nmode %zu %zu\n", at(&b.items), sizeof b.items,
                    at(&b.next), sizeof b.next, at(&b.mode), sizeof b.mode);
        std::printf("base0 %zu %zu\nbase1 %zu %zu\nsize 0 %zu\n", at((First *)&b), sizeof(First),
                    at((Second *)&b), sizeof(Second), sizeof b);
    }
};
template <class T, int N> int Both<T, N>::made = 1;
}
app::Both<short, 3> thing;
std::map<int, std::string> words;
std::shared_ptr<app::First> shared;
int main() { app::Both<short, 3>::print(); return app::Both<short, 3>::made - 1; }
"""


@pytest.mark.parametrize(
    "command", ["g++ -gdwarf-4", "g++ -g -O2", "clang++ -gdwarf-4", "clang++ -g"]
)
def test_layout_of_cpp(tmp_path: Path, command: str) -> None:
    program = compile_program(tmp_path, CLASSES, "classes.cpp", *command.split())
    (_, both) = ask(program, "variables", "type app::Both<short, 3>")
    if both is None:
        (_, both) = ask(program, "variables", "type app::Both<short int, 3>")
    fields = {f[0]: f for f in both["fields"] if f[0]}
    bases = [f for f in both["fields"] if f[7]]
    assert [b[3] for b in bases] == ["app::First", "app::Second"]
    fields |= {"base0": bases[0], "base1": bases[1], "size": ["", 0, both["size"]]}
    for line in run(program).splitlines():
        member, offset, size = line.split()
        assert fields[member][1:3] == [int(offset), int(size)], line
    assert fields["mode"][3].endswith("::Mode")
    assert "made" not in fields
    names = {v[0]: v[3] for v in ask(program, "variables")[0]}
    assert names["words"].startswith("std::map<int, std::")
    assert (
        names[
            "app::Both<short, 3>::made" if "clang" in command else "app::Both<short int, 3>::made"
        ]
        == "int"
    )


RECEIVERS = r"""
#include <stdio.h>
#include <stdlib.h>
struct leaf { int a; };
struct inner { struct leaf *leaf; long pad; struct leaf *many[4]; };
struct node { struct node *next; struct inner in; char *text; struct leaf *leaf; };
struct holder { long n; struct leaf *items[]; };
struct node *head;
struct leaf *table[10];
#define NOINLINE __attribute__((noinline))
static NOINLINE void use(void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }
NOINLINE void local(void)
{
    struct node *n = malloc(sizeof *n);
    n->next = head;
    head = n;
}
NOINLINE void member(struct node *p) { p->leaf = malloc(4); use(p); }
NOINLINE void nested(struct node *p) { p->in.leaf = malloc(4); use(p); }
NOINLINE void chain(struct node *p) { p->next->in.many[2] = malloc(4); use(p); }
NOINLINE void indexed(struct node *p, int i) { p->in.many[i] = malloc(4); use(p); }
NOINLINE void global(void) { head = malloc(sizeof *head); }
NOINLINE void global_array(int i) { table[i] = malloc(5); }
NOINLINE struct leaf *returned(void) { return malloc(sizeof(struct leaf)); }
NOINLINE void *wrapper(size_t n)
{
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
NOINLINE void wrapped(void) { struct leaf *l = wrapper(4); use(l); }
NOINLINE void bytes(struct node *p) { p->text = malloc(10); use(p); }
NOINLINE void checked(struct node *p)
{
    struct node *n = malloc(sizeof *n);
    if (!n) {
        perror("malloc");
        exit(1);
    }
    n->next = p;
    use(n);
    use(p);
}
NOINLINE void doubled(struct node **link) { *link = malloc(sizeof **link); use(*link); }
NOINLINE void on_stack(void)
{
    struct inner in;
    in.pad = 1;
    in.leaf = malloc(4);
    use(&in);
}
NOINLINE void flexible(struct holder *h) { h->items[1] = malloc(4); use(h); }
NOINLINE void array(int n) { struct leaf **v = malloc(n * sizeof *v); use(v); use(&n); }
NOINLINE void anonymous(void) { use(malloc(3)); }
static inline __attribute__((always_inline)) void *quick(size_t n)
{
    void *q = malloc(n);
    return q;
}
NOINLINE void inlined(struct node *p)
{
    struct leaf *l = quick(4);
    l->a = 1;
    use(p);
    use(l);
}
int main(int argc, char **argv)
{
    struct node n = {0}, *lp = 0;
    static struct { struct holder h; struct leaf *room[4]; } h;
    n.next = &n;
    local(); member(&n); nested(&n); chain(&n); indexed(&n, argc); global(); global_array(argc);
    use(returned()); wrapped(); bytes(&n); checked(&n); doubled(&lp); on_stack();
    flexible(&h.h); array(3); anonymous(); inlined(&n);
    return argv[0] == 0;
}
"""
EXPECTED = {
    "local": "struct node", "member": "struct leaf", "nested": "struct leaf",
    "chain": "struct leaf",
    "indexed": "struct leaf", "global": "struct node", "global_array": "struct leaf",
    "returned": "struct leaf", "wrapper": None, "wrapped": "struct leaf", "bytes": "char",
    "checked": "struct node", "doubled": "struct node", "on_stack": "struct leaf",
    "flexible": "struct leaf", "array": "struct leaf *", "anonymous": None,
    "inlined": "struct leaf",
}  # fmt: skip


@pytest.mark.parametrize("options", ["-O0", "-O1", "-O2", "-O3 -fno-pie -no-pie", "-Og -gdwarf-4"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_receivers_of_c(tmp_path: Path, compiler: str, options: str) -> None:
    program = compile_program(tmp_path, RECEIVERS, "receivers.c", compiler, "-g", *options.split())
    calls = receivers(program, "malloc|wrapper")
    answers = ask(program, *(question for _, question in calls))
    found = {
        function: answer and answer["name"]
        for (function, _), answer in zip(calls, answers, strict=True)
    }
    if "returned" not in found:  # a tail call: malloc returns elsewhere
        found["returned"] = "struct leaf"
    assert {f: t for f, t in found.items() if f in EXPECTED} == EXPECTED


def test_a_wrong_place_has_no_type(tmp_path: Path) -> None:
    program = compile_program(tmp_path, RECEIVERS, "receivers.c", "gcc", "-g", "-O0")
    calls = [
        question for function, question in receivers(program, "malloc") if function == "anonymous"
    ]
    address = calls[0].split()[1]
    for receiver in (
        "memory 6 -4000",
        "memory 7 100000",
        "register 12 0",
        "memory 3 8",
        "global 10",
    ):
        assert ask(program, f"receiver {address} {receiver}") == [None]
    for address in ("0", "10", "ffffffffffffffff"):
        assert ask(program, f"receiver {address} register 0 0") == [None]


OBJECTS = r"""
#include <list>
#include <map>
#include <memory>
#include <string>
struct Base { int id; virtual ~Base(); Base(int i); };
Base::Base(int i) : id(i) {}
Base::~Base() {}
struct Derived : Base { double d; Derived(double x) : Base(1), d(x) {} };
struct Plain { Plain *next; int v; };
struct List { Plain *head = nullptr; void push(int v); };
#define NOINLINE __attribute__((noinline))
NOINLINE void List::push(int v) { Plain *p = new Plain{head, v}; head = p; }
Base *keep;
extern "C" {
NOINLINE Base *make() { return new Derived(3.0); }
NOINLINE void outofline() { keep = new Base(3); }
NOINLINE void array(List *l) { l->head = new Plain[4]; }
NOINLINE void container(std::list<int> *l) { l->push_back(3); }
}
int main()
{
    List l;
    l.push(1);
    keep = make();
    outofline();
    array(&l);
    std::list<int> n;
    container(&n);
}
"""


@pytest.mark.parametrize("options", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_receivers_of_cpp(tmp_path: Path, compiler: str, options: str) -> None:
    program = compile_program(tmp_path, OBJECTS, "objects.cpp", compiler, "-g", options)
    calls = receivers(program, "_Znwm|_Znam")
    answers = ask(program, *(question for _, question in calls))
    found = {f: a and a["name"] for (f, _), a in zip(calls, answers, strict=True)}
    expected = {
        "_ZN4List4pushEi": "Plain",
        "make": "Derived",
        "outofline": "Base",
        "array": "Plain",
    }
    assert {f: found[f] for f in expected} == expected
    assert "std::_List_node<int>" in found.values()


RUST = r"""
struct Node { value: u32, next: Option<Box<Node>> }
static mut COUNT: u32 = 3;
#[inline(never)]
fn push(list: Option<Box<Node>>, value: u32) -> Option<Box<Node>> {
    unsafe { COUNT += 1; }
    Some(Box::new(Node { value, next: list }))
}
fn main() {
    let list = push(push(None, 1), 2);
    let names: Vec<String> = vec!["a".to_string()];
    std::process::exit(if list.unwrap().value == 2 && names.len() == 1 { 0 } else { 1 });
}
"""


def test_rust(tmp_path: Path) -> None:
    source, program = tmp_path / "list.rs", tmp_path / "list"
    source.write_text(RUST)
    run("rustc", "-g", source, "-o", program)
    line = next(s for s in run("nm", program).splitlines() if "4list4push" in s)
    address = line.split()[0]
    (places, variables) = ask(program, f"places {address}", "variables")
    assert places[-1][:2] == ["list::push", str(source)]
    assert ["list::COUNT", 4, "u32"] in [[v[0], v[2], v[3]] for v in variables]


NAMES = Path(__file__).parent / "programs" / "names.rs"


def test_rust_names(tmp_path: Path) -> None:
    program = tmp_path / "names"
    run("rustc", "-g", "-Csymbol-mangling-version=v0", NAMES, "-o", program)
    names = [w[-1] for w in map(str.split, run("nm", program).splitlines()) if "_R" in w[-1][:2]]
    theirs = run("c++filt", stdin="\n".join(names)).splitlines()

    def plain(name: str) -> str:  # without crate hashes and types of constants
        return re.sub(r"\[[0-9a-f]{10,16}\]|(?<=[\w']): \w+(?=[>,\]])", "", name)

    ours = ask(program, *(f"demangle {name}" for name in names))
    # In Debian the standard library has names of the older kind: the program's own and what it
    # instantiates are left.
    assert len(names) > 400
    different = [(o, t) for o, t in zip(ours, theirs, strict=True) if plain(o) != plain(t)]
    assert not different, different[:3]
