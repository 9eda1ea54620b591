import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.azure.cosmos.util.CosmosPagedFlux;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Queries, the change feed and feed ranges in the words of this library. */
final class Feeds {
    private static final int PAGE = 100;

    private Feeds() {
    }

    static SqlQuerySpec asked(JsonNode step) {
        List<SqlParameter> parameters = new ArrayList<>();
        step.path("parameters").fields()
            .forEachRemaining(entry -> parameters.add(new SqlParameter(entry.getKey(), entry.getValue())));
        return new SqlQuerySpec(step.path("text").asText("SELECT * FROM c"), parameters);
    }

    static Seen query(Runner runner, JsonNode step) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions();
        if (step.has("key")) {
            options.setPartitionKey(Items.keyOf(runner, step));
        }
        if (step.has("session")) {
            options.setSessionToken(step.get("session").asText());
        }
        if (step.has("consistency")) {
            options.setConsistencyLevel(Items.consistency(step));
        }
        options.setQueryMetricsEnabled(step.path("metrics").asBoolean());
        options.setIndexMetricsEnabled(step.path("metrics").asBoolean());
        CosmosPagedFlux<JsonNode> found = runner.container.queryItems(asked(step), options, JsonNode.class);
        int page = step.path("page").asInt(PAGE);
        boolean stops = step.path("resume").asBoolean() || step.has("split_after");
        return stops ? pageByPage(runner, step, found, page) : whole(found, page);
    }

    private static Seen whole(CosmosPagedFlux<JsonNode> found, int page) {
        Seen seen = new Seen();
        for (FeedResponse<JsonNode> each : found.byPage(page).toIterable()) {
            note(seen, each);
        }
        return seen;
    }

    private static Seen pageByPage(Runner runner, JsonNode step, CosmosPagedFlux<JsonNode> found, int page) {
        Seen seen = new Seen();
        do {
            FeedResponse<JsonNode> each = found.byPage(seen.continuation, page).blockFirst();
            if (each == null) {
                break;
            }
            note(seen, each);
            if (seen.pages == step.path("split_after").asInt()) {
                runner.controlContainer("split-partition");
            }
        } while (seen.continuation != null);
        return seen;
    }

    private static void note(Seen seen, FeedResponse<JsonNode> page) {
        seen.add(page);
        seen.queryMetrics |= page.getResponseHeaders().containsKey("x-ms-documentdb-query-metrics")
            || page.getCosmosDiagnostics().toString().contains("retrievedDocumentCount");
        seen.indexMetrics |= page.getResponseHeaders().containsKey("x-ms-cosmos-index-utilization")
            || page.getCosmosDiagnostics().toString().contains("indexUtilizationInfo");
    }

    static Seen changeFeed(Runner runner, JsonNode step) {
        FeedRange range = step.has("key")
            ? FeedRange.forLogicalPartition(Items.keyOf(runner, step))
            : FeedRange.forFullRange();
        CosmosChangeFeedRequestOptions options;
        if (step.has("follow")) {
            options = CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(step.get("follow").asText());
        } else if (step.has("since")) {
            Instant since = Instant.ofEpochSecond(step.get("since").asLong());
            options = CosmosChangeFeedRequestOptions.createForProcessingFromPointInTime(since, range);
        } else if (step.get("from").asText().equals("now")) {
            options = CosmosChangeFeedRequestOptions.createForProcessingFromNow(range);
        } else {
            options = CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(range);
        }
        if (step.path("mode").asText().equals("all")) {
            options.allVersionsAndDeletes();
        }
        options.setMaxItemCount(step.path("page").asInt(PAGE));
        Seen seen = new Seen();
        for (FeedResponse<JsonNode> page : runner.container.queryChangeFeed(options, JsonNode.class).byPage()
            .toIterable()) {
            seen.add(page);
        }
        return seen;
    }

    static Seen ranges(Runner runner) {
        Seen seen = new Seen();
        runner.container.getFeedRanges().block().forEach(range -> seen.rows.add(Main.JSON.nullNode()));
        return seen;
    }
}
