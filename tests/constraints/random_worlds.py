"""Random little heaps and the specifications to check on them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.constraints.world import World

NODE, HOLDER = 1, 2  # trace types, as the specifications below declare them
WORDS = {NODE: 4, HOLDER: 2}
FIELDS = "node { key; left*; right*; parent^; }\nholder { root^; size; }\n"
ARRAY = "node { key; child[2]*; parent^; }\nholder { root^; size; }\n"
OPEN = "node { key; child[]*?; }\nholder { root^; size; }\n"
TWO = "node { key; left*; right*; parent^; }\nholder { root^; other^?; }\n"
MIXED = "node { key; left*?; right*; parent^; }\nholder { root*; other^?; }\n"
WHOLE = "ARRAY node;\nholder { root^; size; }\n"

SPECIFICATIONS = {
    "degrees": FIELDS + "node X; X.ISROOT == false => X.INDEGREE == 1; X.OUTDEGREE <= 1;"
    "X.INTERNAL == true => X.key > 0; X.EXTERNAL == true => X.key < 3;"
    "X.ISLEAF == true or X.key != 1;",
    "acyclic": FIELDS + "node X, Y; X ->> Y => Y -/>> X; acyclic(left);",
    "tree": FIELDS + "tree(left, right); node X, Y; X -> Y => Y.parent == X;",
    "search": FIELDS + "bst(left, right, key);",
    "heap": FIELDS + "heap(left, right, key);",
    "height": FIELDS + "node.HEIGHT; node X; X.ISLEAF == true => X.HEIGHT = 0 ||"
    "X.HEIGHT = max(X.left.HEIGHT, X.right.HEIGHT) + 1; |X.left.HEIGHT - X.right.HEIGHT| <= 1;",
    "sentinel": FIELDS + "node.HEIGHT; node X; X.key == 0 => X.HEIGHT = 0 ||"
    "X.HEIGHT = max(X.left.HEIGHT, X.right.HEIGHT) + 1; X.HEIGHT <= 2;",
    "thesis height": FIELDS + "node.HEIGHT; node X; X.ISLEAF == true => X.HEIGHT = 0 ||"
    "X.HEIGHT = (X.left.HEIGHT >= X.right.HEIGHT) ? X.left.HEIGHT + 1 : X.right.HEIGHT + 1;"
    "node X, Y; X -> Y => X.HEIGHT > Y.HEIGHT and X.HEIGHT < 3;",
    "list": FIELDS + "dlist(left, parent); sorted(left, key);",
    "ring": FIELDS + "circular(left);",
    "rooted": FIELDS + "root: node from holder.root; tree(left, right); unique(node.key);",
    "rooted degrees": FIELDS + "root: node from holder.root; node X; X.INDEGREE[left] <= 1;"
    "X.ISROOT == false => X.INDEGREE == 1; X.INTERNAL == true => X.key > 0;"
    "X.EXTERNAL == true => X.key < 6; X.left != NULL => X.left.INDEGREE[right] == 0;",
    "two roots": TWO + "root: node from holder.root, holder.other; tree(left, right);"
    "unique(node.key); connected(left);",
    "mixed": MIXED + "root: node from holder.other; unique(node.key); node X, Y;"
    "acyclic(left); X.ISROOT == true and Y.ISROOT == true => X == Y;",
    "counted": FIELDS + "root: node from holder.root; holder H; COUNT(H.root, *) == H.size;"
    "SUM(H.root, key, [left]) < 4; MIN(H.root, key) <= 1; MAX(H.root, key) <= 2;"
    "COUNT(H.root, key > 1) <= 1;",
    "totals": FIELDS + "holder H; for I in 0 to 12, COUNT(H.root, *) != I;"
    "for I in 0 to 40, SUM(H.root, key) != I;"
    "for I in 0 to 12, COUNT(H.root, key > 3, [left]) != I;"
    "node X; for I in 0 to 12, COUNT(X, *) != I or X.key > 2;",
    "exists": FIELDS + "node X, Y; X.left != NULL => X.left == Y and Y.key >= X.key;"
    "node X; X.key == 0 or exists node Z: Z.left == X and Z.key < X.key;",
    "pairs": FIELDS + "node X, Y; X.left == Y => Y.key > X.key;"
    "X.parent != Y or Y.left == X or Y.right == X;"
    "X ->> Y => X.key <= Y.key; X != Y => X.key != Y.key;",
    "alias": FIELDS + "no alias: node.parent; node X; X.left == NULL or X.left != X.right;",
    "owner": FIELDS + "owner: holder.root; owner: node.parent; node X; X.key < 3;",
    "arithmetic": FIELDS + "node X; X.key * 2 - 1 < 4 or X.left.key / X.key > 0;"
    "X.key % 2 == 0 or X.key & 2 == 2;"
    "min(X.key, X.left.key) >= 0; -X.key < 1 and not X.key == 3;",
    "unknown": FIELDS + "node X; X.left.right.key == 1 or X.key != 2; X.parent.key < X.key;"
    "(X.left.key == 1 ? X.key : X.right.key) <= 2;",
    "arrays": ARRAY + "tree(child); node X; for I in 0 to LEN(X.child) - 1,"
    "X.child[I] == NULL or X.child[I].key > I; MAX(X.child[0], key) < MIN(X.child[1], key);"
    "for I in 0 to X.key, X.child[I] != NULL => X.child[I].parent == X;",
    "open arrays": OPEN + "node X; X.OUTDEGREE <= 2; acyclic(child); X.key < LEN(X.child);"
    "for I in 1 to 2, X.child[I] == NULL or X.child[I - 1] != X.child[I];",
    "blocks": WHOLE + "node X, Y; X.OUTDEGREE < 3; for I in 2 to 3, X[I] != X[I + 1];"
    "X -> Y => Y -/> X;",
}


@st.composite
def worlds(draw: st.DrawFn, steps: int = 22) -> World:
    """Allocations, stores and frees in any order, most of them pointers between live nodes.

    None of the stores is silent: heaps are handed to the engine with one event a timestamp.
    """
    world = World(silent=False)
    alive: dict[int, int] = {}
    kinds = st.sampled_from([NODE, NODE, NODE, HOLDER])
    for kind in [NODE, HOLDER, *draw(st.lists(kinds, min_size=1, max_size=3))]:
        alive[world.alloc(kind, WORDS[kind], zeroed=draw(st.booleans()))] = kind
    for _ in range(draw(st.integers(3, steps))):
        what = draw(st.sampled_from(["link"] * 6 + ["key"] * 3 + ["alloc", "free", "odd"]))
        if what == "alloc" and len(alive) < 7:
            kind = draw(kinds)
            alive[world.alloc(kind, WORDS[kind], zeroed=draw(st.booleans()))] = kind
        if not alive:
            continue
        node = draw(st.sampled_from(sorted(alive)))
        if what == "free" and len(alive) > 2:
            world.free(node)
            del alive[node]
            continue
        is_node = alive[node] == NODE
        word = draw(st.sampled_from([1, 1, 2, 2, 3] if is_node else [0, 0, 1]))
        if what == "link":
            target = draw(st.sampled_from([*sorted(alive), None]))
            world.link(node, word, target)
        elif what == "key":
            world.put(node, 0 if is_node else 1, draw(st.integers(0, 3)))
        elif what == "odd":
            half = draw(st.sampled_from([(8, 0), (4, 0), (4, 4)]))
            value = draw(st.sampled_from([0, 1, 0x4000, world.address[node] + 8]))
            world.put(node, word, value, size=half[0], inside=half[1])
    return world


@st.composite
def moving_worlds(draw: st.DrawFn, steps: int = 16, size: int = 6) -> World:
    """Trees and rings that are cut, joined and turned: roots that move from one holder to another,
    subtrees that are taken off and put back elsewhere, nodes that are freed (with what they point
    to still in place) and whose addresses are given out again."""
    world = World(silent=False)
    nodes = [world.alloc(NODE, WORDS[NODE]) for _ in range(size)]
    holders = [world.alloc(HOLDER, WORDS[HOLDER]) for _ in range(2)]
    for number, node in enumerate(nodes):
        world.put(node, 0, draw(st.integers(0, 7)))
        if number:
            world.link(nodes[(number - 1) // 2], 1 + (number - 1) % 2, node)
    world.link(holders[0], 0, nodes[0])
    a_node, a_holder = st.sampled_from(range(size)), st.sampled_from(range(2))
    side = st.sampled_from([1, 2])
    for _ in range(draw(st.integers(4, steps))):
        one, other = draw(a_node), draw(a_node)
        what = draw(st.sampled_from(["put", "put", "cut", "root", "swap", "reuse", "key", "turn"]))
        if what == "put":
            world.link(nodes[one], draw(side), nodes[other])
        elif what == "cut":
            world.link(nodes[one], draw(side), None)
        elif what == "root":
            world.link(holders[draw(a_holder)], draw(a_holder), draw(st.sampled_from(
                [nodes[one], None])))  # fmt: skip
        elif what == "swap":  # the root goes from one holder to the other
            world.link(holders[1], 0, nodes[one])
            world.link(holders[0], 0, None)
            holders.reverse()
        elif what == "reuse":
            world.free(nodes[one])
            nodes[one] = world.alloc(NODE, WORDS[NODE], zeroed=draw(st.booleans()))
        elif what == "key":
            world.put(nodes[one], 0, draw(st.integers(0, 7)))
        else:  # as a rotation does, with the subtree lost in between
            world.link(nodes[one], 1, None)
            world.link(nodes[other], 2, nodes[one])
    return world
