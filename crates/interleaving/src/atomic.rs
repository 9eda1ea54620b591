//! Atomics.

use std::sync::atomic::{self, Ordering};

use crate::exploration::is_exploring;

macro_rules! atomic {
    ($name:ident, $value:ty, $about:literal) => {
        #[doc = $about]
        #[derive(Debug)]
        pub struct $name(Kind<atomic::$name, shuttle::sync::atomic::$name>);

        impl $name {
            /// An atomic with this value.
            #[must_use]
            pub fn new(value: $value) -> Self {
                Self(match is_exploring() {
                    true => Kind::Explored(shuttle::sync::atomic::$name::new(value)),
                    false => Kind::Real(atomic::$name::new(value)),
                })
            }

            /// The present value.
            pub fn load(&self, order: Ordering) -> $value {
                match &self.0 {
                    Kind::Real(atomic) => atomic.load(order),
                    Kind::Explored(atomic) => atomic.load(order),
                }
            }

            /// Replaces the value.
            pub fn store(&self, value: $value, order: Ordering) {
                match &self.0 {
                    Kind::Real(atomic) => atomic.store(value, order),
                    Kind::Explored(atomic) => atomic.store(value, order),
                }
            }

            /// Replaces the value and returns the one before.
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                match &self.0 {
                    Kind::Real(atomic) => atomic.swap(value, order),
                    Kind::Explored(atomic) => atomic.swap(value, order),
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }
    };
}

#[derive(Debug)]
enum Kind<R, E> {
    Real(R),
    Explored(E),
}

atomic!(AtomicBool, bool, "As [`std::sync::atomic::AtomicBool`].");
atomic!(AtomicU64, u64, "As [`std::sync::atomic::AtomicU64`].");
atomic!(AtomicUsize, usize, "As [`std::sync::atomic::AtomicUsize`].");

#[test]
fn outside_of_an_exploration_an_atomic_is_an_ordinary_one() {
    let number = AtomicU64::new(1);
    assert_eq!(number.swap(2, Ordering::SeqCst), 1);
    number.store(3, Ordering::SeqCst);
    assert_eq!(number.load(Ordering::SeqCst), 3);
    assert!(!AtomicBool::default().load(Ordering::SeqCst));
}

#[test]
fn an_order_that_loses_an_update_is_found() {
    let found = std::panic::catch_unwind(|| {
        crate::explore(100, || {
            let number = std::sync::Arc::new(AtomicU64::new(0));
            let add = {
                let number = std::sync::Arc::clone(&number);
                move || number.store(number.load(Ordering::SeqCst) + 1, Ordering::SeqCst)
            };
            let other = crate::spawn(add.clone());
            add();
            other();
            assert_eq!(number.load(Ordering::SeqCst), 2, "a lost update");
        });
    });
    assert!(crate::exploration::message(found).contains("a lost update"));
}
