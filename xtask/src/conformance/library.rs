//! The list of client libraries we run, and the words that start each runner.
//!
//! `{tools}` is replaced by the folder a runner is prepared in, `{runner}` by its own folder in the repository.

/// One client library with its runner.
#[derive(Debug)]
pub(crate) struct Library {
    /// What `--only` takes, and the folder of the runner.
    pub(crate) name: &'static str,
    /// The package, as its users know it.
    pub(crate) package: &'static str,
    /// The file that pins its version, and the text before the version in it.
    pub(crate) pin: (&'static str, &'static str),
    /// A command that succeeds when the toolchain is installed.
    pub(crate) probe: &'static [&'static str],
    /// How to get the toolchain.
    pub(crate) get: &'static str,
    /// Commands that make the runner ready, in order.
    pub(crate) prepare: &'static [&'static [&'static str]],
    /// The command that runs all scenarios; endpoint, key and scenarios are added to it.
    pub(crate) run: &'static [&'static str],
    /// Its program in the guide for client libraries.
    pub(crate) snippet: Snippet,
}

/// How the snippet of a library is run.
#[derive(Debug)]
pub(crate) struct Snippet {
    /// The language after the three backticks.
    pub(crate) language: &'static str,
    /// The name of the file it is written to, in the tools folder.
    pub(crate) file: &'static str,
    /// The command that runs it.
    pub(crate) run: &'static [&'static str],
}

/// All of them, in the order of the table.
pub(crate) const LIBRARIES: &[Library] = &[
    Library {
        name: "python",
        package: "azure-cosmos (Python)",
        pin: ("requirements.txt", "azure-cosmos=="),
        probe: &["python3", "-m", "venv", "--help"],
        get: "Python 3.9 or newer with venv, https://www.python.org/downloads/",
        prepare: &[
            &["python3", "-m", "venv", "{tools}"],
            &["{tools}/bin/pip", "install", "--quiet", "-r", "{runner}/requirements.txt"],
        ],
        run: &["{tools}/bin/python", "{runner}/run.py"],
        snippet: Snippet {
            language: "python",
            file: "snippet.py",
            run: &["{tools}/bin/python", "{tools}/snippet.py"],
        },
    },
    Library {
        name: "javascript",
        package: "@azure/cosmos (JavaScript)",
        pin: ("package.json", "\"@azure/cosmos\": \""),
        probe: &["npm", "--version"],
        get: "Node.js 20 or newer with npm, https://nodejs.org/",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["cp", "-r", "{runner}/.", "{tools}"],
            &["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", "{tools}"],
        ],
        run: &["node", "{tools}/run.mjs"],
        snippet: Snippet {
            language: "js",
            file: "snippet.mjs",
            run: &["node", "{tools}/snippet.mjs"],
        },
    },
    Library {
        name: "go",
        package: "azcosmos (Go)",
        pin: ("go.mod", "sdk/data/azcosmos v"),
        probe: &["go", "version"],
        get: "Go 1.25 or newer, https://go.dev/dl/",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["go", "build", "-C", "{runner}", "-o", "{tools}/run", "."],
        ],
        run: &["{tools}/run"],
        snippet: Snippet {
            language: "go",
            file: "snippet.go",
            run: &["go", "run", "-C", "{runner}", "{tools}/snippet.go"],
        },
    },
    Library {
        name: "rust",
        package: "azure_data_cosmos (Rust)",
        pin: ("Cargo.toml", "azure_data_cosmos = { version = \"="),
        probe: &["cargo", "--version"],
        get: "Rust, https://rustup.rs/",
        prepare: &[
            &[
                "cargo",
                "build",
                "--quiet",
                "--locked",
                "--manifest-path",
                "{runner}/Cargo.toml",
                "--target-dir",
                "{tools}",
            ],
            // A second package, so that the snippet can be an example of it.
            &["mkdir", "-p", "{tools}/snippet/examples"],
            &["cp", "{runner}/Cargo.toml", "{runner}/Cargo.lock", "{tools}/snippet"],
            &["cp", "-r", "{runner}/src", "{tools}/snippet"],
        ],
        run: &["{tools}/debug/conformance-rust"],
        snippet: Snippet {
            language: "rs",
            file: "snippet/examples/snippet.rs",
            run: &[
                "cargo",
                "run",
                "--quiet",
                "--locked",
                "--manifest-path",
                "{tools}/snippet/Cargo.toml",
                "--target-dir",
                "{tools}",
                "--example",
                "snippet",
            ],
        },
    },
    Library {
        name: "java",
        package: "azure-cosmos (Java)",
        pin: ("pom.xml", "<artifactId>azure-cosmos</artifactId>\n      <version>"),
        probe: &["sh", "-c", "javac -version && mvn --version"],
        get: "a JDK, 17 or newer, and Maven: the packages default-jdk-headless and maven",
        prepare: &[&[
            "mvn",
            "--quiet",
            "--batch-mode",
            "--file",
            "{runner}/pom.xml",
            "-Dtools={tools}",
            "compile",
        ]],
        run: &[
            "java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            "{tools}/classes:{tools}/dependency/*",
            "Main",
        ],
        snippet: Snippet {
            language: "java",
            file: "Snippet.java",
            run: &["java", "-cp", "{tools}/dependency/*", "{tools}/Snippet.java"],
        },
    },
];
