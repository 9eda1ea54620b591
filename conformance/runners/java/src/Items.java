import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchItemRequestOptions;
import com.azure.cosmos.models.CosmosBatchPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkItemRequestOptions;
import com.azure.cosmos.models.CosmosBulkOperationResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosItemIdentity;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.DedicatedGatewayRequestOptions;
import com.azure.cosmos.models.IndexingDirective;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import reactor.core.publisher.Flux;

/** Verbs on items in the words of this library: point operations, patch, batch, bulk. */
final class Items {
    private Items() {
    }

    static Seen point(Runner runner, String verb, JsonNode step) {
        CosmosAsyncContainer container = runner.container;
        PartitionKey key = keyOf(runner, step);
        JsonNode item = step.get("item");
        String id = step.has("id") ? step.get("id").asText() : step.path("item").path("id").asText(null);
        if (verb.equals("patch")) {
            CosmosPatchItemRequestOptions options = new CosmosPatchItemRequestOptions();
            fill(options, step);
            if (step.has("condition")) {
                options.setFilterPredicate(step.get("condition").asText());
            }
            return Seen.of(container.patchItem(id, key, patch(step), options, ObjectNode.class).block());
        }
        CosmosItemRequestOptions options = new CosmosItemRequestOptions();
        fill(options, step);
        return Seen.of(switch (verb) {
            case "create" -> container.createItem(item, key, options).block();
            case "upsert" -> container.upsertItem(item, key, options).block();
            case "replace" -> container.replaceItem(item, id, key, options).block();
            case "read" -> container.readItem(id, key, options, ObjectNode.class).block();
            default -> container.deleteItem(id, key, options).block();
        });
    }

    private static void fill(CosmosItemRequestOptions options, JsonNode step) {
        if (step.has("if_match")) {
            options.setIfMatchETag(step.get("if_match").asText());
        }
        if (step.has("if_none_match")) {
            options.setIfNoneMatchETag(step.get("if_none_match").asText());
        }
        if (step.has("quiet")) {
            options.setContentResponseOnWriteEnabled(!step.get("quiet").asBoolean());
        }
        if (step.has("session")) {
            options.setSessionToken(step.get("session").asText());
        }
        if (step.has("consistency")) {
            options.setConsistencyLevel(consistency(step));
        }
        if (step.has("indexing")) {
            options.setIndexingDirective(IndexingDirective.valueOf(step.get("indexing").asText().toUpperCase()));
        }
        if (step.has("pre_triggers")) {
            options.setPreTriggerInclude(texts(step.get("pre_triggers")));
        }
        if (step.has("post_triggers")) {
            options.setPostTriggerInclude(texts(step.get("post_triggers")));
        }
        if (step.has("cache_seconds")) {
            Duration most = Duration.ofSeconds(step.get("cache_seconds").asLong());
            options.setDedicatedGatewayRequestOptions(
                new DedicatedGatewayRequestOptions().setMaxIntegratedCacheStaleness(most));
        }
        if (step.has("priority") || step.has("throughput_bucket")) {
            throw new Unsupported("this library sets priority and bucket by groups of the client only");
        }
    }

    static ConsistencyLevel consistency(JsonNode step) {
        String level = step.get("consistency").asText();
        return Arrays.stream(ConsistencyLevel.values()).filter(one -> one.toString().equals(level)).findFirst()
            .orElseThrow(() -> new Unseen("the runner does not know the consistency " + level));
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }

    private static CosmosPatchOperations patch(JsonNode step) {
        CosmosPatchOperations patch = CosmosPatchOperations.create();
        for (JsonNode operation : step.get("operations")) {
            String path = operation.get("path").asText();
            JsonNode value = operation.get("value");
            switch (operation.get("op").asText()) {
                case "add" -> patch.add(path, value);
                case "set" -> patch.set(path, value);
                case "replace" -> patch.replace(path, value);
                case "remove" -> patch.remove(path);
                case "move" -> patch.move(operation.get("from").asText(), path);
                case "incr" -> increment(patch, path, value);
                default -> throw new Unsupported("this library has no patch operation " + operation.get("op"));
            }
        }
        return patch;
    }

    private static void increment(CosmosPatchOperations patch, String path, JsonNode value) {
        if (value.isIntegralNumber()) {
            patch.increment(path, value.asLong());
        } else {
            patch.increment(path, value.asDouble());
        }
    }

    static Seen batch(Runner runner, JsonNode step) {
        CosmosBatch batch = CosmosBatch.createCosmosBatch(keyOf(runner, step));
        for (JsonNode part : step.get("operations")) {
            addTo(batch, part);
        }
        CosmosBatchResponse answer = runner.container.executeCosmosBatch(batch).block();
        Seen seen = new Seen();
        seen.status = answer.getStatusCode();
        seen.session = answer.getSessionToken();
        seen.charge = answer.getRequestCharge();
        answer.getResults().forEach(result -> seen.results.add(result.getStatusCode()));
        return seen;
    }

