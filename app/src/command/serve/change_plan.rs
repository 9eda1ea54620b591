//! What a change of a container would do, for the data explorer: the plan of `planisphere schema plan` as JSON.

use client::Account;
use gateway::ContainerChange;
use model::{Json, Object};
use service::schema::{
    ContainerSchema, DatabaseSchema, Obstacle, PropertyChange, Schema, SchemaPlan, SchemaStep,
    Workaround,
};

/// Plans the change of one container and leaves everything as it is.
pub(super) async fn plan_change(change: ContainerChange) -> Result<Json, String> {
    let mut container = ContainerSchema::from_properties(change.properties);
    if let Some(throughput) = change.throughput {
        container = container.with_throughput(throughput);
    }
    let database = DatabaseSchema::new(change.database.as_str(), vec![container]);
    let database = database.map_err(|invalid| invalid.to_string())?;
    let schema = Schema::new(vec![database]).map_err(|invalid| invalid.to_string())?;
    let account = Account::embedded(change.engine).await.map_err(|error| error.to_string())?;
    let plan = schema.plan(&account).await.map_err(|error| error.to_string())?;
    Ok(to_json(&plan))
}

fn to_json(plan: &SchemaPlan) -> Json {
    let changes = plan.steps.iter().flat_map(|step| match step {
        SchemaStep::ReplaceProperties { changes, .. } => changes.iter().map(change).collect(),
        SchemaStep::ReplaceThroughput { .. } => vec![throughput(step)],
        // A change in the explorer is one of an existing container, without its scripts.
        SchemaStep::CreateDatabase { .. }
        | SchemaStep::CreateContainer { .. }
        | SchemaStep::PutScript { .. } => Vec::new(),
    });
    let mut object = Object::new();
    object.insert("changes", changes.collect::<Vec<_>>());
    object.insert("obstacles", plan.obstacles.iter().map(obstacle).collect::<Vec<_>>());
    object.insert("text", plan.text(""));
    Json::Object(object)
}

fn change(change: &PropertyChange) -> Json {
    let mut object = Object::new();
    object.insert("property", change.property);
    object.insert("differences", texts(&change.differences));
    object.insert("effect", change.effect.map_or(Json::Null, |effect| effect.to_string().into()));
    Json::Object(object)
}

fn throughput(step: &SchemaStep) -> Json {
    let text = step.to_string();
    let difference = text.rsplit_once("throughput ").map_or(text.as_str(), |(_, rest)| rest);
    let mut object = Object::new();
    object.insert("property", "throughput");
    object.insert("differences", vec![Json::from(difference)]);
    object.insert("effect", Json::Null);
    Json::Object(object)
}

fn obstacle(obstacle: &Obstacle) -> Json {
    let mut object = Object::new();
    object.insert("property", obstacle.property);
    object.insert("differences", texts(&obstacle.differences));
    object.insert("reason", obstacle.reason.as_str());
    let workaround = match &obstacle.workaround {
        Workaround::Copy { from, to, partition_key_paths } => {
            let keys = partition_key_paths.iter().map(|path| format!(" --partition-key {path}"));
            let keys: String = keys.collect();
            format!("planisphere copy --from {from} --to {to}{keys} --verify")
        }
        Workaround::Instructions(words) => words.clone(),
    };
    object.insert("workaround", workaround);
    Json::Object(object)
}

fn texts(texts: &[String]) -> Vec<Json> {
    texts.iter().map(|text| Json::from(text.as_str())).collect()
}
