//! Operating a server: its log, settings, files, backups, and commands that ask it.

mod asked;
mod backups;
mod faults;
mod logged;
mod settings;
