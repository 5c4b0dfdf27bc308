//! The crate's own text.
#![allow(dead_code)]

use std::collections::{HashMap, HashSet};
use std::fmt as format;
extern crate alloc;

/// How many.
pub const MAX: usize = 10;
static mut COUNTER: u32 = 0;
pub static TABLE: &[(&str, u32)] = &[
    ("a", 1),
];
pub type Result<T> = std::result::Result<T, Error>;

/// An error.
///
/// In two parts.
#[derive(Debug, Clone)]
// Between.
#[non_exhaustive]
pub enum Error {
    /// With a name.
    Named { name: String, code: u32 },
    Io(std::io::Error),
    Empty = 3,
}

pub struct Point<T> {
    pub x: T,
    y: T,
}
pub struct Unit;
struct Tuple(pub u32, String);

pub union Bits {
    pub float: f32,
    int: u32,
}

pub trait Shape: Sized {
    type Item;
    const SIDES: u32 = 4;
    fn area(&self) -> f64;
    fn scaled(&self, by: f64) -> f64 {
        self.area() * compute(by)
    }
}

impl<T: Clone> Point<T> {
    pub const ORIGIN: u32 = 0;
    pub fn new(x: T, y: T) -> Self {
        let local = helper::<T>(x);
        Point { x: local, y }
    }
    fn hidden(&self) -> impl Fn(u32) -> u32 + '_ {
        move |value| value
    }
    pub(crate) async unsafe fn load<'a, const N: usize>(
        &'a self,
        items: [T; N],
    ) -> Result<()>
    where
        T: Send,
    {
        fn nested() {}
        let Some(first) = items.first() else { return Ok(()) };
        drop(first);
        Ok(())
    }
}

impl<T> Shape for Point<T> {
    type Item = T;
    fn area(&self) -> f64 { 0.0 }
}

impl format::Display for Error {
    fn fmt(&self, f: &mut format::Formatter<'_>) -> format::Result { write!(f, "x") }
}

unsafe impl<T> Send for &Point<T> {}

#[macro_export]
macro_rules! shapes {
    ($name:ident) => { fn not_a_symbol() {} };
}

macro_rules! private_macro { () => {} }

cfg_feature! {
    /// In a macro.
    pub mod gated {
        pub fn inside() -> u32 { 1 }
    }
    nested_macro! {
        pub struct Deep { pub field: u32 }
    }
}

mod tests {
    use super::*;
    #[test]
    fn works() { assert_eq!(shapes(), 1); }
    pub mod inner { pub(super) fn go() {} }
}

pub mod elsewhere;

extern "C" {
    pub fn c_function(a: i32) -> i32;
    static ENVIRON: *const u8;
}

pub async fn main() -> std::io::Result<()> {
    if let Some(x) = a && let Some(y) = b { go(x, y); }
    let f = async move || 1;
    struct Inside { a: u32 }
    Ok(())
}

pub(self) fn own() {}

cfg_if! {
    if #[cfg(unix)] {
        mod of_unix;
    } else {
        mod of_others;
    }
}

bitflags! {
    /// Bits.
    pub struct Flags: u32 {
        const READ = 1;
        const WRITE = 1 << 1;
    }
}

thread_local!(static DEPTH: Cell<u32> = const { Cell::new(0) });

impl Point<f64> {
    cfg_feature! {
        /// In a macro in an `impl`.
        pub fn gated_method(&self) -> f64 { quote! { fn not_a_symbol() {} } }
    }
}
