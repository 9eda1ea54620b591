//! CH-001 to CH-006, CH-008, CH-018: the accounts of the three stages as files, throughput, and what travels protected.

use chat::{ChatContainers, ChatSettings, ChatStage, DEFAULT_REGION};
use client::Throughput;
use serde_json::{Value, json};
use service::schema::{Schema, SchemaFormat};
use service::settings::SettingsBuilder;

use crate::world::{ALICE, Embedded, OverGateway, Way, World, room, settings};

const SUBNET: &str =
    "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/n/subnets/chat";

fn export(stage: ChatStage, subnet: Option<&str>, format: SchemaFormat) -> String {
    let schema = ChatContainers::schema(&settings(), stage).unwrap();
    schema.export_with_account(&stage.account(DEFAULT_REGION, subnet), format).text
}

/// The resource of a type in a template.
fn resource(template: &str, kind: &str) -> Value {
    let template: Value = serde_json::from_str(template).unwrap();
    let resources = template["resources"].as_array().unwrap();
    resources.iter().find(|one| one["type"] == kind).cloned().unwrap_or_default()
}

fn account(stage: ChatStage, subnet: Option<&str>) -> Value {
    let template = export(stage, subnet, SchemaFormat::Arm);
    resource(&template, "Microsoft.DocumentDB/databaseAccounts")
}

#[test]
fn ch_001_002_every_stage_has_session_consistency_in_one_region() {
    for stage in [ChatStage::Development, ChatStage::Staging, ChatStage::Production] {
        let account = account(stage, None);
        let properties = &account["properties"];
        assert_eq!(
            properties["consistencyPolicy"],
            json!({ "defaultConsistencyLevel": "Session" })
        );
        assert_eq!(account["location"], "polandcentral");
        assert_eq!(properties["locations"].as_array().map(Vec::len), Some(1));
        assert_eq!(properties["locations"][0]["locationName"], "polandcentral");
    }
}

#[test]
fn ch_003_004_005_backup_zones_and_throughput_are_those_of_the_stage() {
    let continuous = json!({
        "type": "Continuous", "continuousModeProperties": { "tier": "Continuous30Days" },
    });
    let periodic = json!({
        "type": "Periodic",
        "periodicModeProperties": {
            "backupIntervalInMinutes": 240, "backupRetentionIntervalInHours": 8,
            "backupStorageRedundancy": "Local",
        },
    });
    for (stage, backup, zones, most) in [
        (ChatStage::Development, &periodic, false, 1_000),
        (ChatStage::Staging, &periodic, true, 4_000),
        (ChatStage::Production, &continuous, true, 4_000),
    ] {
        let account = account(stage, None);
        assert_eq!(&account["properties"]["backupPolicy"], backup, "{stage:?}");
        assert_eq!(account["properties"]["locations"][0]["isZoneRedundant"], zones, "{stage:?}");
        let template = export(stage, None, SchemaFormat::Arm);
        let database = resource(&template, "Microsoft.DocumentDB/databaseAccounts/sqlDatabases");
        let options = json!({ "autoscaleSettings": { "maxThroughput": most } });
        assert_eq!(database["properties"]["options"], options, "{stage:?}");
        assert_eq!(database["dependsOn"].as_array().map(Vec::len), Some(1), "after its account");
    }
}

#[test]
fn ch_006_public_access_is_off_exactly_with_a_private_endpoint() {
    let open = account(ChatStage::Production, None);
    assert_eq!(open["properties"]["publicNetworkAccess"], "Enabled");
    let closed = account(ChatStage::Production, Some(SUBNET));
    assert_eq!(closed["properties"]["publicNetworkAccess"], "Disabled");
    let template = export(ChatStage::Production, Some(SUBNET), SchemaFormat::Arm);
    let endpoint = resource(&template, "Microsoft.Network/privateEndpoints");
    assert_eq!(endpoint["properties"]["subnet"]["id"], SUBNET);
    let without = export(ChatStage::Production, None, SchemaFormat::Arm);
    assert_eq!(resource(&without, "Microsoft.Network/privateEndpoints"), Value::Null);
    for (subnet, line) in [
        (None, "public_network_access_enabled = true"),
        (Some(SUBNET), "public_network_access_enabled = false"),
    ] {
        let text = export(ChatStage::Production, subnet, SchemaFormat::Terraform);
        assert!(text.contains(line), "{text}");
        let has_endpoint = text.contains("resource \"azurerm_private_endpoint\" \"account\" {");
        assert_eq!(has_endpoint, subnet.is_some());
    }
}

#[test]
fn a_file_with_an_account_declares_the_same_containers() {
    let schema = ChatContainers::schema(&settings(), ChatStage::Staging).unwrap();
    let whole = schema.export(SchemaFormat::Toml).text;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chat.json");
    std::fs::write(&file, export(ChatStage::Staging, Some(SUBNET), SchemaFormat::Arm)).unwrap();
    let read = Schema::from_path(&file, &service::schema::SchemaReadOptions::default());
    let read = read.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(read.schema.export(SchemaFormat::Toml).text, whole);
    let toml =
        schema.export_with_account(&ChatStage::Staging.account("x", None), SchemaFormat::Toml);
    assert_eq!(toml.omitted.len(), 1, "the account is reported as left out");
}

