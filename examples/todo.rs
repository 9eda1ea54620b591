//! A todo service with pages, etags, events and a job: `cargo run --release --example todo`. One setting moves it:
//! `TodoPlace` in the environment, a folder or the connection string that `planisphere serve` prints.

use std::io::Write;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use client::{Account, Container, PartitionKeyDefinition};
use serde::{Deserialize, Serialize};
use service::http::{
    ApiDescription, EtagHeader, EventRing, EventStreamRequest, HttpResult, HttpServer,
    HttpSettings, IfMatch, JsonBody, OpenApiRouter, PageLimits, PageQuery, PathParams, QueryParams,
    routes,
};
use service::identity::{Caller, Identity, IdentitySettings};
use service::settings::{Secret, SettingsBuilder, SettingsSection, SettingsValidator};
use service::work::{JobFailure, Jobs, JobsSettings, PeriodicJob};
use utoipa::ToSchema;

type Reply = HttpResult<Response>;

/// Defaults of the program; file and environment override them.
pub(crate) const DEFAULTS: &str = "TodoPlace = 'memory'\nIdentity.Mode = 'demo'";

/// Settings of the operator. The location may be a connection string, so it is a secret.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(crate) struct Chosen {
    todo_place: Secret,
    http: HttpSettings,
    identity: IdentitySettings,
}

impl SettingsSection for Chosen {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.section("Http", &self.http);
        validator.section("Identity", &self.identity);
    }
}

/// A todo. Field names are the stored names; the partition key is the owner.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
struct Todo {
    id: String,
    owner: String,
    text: String,
    done: bool,
}

#[derive(Clone)]
pub(crate) struct Todos {
    pub(crate) server: HttpServer,
    pub(crate) jobs: Jobs,
    todos: Container,
    events: EventRing,
}

impl Todos {
    pub(crate) async fn open(chosen: &Chosen) -> Result<Self, Box<dyn std::error::Error>> {
        let account = Account::open(chosen.todo_place.expose()).await?;
        let todos = container(&account, "todos", "/owner").await?;
        let environment = account.environment().clone();
        let events = EventRing::new(&environment, 1000);
        let identity = Identity::new(environment.clone(), &chosen.identity)?;
        let server = HttpServer::new(environment, chosen.http.clone(), identity);
        let (from, sender) = (todos.clone(), events.clone());
        let job = PeriodicJob::every("forget what is done", std::time::Duration::from_secs(60));
        let jobs = Jobs::new(&container(&account, "jobs", "/id").await?, JobsSettings::default())
            .with(job, move |_| forget(from.clone(), sender.clone()));
        Ok(Self { server, jobs, todos, events })
    }

    pub(crate) fn router(&self) -> axum::Router {
        let about =
            ApiDescription::new("Todos", env!("CARGO_PKG_VERSION"), "Lists of things to do.");
        self.server.describe(about);
        let api = OpenApiRouter::new().routes(routes!(create, list)).routes(routes!(replace));
        self.server.router(api.routes(routes!(listen)).with_state(self.clone()), &[])
    }
}

async fn container(
    account: &Account,
    name: &str,
    key: &str,
) -> Result<Container, Box<dyn std::error::Error>> {
    let database = account.database("todo")?;
    database.create_if_missing(None).await?;
    let container = database.container(name)?;
    let properties = container.properties(PartitionKeyDefinition::single(key)?);
    container.create_if_missing(properties, None).await?;
    Ok(container)
}

/// Creates a todo. `?` turns errors of the store into problem responses.
#[utoipa::path(post, path = "/todos", request_body = Todo, responses((status = 200, body = Todo)))]
async fn create(State(all): State<Todos>, by: Caller, JsonBody(todo): JsonBody<Todo>) -> Reply {
    let id = format!("{:016x}", all.server.environment().random());
    let todo = Todo { id, owner: by.subject().to_owned(), ..todo };
    let created = all.todos.create(&by.subject().into(), &todo).await?;
    all.events.publish(by.subject(), "created", &todo);
    Ok((EtagHeader::of(&created), JsonBody(todo)).into_response())
}

/// Lists the caller's todos, page by page. A cursor is valid for its caller only.
#[utoipa::path(get, path = "/todos", params(PageQuery))]
async fn list(
    State(all): State<Todos>,
    by: Caller,
    QueryParams(page): QueryParams<PageQuery>,
) -> Reply {
    let (cursors, question) = (all.server.cursors(), ["todos", by.subject()]);
    let options = page.options(PageLimits::new(20, 100), cursors, &question)?;
    let query = client::Query::text("SELECT * FROM c ORDER BY c.text").within(by.subject().into());
    let page = all.todos.query_page::<Todo>(&query, options).await?.value;
    let cursor = page.continuation.map(|token| cursors.seal(&question, &token));
    Ok(JsonBody(serde_json::json!({ "todos": page.rows, "cursor": cursor })).into_response())
}

/// Changes a todo unless it was changed in between: 412 then, and 428 without `if-match`.
#[utoipa::path(put, path = "/todos/{id}", request_body = Todo, params(("id" = String, Path)))]
async fn replace(
    State(all): State<Todos>,
    (by, seen, PathParams(id)): (Caller, IfMatch, PathParams<String>),
    JsonBody(todo): JsonBody<Todo>,
) -> Reply {
    let todo = Todo { id, owner: by.subject().to_owned(), ..todo };
    let replaced = all.todos.replace(&by.subject().into(), &todo, seen.etag()).await?;
    all.events.publish(by.subject(), "changed", &todo);
    Ok((EtagHeader::of(&replaced), JsonBody(todo)).into_response())
}

/// Streams events about the caller's todos, from where the caller last stopped listening.
#[utoipa::path(get, path = "/todos/events")]
async fn listen(State(all): State<Todos>, by: Caller, stream: EventStreamRequest) -> Response {
    all.events.respond(by.subject(), stream, all.server.shutdown())
}

/// The job deletes completed todos; it runs on one of all instances.
async fn forget(todos: Container, events: EventRing) -> Result<(), JobFailure> {
    let done = client::Query::text("SELECT * FROM c WHERE c.done = true");
    for todo in todos.query::<Todo>(&done.fan_out("the job looks at all owners")).await?.value {
        todos.delete(&todo.owner.as_str().into(), &todo.id, None).await?;
        events.publish(&todo.owner, "forgotten", &todo);
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sources =
        SettingsBuilder::new().text("the program", DEFAULTS).environment(std::env::vars());
    let chosen = sources.load::<Chosen>()?;
    let todos = Todos::open(&chosen.value).await?;
    let token = todos.server.identity().demo_issuer().map(|issuer| issuer.token("ann", &[]));
    writeln!(std::io::stdout(), "{}as ann: Bearer {}", chosen.show(), token.unwrap_or_default())?;
    todos.jobs.start();
    todos.server.serve_until(todos.router(), tokio::signal::ctrl_c()).await?;
    todos.jobs.stop().await;
    Ok(())
}
