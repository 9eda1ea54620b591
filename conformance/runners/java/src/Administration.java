import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.CompositePath;
import com.azure.cosmos.models.CompositePathSortOrder;
import com.azure.cosmos.models.ComputedProperty;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosContainerResponse;
import com.azure.cosmos.models.CosmosDatabaseProperties;
import com.azure.cosmos.models.CosmosDatabaseResponse;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.ExcludedPath;
import com.azure.cosmos.models.IncludedPath;
import com.azure.cosmos.models.IndexingMode;
import com.azure.cosmos.models.IndexingPolicy;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.PartitionKeyDefinitionVersion;
import com.azure.cosmos.models.PartitionKind;
import com.azure.cosmos.models.ThroughputProperties;
import com.azure.cosmos.models.ThroughputResponse;
import com.azure.cosmos.models.UniqueKey;
import com.azure.cosmos.models.UniqueKeyPolicy;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Databases, containers and throughput in the words of this library. */
final class Administration {
    private Administration() {
    }

    static Seen say(Runner runner, String verb, JsonNode step) {
        String database = step.path("database").asText();
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions();
        return switch (verb) {
            case "read_container" -> described(runner.container.read().block());
            case "delete_container" -> {
                runner.container.delete().block();
                yield new Seen();
            }
            case "create_container" -> {
                String id = step.path("id").asText(runner.container.getId());
                createContainer(runner.database, id, step.get("container"));
                yield new Seen();
            }
            case "replace_container" -> {
                // This library replaces what it has read.
                CosmosContainerProperties found = runner.container.read().block().getProperties();
                yield described(runner.container.replace(filled(found, step.get("container"))).block());
            }
            case "list_containers" -> named(runner.database.readAllContainers().map(CosmosContainerProperties::getId));
            case "query_containers" -> named(
                runner.database.queryContainers(Feeds.asked(step), options).map(CosmosContainerProperties::getId));
            case "list_databases" -> named(runner.client.readAllDatabases().map(CosmosDatabaseProperties::getId));
            case "query_databases" -> named(
                runner.client.queryDatabases(Feeds.asked(step), options).map(CosmosDatabaseProperties::getId));
            case "create_database" -> described(step.has("throughput")
                ? runner.client.createDatabase(database, throughput(step.get("throughput"))).block()
                : runner.client.createDatabase(database).block());
            case "read_database" -> described(runner.client.getDatabase(database).read().block());
            case "delete_database" -> {
                runner.client.getDatabase(database).delete().block();
                yield new Seen();
            }
            case "read_throughput" -> described((step.has("database")
                ? runner.client.getDatabase(database).readThroughput()
                : runner.container.readThroughput()).block());
            case "replace_throughput" -> {
                ThroughputProperties wish = throughput(step.get("throughput"));
                Mono<ThroughputResponse> answer = step.has("database")
                    ? runner.client.getDatabase(database).replaceThroughput(wish)
                    : runner.container.replaceThroughput(wish);
                yield described(answer.block());
            }
            default -> throw new Unseen("the runner has no verb " + verb);
        };
    }

    private static Seen named(Flux<String> ids) {
        return Seen.named(ids.collectList().block());
    }

    static void createContainer(CosmosAsyncDatabase database, String id, JsonNode wish) {
        CosmosContainerProperties properties = properties(id, wish);
        if (wish.has("throughput")) {
            database.createContainer(properties, throughput(wish.get("throughput"))).block();
        } else {
            database.createContainer(properties).block();
        }
    }

    private static ThroughputProperties throughput(JsonNode wish) {
        return wish.isObject()
            ? ThroughputProperties.createAutoscaledThroughput(wish.get("max").asInt())
            : ThroughputProperties.createManualThroughput(wish.asInt());
    }

    private static CosmosContainerProperties properties(String id, JsonNode wish) {
        return filled(new CosmosContainerProperties(id, definition(wish.get("partitionKey"))), wish);
    }

    private static PartitionKeyDefinition definition(JsonNode key) {
        PartitionKeyDefinition definition = new PartitionKeyDefinition();
        definition.setPaths(Items.texts(key.get("paths")));
        boolean hierarchical = key.get("kind").asText().equals("MultiHash");
        definition.setKind(hierarchical ? PartitionKind.MULTI_HASH : PartitionKind.HASH);
        boolean second = key.path("version").asInt() == 2;
        definition.setVersion(second ? PartitionKeyDefinitionVersion.V2 : PartitionKeyDefinitionVersion.V1);
        return definition;
    }

