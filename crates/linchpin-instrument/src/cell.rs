//! Cells with the interface of loom. They are not tracked: a data race is not seen.

use std::fmt;

pub use std::cell::Cell;

/// An `UnsafeCell` whose content is reached through closures.
#[derive(Default)]
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    pub fn with<R>(&self, act: impl FnOnce(*const T) -> R) -> R {
        act(self.0.get())
    }

    pub fn with_mut<R>(&self, act: impl FnOnce(*mut T) -> R) -> R {
        act(self.0.get())
    }

    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr(self.0.get())
    }

    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr(self.0.get())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnsafeCell { .. }")
    }
}

/// A pointer to the content, for reading.
#[derive(Debug)]
pub struct ConstPtr<T: ?Sized>(*const T);

/// A pointer to the content, for writing.
#[derive(Debug)]
pub struct MutPtr<T: ?Sized>(*mut T);

#[allow(unsafe_code, reason = "the interface of loom")]
impl<T: ?Sized> ConstPtr<T> {
    /// # Safety
    ///
    /// As for a raw pointer.
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: by the caller.
        unsafe { &*self.0 }
    }

    pub fn with<R>(&self, act: impl FnOnce(*const T) -> R) -> R {
        act(self.0)
    }
}

#[allow(unsafe_code, clippy::mut_from_ref, reason = "the interface of loom")]
impl<T: ?Sized> MutPtr<T> {
    /// # Safety
    ///
    /// As for a raw pointer.
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: by the caller.
        unsafe { &mut *self.0 }
    }

    pub fn with<R>(&self, act: impl FnOnce(*mut T) -> R) -> R {
        act(self.0)
    }
}