    private static void addTo(CosmosBatch batch, JsonNode part) {
        String id = part.path("id").asText(null);
        JsonNode item = part.get("item");
        CosmosBatchItemRequestOptions options = new CosmosBatchItemRequestOptions();
        if (part.has("if_match")) {
            options.setIfMatchETag(part.get("if_match").asText());
        }
        if (part.has("if_none_match")) {
            options.setIfNoneMatchETag(part.get("if_none_match").asText());
        }
        switch (part.get("op").asText()) {
            case "create" -> batch.createItemOperation(item, options);
            case "upsert" -> batch.upsertItemOperation(item, options);
            case "replace" -> batch.replaceItemOperation(id, item, options);
            case "read" -> batch.readItemOperation(id, options);
            case "delete" -> batch.deleteItemOperation(id, options);
            default -> {
                CosmosBatchPatchItemRequestOptions of = new CosmosBatchPatchItemRequestOptions();
                if (part.has("if_match")) {
                    of.setIfMatchETag(part.get("if_match").asText());
                }
                if (part.has("condition")) {
                    of.setFilterPredicate(part.get("condition").asText());
                }
                batch.patchItemOperation(id, patch(part), of);
            }
        }
    }

    static Seen bulk(Runner runner, JsonNode step) {
        List<CosmosItemOperation> operations = new ArrayList<>();
        for (JsonNode part : step.get("operations")) {
            operations.add(bulkPart(runner, part, operations.size()));
        }
        Integer[] statuses = new Integer[operations.size()];
        List<CosmosBulkOperationResponse<Object>> answers =
            runner.container.executeBulkOperations(Flux.fromIterable(operations)).collectList().block();
        for (CosmosBulkOperationResponse<Object> answer : answers) {
            int place = answer.getOperation().getContext();
            boolean thrown = answer.getException() instanceof CosmosException;
            statuses[place] = thrown
                ? ((CosmosException) answer.getException()).getStatusCode()
                : answer.getResponse().getStatusCode();
        }
        Seen seen = new Seen();
        seen.results.addAll(Arrays.asList(statuses));
        return seen;
    }

    private static CosmosItemOperation bulkPart(Runner runner, JsonNode part, Integer place) {
        PartitionKey key = keyOf(runner, part);
        String id = part.path("id").asText(null);
        JsonNode item = part.get("item");
        CosmosBulkItemRequestOptions options = new CosmosBulkItemRequestOptions();
        if (part.has("if_match")) {
            options.setIfMatchETag(part.get("if_match").asText());
        }
        return switch (part.get("op").asText()) {
            case "create" -> CosmosBulkOperations.getCreateItemOperation(item, key, options, place);
            case "upsert" -> CosmosBulkOperations.getUpsertItemOperation(item, key, options, place);
            case "replace" -> CosmosBulkOperations.getReplaceItemOperation(id, item, key, options, place);
            case "read" -> CosmosBulkOperations.getReadItemOperation(id, key, options, place);
            case "delete" -> CosmosBulkOperations.getDeleteItemOperation(id, key, options, place);
            default -> CosmosBulkOperations.getPatchItemOperation(id, key, patch(part), place);
        };
    }

    static Seen readMany(Runner runner, JsonNode step) {
        List<CosmosItemIdentity> wanted = new ArrayList<>();
        for (JsonNode pair : step.get("ids")) {
            PartitionKey key = keyOf(runner, Main.JSON.createObjectNode().set("key", pair.get(1)));
            wanted.add(new CosmosItemIdentity(key, pair.get(0).asText()));
        }
        Seen seen = new Seen();
        seen.add(runner.container.readMany(wanted, JsonNode.class).block());
        return seen;
    }

    static Seen deletePartition(Runner runner, JsonNode step) {
        CosmosItemRequestOptions options = new CosmosItemRequestOptions();
        return Seen.of(runner.container.deleteAllItemsByPartitionKey(keyOf(runner, step), options).block());
    }

    /** The key of a step, or that of its item. */
    static PartitionKey keyOf(Runner runner, JsonNode step) {
        List<JsonNode> values = new ArrayList<>();
        if (step.has("key")) {
            step.get("key").forEach(values::add);
        } else {
            runner.paths.forEach(path -> values.add(step.get("item").path(path)));
        }
        boolean undefined = values.size() == 1 && (values.get(0).isMissingNode() || values.get(0).isObject());
        if (undefined) {
            return PartitionKey.NONE;
        }
        PartitionKeyBuilder key = new PartitionKeyBuilder();
        for (JsonNode value : values) {
            if (value.isTextual()) {
                key.add(value.asText());
            } else if (value.isNumber()) {
                key.add(value.asDouble());
            } else if (value.isBoolean()) {
                key.add(value.asBoolean());
            } else if (value.isNull()) {
                key.addNullValue();
            } else {
                key.addNoneValue();
            }
        }
        return key.build();
    }
}
