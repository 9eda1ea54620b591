import com.azure.core.credential.AccessToken;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;

/** One account, one database and the container of the running scenario; steps in order, saved values put back. */
final class Runner {
    final String endpoint;
    final String key;
    final CosmosAsyncClient client;
    final String databaseId;
    final CosmosAsyncDatabase database;
    /** The container, as the client of the running step sees it. */
    CosmosAsyncContainer container;
    List<String> paths = List.of();
    private final Map<String, JsonNode> saved = new HashMap<>();
    private int made;

    Runner(String endpoint, String key) {
        this.endpoint = endpoint;
        this.key = key;
        client = builder().key(key).buildAsyncClient();
        databaseId = "conf-java-" + ProcessHandle.current().pid();
        client.createDatabase(databaseId).block();
        database = client.getDatabase(databaseId);
    }

    CosmosClientBuilder builder() {
        return new CosmosClientBuilder().endpoint(endpoint).gatewayMode().contentResponseOnWriteEnabled(true);
    }

    void leave() {
        database.delete().block();
        client.close();
    }

    void setUp(JsonNode setup) {
        made++;
        String id = "c-" + made;
        saved.clear();
        saved.put("container", new TextNode(id));
        saved.put("database", new TextNode(databaseId));
        JsonNode wish = setup.get("container");
        paths = new ArrayList<>();
        wish.get("partitionKey").get("paths").forEach(path -> paths.add(path.asText().replaceAll("^/|/$", "")));
        Administration.createContainer(database, id, wish);
        container = database.getContainer(id);
        for (JsonNode item : setup.path("items")) {
            JsonNode step = Main.JSON.createObjectNode().set("item", item);
            container.createItem(item, Items.keyOf(this, step), null).block();
        }
    }

    void run(JsonNode scenario) {
        int number = 0;
        for (JsonNode step : scenario.get("steps")) {
            number++;
            try {
                runStep(filled(step));
            } catch (Unsupported gap) {
                throw gap;
            } catch (RuntimeException other) {
                throw new Unseen("step " + number + ": " + other.getMessage());
            }
        }
    }

    private void runStep(JsonNode step) {
        String verb = step.get("do").asText();
        JsonNode see = step.path("see");
        Seen seen;
        try {
            seen = step.has("as") ? sayAs(step.get("as"), verb, step) : say(verb, step);
        } catch (CosmosException failure) {
            Check.failure(verb, see, failure);
            return;
        } catch (IllegalArgumentException | IllegalStateException | NullPointerException refused) {
            if (see.has("fails")) {
                throw new Unsupported("this library refuses it before asking: " + refused.getMessage());
            }
            throw refused;
        }
        if (see.has("fails")) {
            throw new Unseen(verb + " succeeded, and should fail with " + see.get("fails"));
        }
        Check.success(verb, see, seen);
        step.path("save").fields().forEachRemaining(entry -> keep(entry.getKey(), entry.getValue().asText(), seen));
    }

    private void keep(String name, String what, Seen seen) {
        if (what.equals("time")) {
            saved.put(name, seen.value.get("_ts"));
            return;
        }
        String kept = switch (what) {
            case "etag" -> seen.etag;
            case "session" -> seen.session;
            case "continuation" -> seen.continuation;
            case "token" -> seen.value.path("_token").asText(null);
            default -> throw new Unseen("the runner cannot keep " + what);
        };
        if (kept == null) {
            throw new Unseen("saw no " + what);
        }
        saved.put(name, new TextNode(kept));
    }

    /** Does one step as somebody else: with a resource token or a bearer token. */
    private Seen sayAs(JsonNode who, String verb, JsonNode step) {
        CosmosClientBuilder other = builder();
        if (who.has("token")) {
            other.resourceToken(who.get("token").asText());
        } else {
            String token = fakeToken(who.path("key").asText(key));
            other.credential(context -> Mono.just(new AccessToken(token, OffsetDateTime.now().plusHours(1))));
        }
        CosmosAsyncContainer own = container;
        try (CosmosAsyncClient theirs = other.buildAsyncClient()) {
            container = theirs.getDatabase(databaseId).getContainer(own.getId());
            return say(verb, step);
        } catch (CosmosException failure) {
            throw failure;
        } catch (RuntimeException refused) {
            // A client that may not begin says so in words of its own.
            throw refused.getCause() instanceof CosmosException cause ? cause : refused;
        } finally {
            container = own;
        }
    }