    private static CosmosContainerProperties filled(CosmosContainerProperties properties, JsonNode wish) {
        properties.setPartitionKeyDefinition(definition(wish.get("partitionKey")));
        boolean ends = wish.has("defaultTtl");
        properties.setDefaultTimeToLiveInSeconds(ends ? wish.get("defaultTtl").asInt() : null);
        if (wish.has("uniqueKeyPolicy")) {
            List<UniqueKey> keys = new ArrayList<>();
            wish.get("uniqueKeyPolicy").get("uniqueKeys")
                .forEach(one -> keys.add(new UniqueKey(Items.texts(one.get("paths")))));
            properties.setUniqueKeyPolicy(new UniqueKeyPolicy().setUniqueKeys(keys));
        }
        if (wish.has("computedProperties")) {
            Collection<ComputedProperty> computed = new ArrayList<>();
            wish.get("computedProperties").forEach(
                one -> computed.add(new ComputedProperty(one.get("name").asText(), one.get("query").asText())));
            properties.setComputedProperties(computed);
        }
        if (wish.has("changeFeedPolicy")) {
            // This library writes the time in minutes; the scenarios only need that there is one.
            Duration retention = Duration.ofMinutes(10);
            properties.setChangeFeedPolicy(ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(retention));
        }
        if (wish.has("indexingPolicy")) {
            properties.setIndexingPolicy(indexing(wish.get("indexingPolicy")));
        }
        return properties;
    }

    private static IndexingPolicy indexing(JsonNode wish) {
        IndexingPolicy policy = new IndexingPolicy();
        policy.setIndexingMode(IndexingMode.valueOf(wish.get("indexingMode").asText().toUpperCase()));
        policy.setAutomatic(wish.path("automatic").asBoolean(true));
        List<IncludedPath> included = new ArrayList<>();
        wish.path("includedPaths").forEach(one -> included.add(new IncludedPath(one.get("path").asText())));
        policy.setIncludedPaths(included);
        List<ExcludedPath> excluded = new ArrayList<>();
        wish.path("excludedPaths").forEach(one -> excluded.add(new ExcludedPath(one.get("path").asText())));
        policy.setExcludedPaths(excluded);
        List<List<CompositePath>> composites = new ArrayList<>();
        for (JsonNode several : wish.path("compositeIndexes")) {
            List<CompositePath> composite = new ArrayList<>();
            several.forEach(one -> composite.add(new CompositePath().setPath(one.get("path").asText())
                .setOrder(CompositePathSortOrder.valueOf(one.get("order").asText().toUpperCase()))));
            composites.add(composite);
        }
        if (!composites.isEmpty()) {
            policy.setCompositeIndexes(composites);
        }
        return policy;
    }

    private static Seen described(CosmosDatabaseResponse answer) {
        Seen seen = Seen.of(Main.JSON.createObjectNode().put("id", answer.getProperties().getId()));
        seen.status = answer.getStatusCode();
        seen.etag = answer.getProperties().getETag();
        seen.charge = answer.getRequestCharge();
        return seen;
    }

    private static Seen described(ThroughputResponse answer) {
        ObjectNode value = Main.JSON.createObjectNode();
        Integer most = answer.getProperties() == null ? null : answer.getProperties().getAutoscaleMaxThroughput();
        if (most != null && most > 0) {
            value.put("autoscale", most);
        } else if (answer.getProperties() != null) {
            value.put("throughput", answer.getProperties().getManualThroughput());
        }
        value.put("minimum", answer.getMinThroughput());
        return Seen.of(value);
    }

    /** The properties as this library types them, written as the other libraries show them. */
    private static Seen described(CosmosContainerResponse answer) {
        CosmosContainerProperties found = answer.getProperties();
        ObjectNode value = Main.JSON.createObjectNode().put("id", found.getId());
        PartitionKeyDefinition definition = found.getPartitionKeyDefinition();
        ObjectNode key = value.putObject("partitionKey");
        definition.getPaths().forEach(key.putArray("paths")::add);
        key.put("kind", definition.getKind().toString());
        if (definition.getVersion() != null) {
            key.put("version", definition.getVersion() == PartitionKeyDefinitionVersion.V2 ? 2 : 1);
        }
        if (found.getDefaultTimeToLiveInSeconds() != null) {
            value.put("defaultTtl", found.getDefaultTimeToLiveInSeconds());
        }
        ArrayNode unique = value.putObject("uniqueKeyPolicy").putArray("uniqueKeys");
        for (UniqueKey one : found.getUniqueKeyPolicy().getUniqueKeys()) {
            one.getPaths().forEach(unique.addObject().putArray("paths")::add);
        }
        ArrayNode computed = value.putArray("computedProperties");
        for (ComputedProperty one : found.getComputedProperties()) {
            computed.addObject().put("name", one.getName()).put("query", one.getQuery());
        }
        ObjectNode policy = value.putObject("indexingPolicy");
        policy.put("indexingMode", found.getIndexingPolicy().getIndexingMode().toString().toLowerCase());
        policy.put("automatic", found.getIndexingPolicy().isAutomatic());
        ArrayNode included = policy.putArray("includedPaths");
        found.getIndexingPolicy().getIncludedPaths().forEach(one -> included.addObject().put("path", one.getPath()));
        ArrayNode excluded = policy.putArray("excludedPaths");
        found.getIndexingPolicy().getExcludedPaths().forEach(one -> excluded.addObject().put("path", one.getPath()));
        Seen seen = Seen.of(value);
        seen.status = answer.getStatusCode();
        seen.etag = found.getETag();
        seen.charge = answer.getRequestCharge();
        return seen;
    }
}
