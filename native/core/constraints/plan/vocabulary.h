// The words of a plan, each once: from this list come the enums of plan.h and, by the binding,
// those of heapstory.constraints.plan. Included several times, each time with other definitions of
// the macros; a word is given as it is written in C++ and in Python. SPDX-License-Identifier:
// GPL-2.0-or-later
//
// `args` are the operands of an expression unless said otherwise; `type`, `index`, `edges`, `text`,
// `number` and `binder` are its other members.

#ifndef HEAPSTORY_KIND
#define HEAPSTORY_KIND(name, python)
#endif
#ifndef HEAPSTORY_ATOM
#define HEAPSTORY_ATOM(name, python)
#endif
#ifndef HEAPSTORY_OP
#define HEAPSTORY_OP(name, python)
#endif
#ifndef HEAPSTORY_BINDER
#define HEAPSTORY_BINDER(name, python)
#endif
#ifndef HEAPSTORY_QUANTIFIER
#define HEAPSTORY_QUANTIFIER(name, python)
#endif
#ifndef HEAPSTORY_SHAPE
#define HEAPSTORY_SHAPE(name, python)
#endif

// clang-format off: calls without semicolons, one per line

// How the bytes of a field are read (little-endian).
HEAPSTORY_KIND(integer, INT)
HEAPSTORY_KIND(natural, UINT)
HEAPSTORY_KIND(real, FLOAT)
HEAPSTORY_KIND(pointer, POINTER)
// A text up to the first NUL, or all `size` bytes; a written prefix will do.
HEAPSTORY_KIND(chars, CHARS)
// No debug information: a pointer where it is live or NULL, else a signed integer.
HEAPSTORY_KIND(word, WORD)

// What an expression does. First the atoms.
HEAPSTORY_ATOM(field, FIELD) // args[0].field: `type`, `index` of the field
HEAPSTORY_ATOM(index,
               INDEX) // args[0].run[args[1]]: `type`, `index` of the run; out of range is UNKNOWN
HEAPSTORY_ATOM(string, STRING) // the C text at pointer args[0], at most 4096 bytes; else UNKNOWN
HEAPSTORY_ATOM(attribute, ATTRIBUTE) // `index` of the attribute, of args[0]
// Attribute `index` of args[0] depends on itself, or on one that does.
HEAPSTORY_ATOM(circular, CIRCULAR)
HEAPSTORY_ATOM(indegree, INDEGREE)   // number of edges of set `edges` that end in args[0]
HEAPSTORY_ATOM(outdegree, OUTDEGREE) // number of edges of set `edges` that begin in args[0]
HEAPSTORY_ATOM(external, EXTERNAL)   // outdegree 0 or indegree 0, over `edges`
HEAPSTORY_ATOM(internal, INTERNAL)   // neither is 0
HEAPSTORY_ATOM(isroot, ISROOT)       // indegree 0
HEAPSTORY_ATOM(isleaf, ISLEAF)       // outdegree 0
// An edge of `edges` from args[0] to args[1]; FALSE if either is a null, stale or wild pointer.
HEAPSTORY_ATOM(edge, EDGE)
HEAPSTORY_ATOM(path, PATH) // the same for a path of length >= 1
// args[0] is held by a root of its type, or a path over edge set 0 leads to it from there.
HEAPSTORY_ATOM(rooted, ROOTED)
// Pointer args[0] is null, or live and the base of an object of `type`. Without a `type`, and in a
// node of unknown type, the first byte of a live node will do. With a `text`, it is anything but
// wild.
HEAPSTORY_ATOM(safe, SAFE)
HEAPSTORY_ATOM(written, WRITTEN) // args[0], a field, has been written since its node was made
// The number of words in live nodes that hold a live pointer equal to args[0].
HEAPSTORY_ATOM(references, REFERENCES)
// The `text` (count, sum, min, max) of args[1], with variable `index` ranging over the objects
// reached from args[0] over `edges`, itself included, each once. Where args[1] is UNKNOWN an object
// is left out; `count` counts those for which it is TRUE. With a `type`, only its objects count,
// but the way may lead over others. From null: count and sum are 0, min and max UNKNOWN; from a
// stale or wild pointer UNKNOWN.
HEAPSTORY_ATOM(aggregate, AGGREGATE)
HEAPSTORY_ATOM(exists,
               EXISTS) // an object of `type`, variable `index`, found by `binder`, with args[0]