async fn throughputs<W: Way>(settings: ChatSettings) -> (Option<Throughput>, Option<Throughput>) {
    let world = World::with::<W>(settings).await;
    let database = world.account.database("chat").unwrap();
    let of_container = database.container("messages").unwrap().read_throughput().await.unwrap();
    (database.read_throughput().await.unwrap().value, of_container.value)
}

#[tokio::test]
async fn ch_018_a_container_has_400_unless_the_database_has_throughput() {
    let own = Some(Throughput::manual(400).unwrap());
    assert_eq!(throughputs::<Embedded>(settings()).await, (None, own));
    assert_eq!(throughputs::<OverGateway>(settings()).await, (None, own));
    let mut shared = settings();
    shared.cosmos.database_autoscale_max = Some(4_000);
    let (of_database, of_container) = throughputs::<Embedded>(shared).await;
    assert_eq!(of_database, Some(Throughput::autoscale(4_000).unwrap()));
    assert_eq!(of_container, None);
    let mut none = settings();
    none.cosmos.container_throughput = 0;
    assert_eq!(throughputs::<Embedded>(none).await.0, None);
}

#[tokio::test]
async fn ch_001_a_writer_reads_its_own_writes_over_https_connectivity() {
    let world = World::new::<OverGateway>().await;
    for number in 0..20 {
        let sent = world.send(ALICE, "general", &format!("own {number}")).await;
        let read = world.chat.messages().get(&room("general"), &sent.id).await.unwrap().value;
        assert_eq!(read.map(|message| message.content), Some(format!("own {number}")));
        let newest = world.chat.messages().recent_by_room(&room("general"), 1).await.unwrap();
        assert_eq!(newest.value[0].id, sent.id);
        world.travel(1);
    }
}

/// The errors of settings, as one text.
fn errors(variables: &[(&str, &str)]) -> String {
    let base = [("Chat__Development".to_owned(), "true".to_owned())];
    let given = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let loaded = SettingsBuilder::new().environment(base.into_iter().chain(given));
    match loaded.load::<ChatSettings>() {
        Ok(_) => String::new(),
        Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
    }
}

#[test]
fn ch_008_an_account_is_reached_by_https() {
    for right in [
        "AccountEndpoint=https://chat.documents.azure.com:443/;AccountKey=x==;",
        "AccountKey=x==;accountendpoint=http://127.0.0.1:8081/",
        "AccountEndpoint=http://localhost:8081/;AccountKey=x==;",
    ] {
        assert_eq!(errors(&[("Cosmos__ConnectionString", right)]), "", "{right}");
    }
    for wrong in [
        "AccountEndpoint=http://chat.example/;AccountKey=x==;",
        "AccountEndpoint=ftp://localhost/;AccountKey=x==;",
        "AccountEndpoint=nothing;AccountKey=x==;",
    ] {
        let found = errors(&[("Cosmos__ConnectionString", wrong)]);
        assert!(found.contains("Cosmos:ConnectionString") && !found.contains("x=="), "{found}");
    }
}

#[test]
fn settings_of_the_issuer_that_cannot_be_honoured_are_refused_by_name() {
    let entra = [("EntraId__ClientId", "chat"), ("EntraId__Authorization__AllowedTenants__0", "t")];
    let with = |more: &[(&str, &str)]| errors(&[&entra[..], more].concat());
    assert_eq!(with(&[]), "", "organizations is the default");
    for (name, value, expected) in [
        ("EntraId__TenantId", "common", "EntraId:TenantId"),
        ("EntraId__TenantId", "consumers", "EntraId:TenantId"),
        (
            "EntraId__Authorization__RequireTenantValidation",
            "false",
            "EntraId:Authorization:RequireTenantValidation",
        ),
        (
            "EntraId__AutomaticSso__AttemptCookieName",
            "a;b",
            "EntraId:AutomaticSso:AttemptCookieName",
        ),
        ("EntraId__CallbackPath", "signin", "EntraId:CallbackPath"),
        ("Cosmos__DatabaseAutoscaleMax", "1500", "Cosmos:DatabaseAutoscaleMax"),
        ("Cosmos__ContainerThroughput", "399", "Cosmos:ContainerThroughput"),
    ] {
        assert!(with(&[(name, value)]).contains(expected), "{name}={value}");
    }
    let mut settings = ChatSettings::default();
    settings.entra_id.instance = "https://login.example/".to_owned();
    assert_eq!(settings.entra_id.issuer(), "https://login.example/{tenantid}/v2.0");
    settings.entra_id.tenant_id = "t-1".to_owned();
    assert_eq!(settings.entra_id.issuer(), "https://login.example/t-1/v2.0");
}
