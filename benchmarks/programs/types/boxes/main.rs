// Blocks of Rust's own pointers and collections.
use std::collections::{BTreeMap, HashMap, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

struct Node {
    value: u64,
    next: Option<Box<Node>>,
}

enum Tree {
    Leaf,
    Branch(Box<Tree>, i32, Box<Tree>),
}

struct Shared {
    name: String,
    parent: Option<Rc<Shared>>,
}

fn insert(tree: Tree, key: i32) -> Tree {
    match tree {
        Tree::Leaf => Tree::Branch(Box::new(Tree::Leaf), key, Box::new(Tree::Leaf)),
        Tree::Branch(left, own, right) if key < own => {
            Tree::Branch(Box::new(insert(*left, key)), own, right)
        }
        Tree::Branch(left, own, right) => Tree::Branch(left, own, Box::new(insert(*right, key))),
    }
}

fn main() {
    let mut head: Option<Box<Node>> = None;
    let mut tree = Tree::Leaf;
    let mut rc: Option<Rc<Shared>> = None;
    let mut arcs = Vec::new();
    let mut list = LinkedList::new();
    let mut map = BTreeMap::new();
    let mut words = HashMap::new();
    let mut queue = VecDeque::new();
    for i in 0..40u64 {
        head = Some(Box::new(Node { value: i, next: head }));
        tree = insert(tree, (i * 17 % 40) as i32);
        rc = Some(Rc::new(Shared { name: format!("name {i}"), parent: rc }));
        arcs.push(Arc::new((i, i as f64)));
        list.push_back(i as u32);
        map.insert(i * 7 % 40, i as u16);
        words.insert(i, i);
        queue.push_back(i as i16);
    }
    let mut sum = 0;
    let mut at = &head;
    while let Some(node) = at {
        sum += node.value;
        at = &node.next;
    }
    let names = rc.as_ref().map_or(0, |one| one.name.len() + one.parent.is_some() as usize);
    println!("{sum} {names} {} {} {} {}", map.len(), list.len(), words.len(), queue.len());
    if let Tree::Branch(_, key, _) = tree {
        println!("{key} {}", arcs.len());
    }
}
