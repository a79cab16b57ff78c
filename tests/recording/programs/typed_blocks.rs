// Each marked line allocates blocks of the type that the mark says, however it is compiled.
use std::rc::Rc;

struct Node {
    value: u64,
    next: Option<Box<Node>>,
}

struct Shared {
    parent: Option<Rc<Shared>>,
}

fn main() {
    let mut head: Option<Box<Node>> = None;
    let mut shared: Option<Rc<Shared>> = None;
    let mut numbers: Vec<i16> = Vec::with_capacity(20); // is i16
    for i in 0..20 {
        head = Some(Box::new(Node { value: i, next: head })); // is Node
        shared = Some(Rc::new(Shared { parent: shared })); // is RcInner or RcBox
        numbers.push(i as i16);
    }
    let mut sum = 0;
    let mut at = &head;
    while let Some(node) = at {
        sum += node.value + numbers[3] as u64;
        at = &node.next;
    }
    std::process::exit((sum == 0 || shared.unwrap().parent.is_none()) as i32);
}