    /** The bearer token the emulators take: its signature is the account key. */
    static String fakeToken(String key) {
        long now = System.currentTimeMillis() / 1000;
        String head = "{\"typ\":\"JWT\",\"alg\":\"RS256\",\"x5t\":\"CosmosEmulatorPrimaryMaster\","
            + "\"kid\":\"CosmosEmulatorPrimaryMaster\"}";
        String claims = "{\"appid\":\"localhost\",\"aud\":\"https://localhost.localhost\",\"tid\":\"EmulatorFederation\","
            + "\"iss\":\"https://sts.fake-issuer.net/7b1999a1-dfd7-440e-8204-00170979b984\","
            + "\"nbf\":" + now + ",\"iat\":" + now + ",\"exp\":" + (now + 3600) + "}";
        return encoded(head) + "." + encoded(claims) + "." + encoded(key);
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private Seen say(String verb, JsonNode step) {
        return switch (verb) {
            case "create", "upsert", "replace", "read", "delete", "patch" -> Items.point(this, verb, step);
            case "batch" -> Items.batch(this, step);
            case "bulk" -> Items.bulk(this, step);
            case "read_many" -> Items.readMany(this, step);
            case "delete_partition" -> Items.deletePartition(this, step);
            case "query" -> Feeds.query(this, step);
            case "change_feed" -> Feeds.changeFeed(this, step);
            case "feed_ranges" -> Feeds.ranges(this);
            case "list" -> throw new Unsupported("this library lists the items of one partition key only");
            case "account" -> throw new Unsupported("this library does not show the account");
            case "advance_clock" -> control("advance-clock", Main.JSON.createObjectNode()
                .set("seconds", step.get("seconds")));
            case "split_partition" -> controlContainer("split-partition");
            case "enforce_throughput" -> controlContainer("enforce-throughput");
            case "inject_faults" -> control("faults", step.get("rules"));
            case "was_throttled" -> controlContainer("was-throttled");
            case "execute", "create_resource", "upsert_resource", "read_resource", "replace_resource",
                "delete_resource", "list_resources", "query_resources" -> Resources.say(this, verb, step);
            default -> Administration.say(this, verb, step);
        };
    }

    Seen controlContainer(String path) {
        ObjectNode body = Main.JSON.createObjectNode();
        return control(path, body.put("database", databaseId).put("container", container.getId()));
    }

    /** Speaks to the test control of the server, which no library knows. */
    private Seen control(String path, JsonNode body) {
        URI uri = URI.create(endpoint.replaceAll("/$", "") + "/_planisphere/test/" + path);
        HttpRequest request = HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1)
            .POST(HttpRequest.BodyPublishers.ofString(body.toString())).build();
        try {
            HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new Unseen("the test control answered " + answer.statusCode() + " " + answer.body());
            }
        } catch (java.io.IOException | InterruptedException error) {
            throw new Unseen("the test control: " + error);
        }
        return new Seen();
    }

    private JsonNode filled(JsonNode value) {
        if (value.isTextual() && value.asText().startsWith("$")) {
            String name = value.asText().substring(1);
            if (name.matches("x\\d+")) {
                return new TextNode("x".repeat(Integer.parseInt(name.substring(1))));
            }
            return saved.getOrDefault(name, value);
        }
        if (value.isArray()) {
            ArrayNode filled = Main.JSON.createArrayNode();
            value.forEach(inner -> filled.add(filled(inner)));
            return filled;
        }
        if (value.isObject()) {
            ObjectNode filled = Main.JSON.createObjectNode();
            value.fields().forEachRemaining(entry -> filled.set(entry.getKey(), filled(entry.getValue())));
            return filled;
        }
        return value;
    }
}
