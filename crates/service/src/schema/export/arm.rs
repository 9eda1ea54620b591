//! Export as an Azure Resource Manager template.
//!
//! Owns its layout: one parameter for the account, one resource per database and container, and those of the account if
//! it is created, too.

use client::Throughput;
use model::{Json, Object};

use super::members::members;
use crate::schema::account::{AccountBackup, AccountSchema};
use crate::schema::declaration::{ContainerSchema, Schema};
use crate::schema::script::{ScriptSchema, ScriptSchemaKind};

const LANGUAGE: &str =
    "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
const API_VERSION: &str = "2024-11-15";
const ACCOUNT: &str = "Microsoft.DocumentDB/databaseAccounts";
/// An expression.
const ACCOUNT_ID: &str =
    "resourceId('Microsoft.DocumentDB/databaseAccounts', parameters('accountName'))";
const DATABASE: &str = "Microsoft.DocumentDB/databaseAccounts/sqlDatabases";

/// Writes a schema.
pub(super) fn write(schema: &Schema, account: Option<&AccountSchema>) -> String {
    let mut resources = account.map(account_resources).unwrap_or_default();
    let account_id = account.map(|_| format!("[{ACCOUNT_ID}]"));
    for database in schema.databases() {
        let id = database.id().as_str();
        let own = object([("id", escaped(id))]);
        let needs = account_id.clone();
        resources.push(resource(DATABASE, &[id], own, database.throughput(), needs));
        for container in database.containers() {
            let name = container.id().as_str();
            let kind = format!("{DATABASE}/containers");
            let mut own = Object::new();
            for (member, value) in members(container).iter() {
                own.insert(member, escape(value));
            }
            let own = Json::Object(own);
            let quoted = id.replace('\'', "''");
            let needs =
                format!("[resourceId('{DATABASE}', parameters('accountName'), '{quoted}')]");
            let throughput = container.throughput();
            resources.push(resource(&kind, &[id, name], own, throughput, Some(needs)));
            resources.extend(scripts(id, container));
        }
    }
    let account = object([
        ("type", "string".into()),
        ("metadata", object([("description", "Name of the account".into())])),
    ]);
    let template = object([
        ("$schema", LANGUAGE.into()),
        ("contentVersion", "1.0.0.0".into()),
        ("parameters", object([("accountName", account)])),
        ("resources", Json::Array(resources)),
    ]);
    let mut text = String::new();
    print(&template, 0, &mut text);
    text.push('\n');
    text
}

fn resource(
    kind: &str,
    names: &[&str],
    own: Json,
    throughput: Option<Throughput>,
    needs: Option<String>,
) -> Json {
    // Inside an expression a quote is doubled.
    let names = names.iter().map(|name| name.replace('\'', "''")).collect::<Vec<_>>().join("/");
    let options = match throughput {
        None => object([]),
        Some(Throughput::Manual(number)) => object([("throughput", i64::from(number).into())]),
        Some(Throughput::Autoscale { maximum, .. }) => {
            let settings = object([("maxThroughput", i64::from(maximum).into())]);
            object([("autoscaleSettings", settings)])
        }
    };
    let mut members = Object::new();
    members.insert("type", kind);
    members.insert("apiVersion", API_VERSION);
    members.insert("name", format!("[concat(parameters('accountName'), '/{names}')]"));
    if let Some(needs) = needs {
        // Resources are deployed in parallel; a container needs its database, and that its account.
        members.insert("dependsOn", vec![Json::from(needs)]);
    }
    members.insert("properties", object([("resource", own), ("options", options)]));
    Json::Object(members)
}

/// The scripts of a container.
fn scripts(database: &str, container: &ContainerSchema) -> Vec<Json> {
    let name = container.id().as_str();
    let quoted = |name: &str| name.replace('\'', "''");
    let needs = format!(
        "[resourceId('{DATABASE}/containers', parameters('accountName'), '{}', '{}')]",
        quoted(database),
        quoted(name)
    );
    let one = |script: &ScriptSchema| {
        let mut own = Object::new();
        own.insert("id", escaped(script.id()));
        own.insert("body", escaped(script.body()));
        let kind = match script.kind() {
            ScriptSchemaKind::Procedure => "storedProcedures",
            ScriptSchemaKind::Function => "userDefinedFunctions",
            ScriptSchemaKind::Trigger { trigger_type, operation } => {
                own.insert("triggerType", trigger_type);
                own.insert("triggerOperation", operation);
                "triggers"
            }
        };
        let kind = format!("{DATABASE}/containers/{kind}");
        let names = [database, name, script.id()];
        resource(&kind, &names, Json::Object(own), None, Some(needs.clone()))
    };
    container.scripts().iter().map(one).collect()
}

