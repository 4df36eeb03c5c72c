//! The `hippocamp` program: the library's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    hippocamp::cli::main()
}
