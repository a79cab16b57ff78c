use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
trait Shape { fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 * self.area() } }
#[derive(Debug, Clone, PartialEq)]
struct Grid<T, const N: usize> { cells: [T; N] }
impl<T: Copy + Into<f64>, const N: usize> Shape for Grid<T, N> {
    fn area(&self) -> f64 { self.cells.iter().map(|&cell| cell.into()).sum() }
}
impl Shape for (u8, i16) { fn area(&self) -> f64 { f64::from(self.0) * f64::from(self.1) } }
#[inline(never)]
fn shown<T: Debug + ?Sized>(value: &T) -> usize { format!("{:?}", value).len() }
#[inline(never)]
fn applied<F: Fn(i32) -> i32>(f: F) -> i32 { f(3) }
mod inner {
    pub fn flags<const ON: bool, const SIGN: char>() -> u32 { u32::from(ON) + SIGN as u32 }
    pub fn callback(f: extern "C" fn(u64) -> bool) -> bool { f(7) }
    pub extern "C" fn odd(n: u64) -> bool { n % 2 == 1 }
}
fn main() {
    let shapes: Vec<Box<dyn Shape>> =
        vec![Box::new(Grid { cells: [1.0f32; 3] }), Box::new((2u8, 3i16))];
    let mut count = shapes.iter().map(|s| s.twice() as usize).sum::<usize>();
    let mut words: HashMap<String, Vec<&str>> = HashMap::new();
    words.entry("a".to_string()).or_default().push("b");
    let sorted: BTreeMap<(u8, char), Option<Box<[u16]>>> =
        (0..9u8).map(|i| ((i, 'x'), Some(vec![1u16; 2].into_boxed_slice()))).collect();
    count += shown(&words) + shown(&sorted) + shown("text") + shown(&[Some(1i8), None][..]);
    count += shown(&Grid { cells: [(); 2] }) + applied(|n| n + 1) as usize;
    count += inner::flags::<true, 'x'>() as usize + inner::flags::<false, '~'>() as usize;
    count += usize::from(inner::callback(inner::odd));
    std::process::exit(if count > 10 { 0 } else { 1 });
}