// Not atoms.
HEAPSTORY_OP(variable,
             VARIABLE)       // object or loop number, `index` in variables ++ loops (then as bound)
HEAPSTORY_OP(number, NUMBER) // `number`, integer or float
HEAPSTORY_OP(text, TEXT)     // `text`
HEAPSTORY_OP(null, NULL)
HEAPSTORY_OP(true_, TRUE)
HEAPSTORY_OP(false_, FALSE)
HEAPSTORY_OP(add, ADD)
HEAPSTORY_OP(sub, SUB)
HEAPSTORY_OP(mul, MUL)
HEAPSTORY_OP(div, DIV) // truncates
HEAPSTORY_OP(mod, MOD) // the sign of the dividend, as in C
HEAPSTORY_OP(bitand_, BITAND)
HEAPSTORY_OP(neg, NEG)
HEAPSTORY_OP(abs, ABS)
HEAPSTORY_OP(min, MIN)
HEAPSTORY_OP(max, MAX)
HEAPSTORY_OP(least, LEAST) // the least of the operands that are not UNKNOWN; UNKNOWN if none
HEAPSTORY_OP(greatest, GREATEST)
// The object that lies `index` bytes and args[1] times `number` bytes after the one args[0] means.
HEAPSTORY_OP(element, ELEMENT)
HEAPSTORY_OP(extent, EXTENT) // how many elements run `index` of `type` has in args[0]
HEAPSTORY_OP(length, LENGTH) // bytes of a text
HEAPSTORY_OP(hash,
             HASH) // of a text, by the function `text`: djb2 | fnv1a | fnv1a64 | sdbm, unsigned
// The six comparisons, side by side.
HEAPSTORY_OP(eq, EQ)
HEAPSTORY_OP(ne, NE)
HEAPSTORY_OP(lt, LT)
HEAPSTORY_OP(le, LE)
HEAPSTORY_OP(gt, GT)
HEAPSTORY_OP(ge, GE)
HEAPSTORY_OP(and_, AND)
HEAPSTORY_OP(or_, OR)
HEAPSTORY_OP(not_, NOT)
HEAPSTORY_OP(if_, IF)

// Where the candidates for a variable are to be found, given the earlier ones.
HEAPSTORY_BINDER(all, ALL)           // every object of the type
HEAPSTORY_BINDER(value, VALUE)       // the object that expression `of` points to, if any
HEAPSTORY_BINDER(out, OUT)           // ends of the edges of `edges` that begin in object `of`
HEAPSTORY_BINDER(in, IN)             // beginnings of the edges that end in `of`
HEAPSTORY_BINDER(reached, REACHED)   // ends of the paths from `of`
HEAPSTORY_BINDER(reaching, REACHING) // beginnings of the paths to `of`

HEAPSTORY_QUANTIFIER(forall, FORALL)
HEAPSTORY_QUANTIFIER(exists, EXISTS)

// How to find canonical witnesses (given as bindings of the FORALL variables, in order).
// By binders, one variable after the other; every violating binding is a witness.
HEAPSTORY_SHAPE(nested, NESTED)
// X ->> Y => Y -/>> X: `edges` has no cycle. Depth-first search over the objects in order, along
// the edges in order of offset: each edge (X, Y) to an object on the search stack, once per pair,
// whatever the types of the two.
HEAPSTORY_SHAPE(acyclic, ACYCLIC)
// X ->> Y for all objects of a type (of an instance of it): with r the first object, (r, Y) for
// each Y that r does not reach and (Y, r) for each Y != r that does not reach r.
HEAPSTORY_SHAPE(connected, CONNECTED)
// Objects of one type for which `filter` is TRUE and whose `keys` (variable 0) are equal and not
// UNKNOWN, within one instance: (first, other) for each other object.
HEAPSTORY_SHAPE(unique, UNIQUE)
// Single variable, body ROOTED: among the objects that are not, one for each strongly connected
// component (over edge set 0) without edges from other unrooted components: its first object.
HEAPSTORY_SHAPE(rooted, ROOTED)

// clang-format on

#undef HEAPSTORY_KIND
#undef HEAPSTORY_ATOM
#undef HEAPSTORY_OP
#undef HEAPSTORY_BINDER
#undef HEAPSTORY_QUANTIFIER
#undef HEAPSTORY_SHAPE
