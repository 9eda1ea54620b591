// Whole programs that start a change feed processor, in five languages. Where a library has no processor, it is the pull
// model by feed ranges, and the text says so. Imports nothing, so that tests can check the programs outside of a browser.

const PULL = "This library has no processor, so the code asks each feed range for its changes. Keep the continuation of each range "
  + "where a restart finds it, and let each instance of your program take other ranges.";
const SHARE = "Instances with the same processor name share the changes by leases. The container with the leases has the partition key /id.";

// JSON is also a string literal of all five languages.
export function processorPrograms({ database, container }, endpoint) {
  const [db, coll, url] = [database, container, endpoint].map((text) => JSON.stringify(text));
  // This library refuses an endpoint without TLS unless asked.
  const plain = endpoint.startsWith("http:") ? `        System.setProperty("COSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED", "true");\n` : "";
  return [
    { label: "C#", about: SHARE, code: `using System.Text.Json;
using Microsoft.Azure.Cosmos;

var key = Environment.GetEnvironmentVariable("COSMOS_KEY");
var client = new CosmosClient(${url}, key, new()
{
    ConnectionMode = ConnectionMode.Gateway,
    UseSystemTextJsonSerializerWithOptions = new JsonSerializerOptions(),
});
var leases = client.GetContainer(${db}, "leases");
var processor = client.GetContainer(${db}, ${coll})
    .GetChangeFeedProcessorBuilder<JsonElement>("my processor", async (changes, cancel) =>
    {
        foreach (var change in changes) Console.WriteLine(change);
    })
    .WithInstanceName(Environment.MachineName)
    .WithLeaseContainer(leases)
    .Build();
await processor.StartAsync();
await Task.Delay(Timeout.Infinite);` },
    { label: "Java", about: SHARE, code: `import com.azure.cosmos.*;
import java.net.InetAddress;

public class Processor {
    public static void main(String[] arguments) throws Exception {
${plain}        CosmosAsyncClient client = new CosmosClientBuilder()
            .endpoint(${url}).key(System.getenv("COSMOS_KEY")).gatewayMode()
            .contentResponseOnWriteEnabled(true).buildAsyncClient();
        CosmosAsyncDatabase database = client.getDatabase(${db});
        ChangeFeedProcessor processor = new ChangeFeedProcessorBuilder()
            .hostName(InetAddress.getLocalHost().getHostName())
            .feedContainer(database.getContainer(${coll}))
            .leaseContainer(database.getContainer("leases"))
            .handleChanges(changes -> changes.forEach(System.out::println))
            .buildChangeFeedProcessor();
        processor.start().block();
        Thread.currentThread().join();
    }
}` },
    { label: "JavaScript", about: PULL, code: `import { setTimeout as pause } from "node:timers/promises";
import { ChangeFeedStartFrom, CosmosClient, StatusCodes } from "@azure/cosmos";

const client = new CosmosClient({ endpoint: ${url}, key: process.env.COSMOS_KEY });
const container = client.database(${db}).container(${coll});

async function follow(range, continuation) {
  const changeFeedStartFrom = continuation ? ChangeFeedStartFrom.Continuation(continuation) : ChangeFeedStartFrom.Now(range);
  const changes = container.items.getChangeFeedIterator({ changeFeedStartFrom });
  for (;;) {
    const page = await changes.readNext();
    if (page.statusCode === StatusCodes.NotModified) await pause(1_000);
    else for (const item of page.result) console.log(item);
    // Keep page.continuationToken here, and pass it to follow() after a restart.
  }
}

await Promise.all((await container.getFeedRanges()).map((range) => follow(range)));` },
    { label: "Python", about: PULL, code: `import os
import time
from azure.cosmos import CosmosClient

client = CosmosClient(${url}, os.environ["COSMOS_KEY"])
container = client.get_database_client(${db}).get_container_client(${coll})
continuations = {}

while True:
    for number, feed_range in enumerate(container.read_feed_ranges()):
        start = {"feed_range": feed_range, "start_time": "Now"}
        if number in continuations:
            start = {"continuation": continuations[number]}
        for change in container.query_items_change_feed(**start):
            print(change, flush=True)
        # Keep it where a restart finds it.
        continuations[number] = container.client_connection.last_response_headers["etag"]
    time.sleep(1)` },
    { label: "Rust", about: SHARE, code: `use planisphere::processor::{DeliveryContext, Processor, Reaction, ReactionError};
use planisphere::{Account, Change};
use serde_json::Value;

struct Print;

#[async_trait::async_trait]
impl Reaction<Value> for Print {
    async fn react(
        &self,
        changes: &[Change<Value>],
        _: &DeliveryContext,
    ) -> Result<(), ReactionError> {
        for change in changes {
            println!("{:?}", change.current.as_ref().map(|item| &item.value));
        }
        Ok(())
    }
}

// The feature "connect" of the package planisphere opens accounts behind an endpoint.
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (endpoint, key) = (${url}, std::env::var("COSMOS_KEY")?);
    let account = Account::open(&format!("AccountEndpoint={endpoint};AccountKey={key};")).await?;
    let database = account.database(${db})?;
    let (changed, leases) = (database.container(${coll})?, database.container("leases")?);
    let processor =
        Processor::<Value>::builder(&changed, &leases, "my processor").build(Print).await?;
    processor.start()?;
    std::future::pending().await
}` },
  ];
}