/// The account, and its private endpoint if it has one.
fn account_resources(account: &AccountSchema) -> Vec<Json> {
    let region = object([
        ("locationName", escaped(&account.region)),
        ("failoverPriority", 0.into()),
        ("isZoneRedundant", account.is_zone_redundant.into()),
    ]);
    let consistency = object([("defaultConsistencyLevel", account.consistency.as_str().into())]);
    let is_private = account.private_endpoint_subnet.is_some();
    let properties = object([
        ("databaseAccountOfferType", "Standard".into()),
        ("consistencyPolicy", consistency),
        ("locations", Json::Array(vec![region])),
        ("backupPolicy", backup(account.backup)),
        ("publicNetworkAccess", if is_private { "Disabled" } else { "Enabled" }.into()),
        ("minimalTlsVersion", "Tls12".into()),
    ]);
    let mut resources = vec![object([
        ("type", ACCOUNT.into()),
        ("apiVersion", API_VERSION.into()),
        ("name", "[parameters('accountName')]".into()),
        ("kind", "GlobalDocumentDB".into()),
        ("location", escaped(&account.region)),
        ("properties", properties),
    ])];
    if let Some(subnet) = &account.private_endpoint_subnet {
        resources.push(private_endpoint(account, subnet));
    }
    resources
}

fn backup(backup: AccountBackup) -> Json {
    match backup {
        AccountBackup::ContinuousThirtyDays => {
            let tier = object([("tier", "Continuous30Days".into())]);
            object([("type", "Continuous".into()), ("continuousModeProperties", tier)])
        }
        AccountBackup::PeriodicLocal { interval_minutes, retention_hours } => {
            let properties = object([
                ("backupIntervalInMinutes", i64::from(interval_minutes).into()),
                ("backupRetentionIntervalInHours", i64::from(retention_hours).into()),
                ("backupStorageRedundancy", "Local".into()),
            ]);
            object([("type", "Periodic".into()), ("periodicModeProperties", properties)])
        }
    }
}

fn private_endpoint(account: &AccountSchema, subnet: &str) -> Json {
    let link = object([
        ("privateLinkServiceId", format!("[{ACCOUNT_ID}]").into()),
        ("groupIds", Json::Array(vec!["Sql".into()])),
    ]);
    let connection = object([("name", "account".into()), ("properties", link)]);
    let properties = object([
        ("subnet", object([("id", escaped(subnet))])),
        ("privateLinkServiceConnections", Json::Array(vec![connection])),
    ]);
    object([
        ("type", "Microsoft.Network/privateEndpoints".into()),
        ("apiVersion", "2024-05-01".into()),
        ("name", "[concat(parameters('accountName'), '-endpoint')]".into()),
        ("location", escaped(&account.region)),
        ("dependsOn", Json::Array(vec![format!("[{ACCOUNT_ID}]").into()])),
        ("properties", properties),
    ])
}

/// Escapes all texts in a value that would be evaluated as expressions.
fn escape(value: &Json) -> Json {
    match value {
        Json::String(text) => escaped(text),
        Json::Array(values) => Json::Array(values.iter().map(escape).collect()),
        Json::Object(members) => {
            let mut object = Object::new();
            for (name, value) in members.iter() {
                object.insert(name, escape(value));
            }
            Json::Object(object)
        }
        other => other.clone(),
    }
}

fn escaped(text: &str) -> Json {
    let is_expression = text.starts_with('[') && text.ends_with(']');
    // Two brackets are an escape wherever the text ends: one of them would be lost.
    match is_expression || text.starts_with("[[") {
        // A further bracket makes the template engine take the text as it is.
        true => Json::from(format!("[{text}")),
        false => Json::from(text),
    }
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    Json::Object(object)
}

/// Prints JSON with one member per line.
fn print(value: &Json, depth: usize, text: &mut String) {
    let (lines, ends): (Vec<(String, &Json)>, [char; 2]) = match value {
        Json::Array(values) => {
            (values.iter().map(|one| (String::new(), one)).collect(), ['[', ']'])
        }
        Json::Object(members) => {
            let named = members.iter().map(|(name, one)| (format!("{}: ", Json::from(name)), one));
            (named.collect(), ['{', '}'])
        }
        scalar => {
            text.push_str(&scalar.to_string());
            return;
        }
    };
    let [open, close] = ends;
    text.push(open);
    let count = lines.len();
    for (number, (name, one)) in lines.into_iter().enumerate() {
        text.push('\n');
        text.push_str(&"  ".repeat(depth + 1));
        text.push_str(&name);
        print(one, depth + 1, text);
        if number + 1 < count {
            text.push(',');
        }
    }
    if count > 0 {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    }
    text.push(close);
}
