//! Settings: sources, names, errors, secrets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::settings::{
    LoadedSettings, Secret, SettingSource, SettingsBuilder, SettingsSection, SettingsValidator,
};

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Everything {
    notifications: Notifications,
    fcm: Fcm,
    cors: Cors,
    http: HttpSettings,
    allowed_hosts: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Notifications {
    batch_size: u32,
    quiet_mode: QuietMode,
    is_on: bool,
    limits: BTreeMap<String, u32>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum QuietMode {
    #[default]
    Suppress,
    Defer,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Fcm {
    private_key: Secret,
    port: Option<u16>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Cors {
    allowed_origins: Vec<String>,
}

impl Default for Notifications {
    fn default() -> Self {
        let limits = BTreeMap::from([("Social".to_owned(), 3)]);
        Self { batch_size: 100, quiet_mode: QuietMode::default(), is_on: true, limits }
    }
}

impl SettingsSection for Everything {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.require_range("Notifications:BatchSize", self.notifications.batch_size, 1..=1000);
        let is_long = !self.fcm.private_key.is_set() || self.fcm.private_key.expose().len() > 3;
        validator.require("Fcm:PrivateKey", is_long, "at least four characters");
        validator.section("Http", &self.http);
    }
}

fn load(
    file: &str,
    environment: &[(&str, &str)],
    flags: &[&str],
) -> Result<LoadedSettings<Everything>, String> {
    let environment =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let sources =
        SettingsBuilder::new().text("app.toml", file).environment(environment).flags(&flags);
    sources.load().map_err(|errors| errors.to_string())
}

#[test]
fn nothing_given_is_all_defaults() {
    let loaded = load("", &[("PATH", "/bin"), ("HOME__X", "1")], &[]).unwrap();
    assert_eq!(loaded.value, Everything::default());
    assert_eq!(loaded.warnings(), [""; 0]);
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let file = "[notifications]\nbatchsize = 1\nISON = false\n\"Limits:Social\" = 9\n";
    let environment = [("NOTIFICATIONS__BATCHSIZE", "2"), ("Notifications__QuietMode", "defer")];
    let loaded = load(file, &environment, &["Notifications:batchSize=3"]).unwrap();
    let notifications = &loaded.value.notifications;
    assert_eq!((notifications.batch_size, notifications.is_on), (3, false));
    assert_eq!(notifications.quiet_mode, QuietMode::Defer);
    assert_eq!(notifications.limits["Social"], 9);
    let shown = loaded.show();
    let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("Notifications:BatchSize").ends_with("flag --set"), "{shown}");
    assert!(line("Notifications:QuietMode").ends_with("environment Notifications__QuietMode"));
    assert!(line("Notifications:IsOn").ends_with("file app.toml"), "{shown}");
    assert!(line("Fcm:Port").ends_with("default"), "{shown}");
}

#[test]
fn texts_are_converted_to_the_type_of_the_setting() {
    let environment = [
        ("NOTIFICATIONS__ISON", "False"),
        ("FCM__PORT", "443"),
        ("FCM__PRIVATEKEY", "123456"),
        ("ALLOWEDHOSTS", "a;b"),
        ("NOTIFICATIONS__LIMITS__News", "1"),
    ];
    let loaded = load("", &environment, &[]).unwrap();
    assert!(!loaded.value.notifications.is_on);
    assert_eq!(loaded.value.fcm.port, Some(443));
    assert_eq!(loaded.value.fcm.private_key.expose(), "123456");
    assert_eq!(loaded.value.allowed_hosts.as_deref(), Some("a;b"));
    assert_eq!(loaded.value.notifications.limits["News"], 1);
    assert_eq!(loaded.warnings(), [""; 0]);
}

#[test]
fn lists_are_given_whole_or_by_element() {
    let origins = |file: &str, environment: &[(&str, &str)], flags: &[&str]| {
        load(file, environment, flags).unwrap().value.cors.allowed_origins.join(" ")
    };
    let file = "[Cors]\nAllowedOrigins = ['a', 'b']";
    assert_eq!(origins(file, &[], &[]), "a b");
    assert_eq!(origins(file, &[("CORS__ALLOWEDORIGINS__1", "c")], &[]), "a c");
    assert_eq!(origins(file, &[], &["Cors:AllowedOrigins=[\"z\"]"]), "z");
    assert_eq!(origins("[Cors]\nAllowedOrigins = []", &[], &[]), "");
    let many: Vec<(String, String)> =
        (0..12).map(|n| (format!("Cors__AllowedOrigins__{n}"), n.to_string())).collect();
    let many: Vec<(&str, &str)> =
        many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(origins("", &many, &[]), "0 1 2 3 4 5 6 7 8 9 10 11");
}

#[test]
fn all_errors_are_reported_at_once_with_value_source_and_what_is_allowed() {
    let file = "[Notifications]\nQuietMode = 'loud'\n[Http]\nListen = 'here'";
    let environment = [("NOTIFICATIONS__BATCHSIZE", "0"), ("FCM__PORT", "many")];
    let report = load(file, &environment, &["Notifications:IsOn=maybe", "oops"]).unwrap_err();
    assert!(report.starts_with("6 errors in the settings:"), "{report}");
    for line in [
        "Notifications:BatchSize is 0 (environment NOTIFICATIONS__BATCHSIZE): allowed is 1 to 1000",
        "Notifications:QuietMode is \"loud\" (file app.toml): unknown variant `loud`, expected `suppress` or `defer`",
        "Notifications:IsOn is \"maybe\" (flag --set): invalid type: string \"maybe\", expected a boolean",
        "Fcm:Port is \"many\" (environment FCM__PORT)",
        "Http:Listen is \"here\" (file app.toml): an address with a port",
        "--set is a text without '='",
    ] {
        assert!(report.contains(line), "{line}\nnot in\n{report}");
    }
}

#[test]
fn a_secret_is_in_no_output() {
    let show = load("", &[("FCM__PRIVATEKEY", "hush-hush")], &[]).unwrap();
    assert!(show.show().contains("Fcm:PrivateKey"), "{}", show.show());
    assert!(!format!("{} {show:?}", show.show()).contains("hush"));
    // Too short, and of the wrong type.
    let report = load("[Fcm]\nPrivateKey = 4711", &[], &[]).unwrap_err();
    assert!(report.contains("Fcm:PrivateKey is a secret (file app.toml)"), "{report}");
    assert!(!report.contains("4711"), "{report}");
    let report = load("", &[], &["Fcm:PrivateKey=abc"]).unwrap_err();
    assert!(report.contains("at least four characters") && !report.contains("abc"), "{report}");
    let report = load("", &[], &["Fcm:PrivateKey hush"]).unwrap_err();
    assert!(!report.contains("hush"), "{report}");
}

#[test]
fn unknown_names_warn_with_the_nearest() {
    let file = "[Notifications]\nBatchSice = 3\nZebra = 1";
    let environment = [("NOTIFICATION__BATCHSIZE", "5"), ("SOMETHING__ELSE", "1")];
    let loaded = load(file, &environment, &[]).unwrap();
    let warnings = loaded.warnings().join("\n");
    assert!(warnings.contains("is 'Notifications:BatchSize' meant?"), "{warnings}");
    assert!(warnings.contains(
        "environment NOTIFICATION__BATCHSIZE means nothing here; is 'Notifications' meant?"
    ));
    assert!(warnings.contains("the setting Notifications:Zebra (file app.toml) is not known"));
    assert_eq!(loaded.warnings().len(), 3, "{warnings}");
    assert_eq!(loaded.value, Everything::default());
}

#[test]
fn a_missing_or_broken_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.toml");
    assert!(SettingsBuilder::new().file_if_present(&missing).load::<Everything>().is_ok());
    let errors = SettingsBuilder::new()
        .file(&missing)
        .text("b", "= broken")
        .load::<Everything>()
        .unwrap_err();
    assert_eq!(errors.iter().count(), 2, "{errors}");
    let file = folder.path().join("app.toml");
    std::fs::write(&file, "[Notifications]\nBatchSize = 7").unwrap();
    let loaded = SettingsBuilder::new().file(&file).load::<Everything>().unwrap();
    assert_eq!(loaded.value.notifications.batch_size, 7);
    let source = SettingSource::File(file.display().to_string());
    assert!(loaded.show().contains(&source.to_string()));
}
