//! Programs that our pages offer to copy: they compile with this package as printed.

#[expect(clippy::print_stdout, dead_code, reason = "a whole program, compiled and not run")]
mod processor_program;

#[test]
fn the_processor_that_the_explorer_offers_is_the_one_compiled_here() {
    let page = include_str!("../../../../explorer/page/processor_programs.js");
    let (_, page) = page.split_once("label: \"Rust\", about: SHARE, code: `").unwrap();
    let (program, _) = page.split_once('`').unwrap();
    let program = program
        .replace("${url}", "\"https://localhost:8081/\"")
        .replace("${db}", "\"shop\"")
        .replace("${coll}", "\"orders\"");
    let compiled = include_str!("processor_program.rs");
    let (_, compiled) = compiled.split_once("\n\n").unwrap();
    assert_eq!(compiled.trim(), program);
}
