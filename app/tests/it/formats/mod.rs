//! Bytes written by earlier versions are opened by today's code. `formats/README.md` tells the whole story.

mod content;
mod sample;
mod today;
