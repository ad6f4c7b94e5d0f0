//! Atomic types that stop before each access. Every access is sequentially consistent.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the bits of a value are compared, never computed with"
)]

use crate::access::{Place, at};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{self, Ordering::SeqCst};
pub use std::sync::atomic::{Ordering, compiler_fence};

/// A fence has no effect: every access is sequentially consistent.
pub fn fence(_: Ordering) {}

/// The old name of `std::hint::spin_loop`.
pub fn spin_loop_hint() {
    shuttle::hint::spin_loop();
}

macro_rules! common {
    ($name:ident, $value:ty, [$($generic:tt)*], [$($use:tt)*], $bits:expr) => {
        impl<$($generic)*> $name<$($use)*> {
            pub const fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// As in loom.
            pub fn with_mut<R>(&mut self, act: impl FnOnce(&mut $value) -> R) -> R {
                act(self.0.get_mut())
            }

            /// Loads without a stop, as in loom.
            ///
            /// # Safety
            ///
            /// As in loom: no other thread writes at the same time. Here this is not needed.
            #[allow(unsafe_code, reason = "the interface of loom")]
            pub unsafe fn unsync_load(&self) -> $value {
                self.0.load(SeqCst)
            }

            pub const fn as_ptr(&self) -> *mut $value {
                self.0.as_ptr()
            }

            #[track_caller]
            pub fn load(&self, _: Ordering) -> $value {
                self.reads("load", || self.0.load(SeqCst))
            }

            #[track_caller]
            pub fn store(&self, value: $value, _: Ordering) {
                self.changes("store", || self.0.swap(value, SeqCst), |old| (value, *old != value));
            }

            #[track_caller]
            pub fn swap(&self, value: $value, _: Ordering) -> $value {
                self.changes("swap", || self.0.swap(value, SeqCst), |old| (*old, *old != value))
            }

            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                _: Ordering,
                _: Ordering,
            ) -> Result<$value, $value> {
                self.changes(
                    "compare_exchange",
                    || self.0.compare_exchange(current, new, SeqCst, SeqCst),
                    |result| match result {
                        Ok(old) => (*old, *old != new),
                        Err(old) => (*old, false),
                    },
                )
            }

            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                self.compare_exchange(current, new, order, order).unwrap_or_else(|old| old)
            }

            #[track_caller]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut next: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut old = self.load(fetch);
                while let Some(new) = next(old) {
                    match self.compare_exchange(old, new, set, fetch) {
                        Ok(old) => return Ok(old),
                        Err(other) => old = other,
                    }
                }
                Err(old)
            }

            #[track_caller]
            fn reads(&self, what: &'static str, access: impl FnOnce() -> $value) -> $value {
                let place = Place { location: Location::caller(), what };
                at(place, self.address(), || {
                    let value = access();
                    (value, Some($bits(value)), false)
                })
            }

            /// `after` returns the value that was read, and whether the access changed it.
            #[track_caller]
            fn changes<R>(
                &self,
                what: &'static str,
                access: impl FnOnce() -> R,
                after: impl FnOnce(&R) -> ($value, bool),
            ) -> R {
                let place = Place { location: Location::caller(), what };
                at(place, self.address(), || {
                    let result = access();
                    let (read, changed) = after(&result);
                    (result, Some($bits(read)), changed)
                })
            }

            fn address(&self) -> usize {
                std::ptr::from_ref(self).addr()
            }
        }

        impl<$($generic)*> From<$value> for $name<$($use)*> {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl<$($generic)*> fmt::Debug for $name<$($use)*> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

macro_rules! fetch {
    ($name:ident, $value:ty, $($method:ident),*) => {
        impl $name {
            $(
                #[track_caller]
                pub fn $method(&self, value: $value, _: Ordering) -> $value {
                    let access = || {
                        let old = self.0.$method(value, SeqCst);
                        (old, self.0.load(SeqCst) != old)
                    };
                    self.changes(stringify!($method), access, |result| *result).0
                }
            )*
        }
    };
}

macro_rules! numbers {
    ($($name:ident $value:ty;)*) => { $(
        /// An instrumented atomic number.
        #[derive(Default)]
        #[repr(transparent)]
        pub struct $name(atomic::$name);

        common!($name, $value, [], [], |value: $value| value as u64);
        fetch!(
            $name, $value, fetch_add, fetch_sub, fetch_and, fetch_nand, fetch_or, fetch_xor, fetch_max,
            fetch_min
        );
    )* };
}

numbers! {
    AtomicU8 u8;
    AtomicU16 u16;
    AtomicU32 u32;
    AtomicU64 u64;
    AtomicUsize usize;
    AtomicI8 i8;
    AtomicI16 i16;
    AtomicI32 i32;
    AtomicI64 i64;
    AtomicIsize isize;
}

/// An instrumented atomic flag.
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicBool(atomic::AtomicBool);

common!(AtomicBool, bool, [], [], u64::from);
fetch!(AtomicBool, bool, fetch_and, fetch_nand, fetch_or, fetch_xor);

/// An instrumented atomic pointer.
#[repr(transparent)]
pub struct AtomicPtr<T>(atomic::AtomicPtr<T>);

common!(AtomicPtr, *mut T, [T], [T], |value: *mut T| value.addr() as u64);

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

macro_rules! pointer_bits {
    ($($method:ident),*) => {
        impl<T> AtomicPtr<T> {
            $(
                #[track_caller]
                pub fn $method(&self, value: usize, _: Ordering) -> *mut T {
                    let access = || {
                        let old = self.0.$method(value, SeqCst);
                        (old, self.0.load(SeqCst) != old)
                    };
                    self.changes(stringify!($method), access, |result| *result).0
                }
            )*
        }
    };
}

pointer_bits!(fetch_and, fetch_or, fetch_xor, fetch_byte_add, fetch_byte_sub);
