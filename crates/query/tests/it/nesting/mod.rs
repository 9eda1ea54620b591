//! Long and deep queries through the public functions, on the least stack a thread of the product has.

mod deep;
mod long;
mod shapes;

/// Runs with the least stack a thread of the product has.
fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(check);
    thread.expect("a thread starts").join().expect("the check holds");
}
