//! The command line: where the server is, its key, and which scenarios to run.

/// What the command line says.
pub(crate) struct Arguments {
    pub(crate) endpoint: String,
    pub(crate) key: String,
    pub(crate) scenarios: String,
    pub(crate) only: String,
}

impl Arguments {
    /// Reads `--name value` pairs.
    pub(crate) fn from_command_line() -> Result<Self, String> {
        let mut arguments = Self {
            endpoint: String::new(),
            key: String::new(),
            scenarios: String::new(),
            only: String::new(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or(format!("`{word}` needs a value"))?;
            match word.as_str() {
                "--endpoint" => arguments.endpoint = value,
                "--key" => arguments.key = value,
                "--scenarios" => arguments.scenarios = value,
                "--only" => arguments.only = value,
                _ => return Err(format!("`{word}` is not known")),
            }
        }
        Ok(arguments)
    }
}
