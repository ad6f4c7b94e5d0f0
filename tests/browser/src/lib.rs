//! Tests of the pages in headless Chromium; see `tests/pages.rs`.
