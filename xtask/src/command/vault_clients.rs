//! `conformance --vault`: clients of Vault against our vault, and the table of their results.
//!
//! Does not own what is expected: each client has its runner in `conformance/vault`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

use crate::conformance::{
    ClientLibrary, ServerProcess, client_table, count_failed, run_clients, target_folder,
};
use crate::reading::workspace_root;

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

/// Our vault, stopped when it is dropped.
struct VaultProcess {
    child: Child,
    endpoint: String,
    token: String,
}

impl VaultProcess {
    fn start() -> Result<Self, String> {
        let mut child = Command::new(target_folder().join("debug/planisphere"))
            .args(["secret-migration", "vault", "--memory", "--port", "0", "--ready-json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the vault could not be started: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let member = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let (endpoint, token) = (member("endpoint"), member("rootToken"));
        // Built before the check, so that a vault which did not become ready is killed by the drop.
        let mut vault = Self { child, endpoint: String::new(), token: String::new() };
        let (Some(endpoint), Some(token)) = (endpoint, token) else {
            return Err(format!("the vault did not become ready; it said: {line}"));
        };
        (vault.endpoint, vault.token) = (endpoint, token);
        Ok(vault)
    }
}

impl Drop for VaultProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn vault_clients() -> ExitCode {
    match run_all() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("{failed} scenarios failed");
            ExitCode::FAILURE
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run_all() -> Result<usize, String> {
    ServerProcess::build()?;
    let vault = VaultProcess::start()?;
    let more = ["--endpoint", &vault.endpoint, "--token", &vault.token];
    let results = run_clients("vault", &LIBRARIES, &more)?;
    let text = client_table(OPENING, &results);
    fs::write(workspace_root().join(TABLE), text).map_err(|error| format!("{TABLE}: {error}"))?;
    println!("wrote {TABLE}");
    Ok(count_failed(&results))
}
