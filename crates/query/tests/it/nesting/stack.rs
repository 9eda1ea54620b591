//! A thread with a small stack.

/// Runs a check on the smallest stack that a thread of the server has.
pub(super) fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(check);
    thread.expect("a thread starts").join().expect("the check holds");
}
