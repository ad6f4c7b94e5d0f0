//! The shape of the code: manifests, module cycles, files and words.

mod cycles;
mod files;
mod lock_file;
mod manifests;
mod names;
mod tree;
mod use_paths;
mod words;
