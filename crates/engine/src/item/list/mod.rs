//! The verb list: `list_items` makes the page, `gather` reads its items, and `position` owns its continuation token.

mod gather;
mod list_items;
mod position;
