//! Entry of the task runner: hands the arguments to the library and returns its exit code, nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    xtask::run(&arguments)
}
