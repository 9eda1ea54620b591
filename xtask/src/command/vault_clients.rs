//! `conformance --vault`: clients of Vault against our vault, and the table of their results.
//!
//! Does not own what is expected: each client has its runner in `conformance/vault`.

use std::process::ExitCode;

use crate::conformance::{
    ClientLibrary, ReadyServer, ServerProcess, clients_exit_code, run_clients, write_client_table,
};

const TABLE: &str = "docs/VAULT_COMPATIBILITY.md";
const OPENING: &str = "\
# Clients of Vault

What unmodified clients of HashiCorp Vault see of `planisphere secret-migration vault`. Written by
`cargo xtask conformance --vault` from the results of one run. A cell is passed scenarios / scenarios the client has
words for.
";

static LIBRARIES: [ClientLibrary; 3] = [
    ClientLibrary {
        folder: "python",
        package: "hvac (Python) 2.4.0",
        prepare: &[
            &["python3", "-m", "venv", "{tools}"],
            &["{tools}/bin/pip", "install", "--quiet", "-r", "{runner}/requirements.txt"],
        ],
        run: &["{tools}/bin/python", "{runner}/run.py"],
    },
    ClientLibrary {
        folder: "javascript",
        package: "node-vault (npm) 0.12.0",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["cp", "-r", "{runner}/.", "{tools}"],
            &["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", "{tools}"],
        ],
        run: &["node", "{tools}/run.mjs"],
    },
    ClientLibrary {
        folder: "go",
        package: "hashicorp/vault/api (Go) 1.23.0",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["go", "build", "-C", "{runner}", "-o", "{tools}/run", "."],
        ],
        run: &["{tools}/run"],
    },
];

pub(super) fn vault_clients() -> ExitCode {
    clients_exit_code(run_all())
}

fn run_all() -> Result<usize, String> {
    ServerProcess::build()?;
    let words = ["secret-migration", "vault", "--memory", "--port", "0", "--ready-json"];
    let vault = ReadyServer::start_binary(&words)?;
    let (endpoint, token) = (vault.member("endpoint")?, vault.member("rootToken")?);
    let results = run_clients("vault", &LIBRARIES, &["--endpoint", &endpoint, "--token", &token])?;
    write_client_table(TABLE, OPENING, &results)
}
