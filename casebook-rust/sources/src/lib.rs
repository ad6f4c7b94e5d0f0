//! Nothing: the manifest pins versions.
