//! Bytes written by earlier versions are opened by today's code. `formats/README.md` explains them.

mod content;
mod sample;
mod today;
