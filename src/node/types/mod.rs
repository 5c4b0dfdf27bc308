//! The plain objects that cross the boundary, with their documentation.

mod answer;
mod manifest;
mod open;
mod outline;
mod semantic;
mod sync;

pub use answer::*;
pub use manifest::*;
pub use open::*;
pub use outline::*;
pub use semantic::*;
pub use sync::*;
