import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosAsyncScripts;
import com.azure.cosmos.CosmosAsyncUser;
import com.azure.cosmos.models.CosmosClientEncryptionKeyProperties;
import com.azure.cosmos.models.CosmosPermissionProperties;
import com.azure.cosmos.models.CosmosPermissionRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosStoredProcedureRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureResponse;
import com.azure.cosmos.models.CosmosTriggerProperties;
import com.azure.cosmos.models.CosmosUserDefinedFunctionProperties;
import com.azure.cosmos.models.CosmosUserProperties;
import com.azure.cosmos.models.EncryptionKeyWrapMetadata;
import com.azure.cosmos.models.PermissionMode;
import com.azure.cosmos.models.SqlQuerySpec;
import com.azure.cosmos.models.TriggerOperation;
import com.azure.cosmos.models.TriggerType;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import reactor.core.publisher.Flux;

/** Users, permissions, scripts and client encryption keys in the words of this library. */
final class Resources {
    private Resources() {
    }

    static Seen say(Runner runner, String verb, JsonNode step) {
        if (verb.equals("execute")) {
            List<Object> arguments = new ArrayList<>();
            step.path("arguments").forEach(arguments::add);
            CosmosStoredProcedureRequestOptions options = new CosmosStoredProcedureRequestOptions();
            options.setPartitionKey(Items.keyOf(runner, step));
            CosmosStoredProcedureResponse answer = runner.container.getScripts()
                .getStoredProcedure(step.get("id").asText()).execute(arguments, options).block();
            Seen seen = Seen.of(parsed(answer.getResponseAsString()));
            seen.status = answer.getStatusCode();
            seen.charge = answer.getRequestCharge();
            return seen;
        }
        String kind = step.get("kind").asText();
        return switch (kind) {
            case "user" -> user(runner.database, verb, step);
            case "permission" -> permission(runner, verb, step);
            case "client_encryption_key" -> key(runner.database, verb, step);
            case "stored_procedure" -> procedure(runner.container.getScripts(), verb, step);
            case "trigger" -> trigger(runner.container.getScripts(), verb, step);
            case "user_defined_function" -> function(runner.container.getScripts(), verb, step);
            default -> throw new Unseen("the runner knows no " + kind);
        };
    }

    private static JsonNode parsed(String text) {
        try {
            return Main.JSON.readTree(text);
        } catch (JsonProcessingException error) {
            throw new Unseen("the response of a script is not JSON: " + text);
        }
    }

    private static Unsupported gap(String verb, String what) {
        return new Unsupported("this library has no " + verb.replaceAll("_resources?", "") + " of " + what);
    }

    private static String id(JsonNode step) {
        return step.get("id").asText();
    }

    private static SqlQuerySpec asked(JsonNode step) {
        return Feeds.asked(step);
    }

    private static Seen named(Flux<String> ids) {
        return Seen.named(ids.collectList().block());
    }

    private static Seen shown(String id, String etag) {
        Seen seen = Seen.of(Main.JSON.createObjectNode().put("id", id));
        seen.etag = etag;
        return seen;
    }

    private static Seen script(String id, String etag, String body) {
        Seen seen = shown(id, etag);
        ((ObjectNode) seen.value).put("body", body);
        return seen;
    }

    private static Seen user(CosmosAsyncDatabase database, String verb, JsonNode step) {
        CosmosUserProperties wish = new CosmosUserProperties().setId(step.path("body").path("id").asText());
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions();
        CosmosUserProperties found = switch (verb) {
            case "create_resource" -> database.createUser(wish).block().getProperties();
            case "upsert_resource" -> database.upsertUser(wish).block().getProperties();
            case "read_resource" -> database.getUser(id(step)).read().block().getProperties();
            case "replace_resource" -> {
                // This library replaces what it has read, here and below.
                CosmosUserProperties read = database.getUser(id(step)).read().block().getProperties();
                yield database.getUser(id(step)).replace(read.setId(wish.getId())).block().getProperties();
            }
            case "delete_resource" -> database.getUser(id(step)).delete().block().getProperties();
            default -> null;
        };
        return switch (verb) {
            case "list_resources" -> named(database.readAllUsers().map(CosmosUserProperties::getId));
            case "query_resources" -> named(
                database.queryUsers(asked(step), options).map(CosmosUserProperties::getId));
            default -> found == null ? new Seen() : shown(found.getId(), found.getETag());
        };
    }

    private static Seen permission(Runner runner, String verb, JsonNode step) {
        CosmosAsyncUser user = runner.database.getUser(step.get("of").asText());
        CosmosPermissionRequestOptions options = new CosmosPermissionRequestOptions();
        CosmosPermissionProperties wish = new CosmosPermissionProperties();
        JsonNode body = step.path("body");
        if (step.has("expiry")) {
            throw new Unsupported("this library cannot say how long a token lives");
        }
        if (step.has("body")) {
            if (body.has("resource")) {
                throw new Unsupported("this library names the resource of a permission by the id of a container only");
            }
            wish.setId(body.get("id").asText()).setContainerName(runner.container.getId());
            wish.setPermissionMode(PermissionMode.valueOf(body.get("permissionMode").asText().toUpperCase()));
        }
        if (body.has("partition")) {
            wish.setResourcePartitionKey(
                Items.keyOf(runner, Main.JSON.createObjectNode().set("key", body.get("partition"))));
        }
        CosmosPermissionProperties found = switch (verb) {
            case "create_resource" -> user.createPermission(wish, options).block().getProperties();
            case "upsert_resource" -> user.upsertPermission(wish, options).block().getProperties();
            case "read_resource" -> user.getPermission(id(step)).read(options).block().getProperties();
            case "replace_resource" -> {
                CosmosPermissionProperties read =
                    user.getPermission(id(step)).read(options).block().getProperties();
                read.setId(wish.getId()).setPermissionMode(wish.getPermissionMode());
                yield user.getPermission(id(step)).replace(read, options).block().getProperties();
            }
            case "delete_resource" -> user.getPermission(id(step)).delete(options).block().getProperties();
            default -> null;
        };
        if (verb.equals("list_resources")) {
            return named(user.readAllPermissions().map(CosmosPermissionProperties::getId));
        }
        if (verb.equals("query_resources")) {
            if (step.has("parameters")) {
                throw new Unsupported("this library queries permissions without parameters");
            }
            return named(user.queryPermissions(step.get("text").asText()).map(CosmosPermissionProperties::getId));
        }
        if (found == null) {
            return new Seen();
        }
        Seen seen = shown(found.getId(), found.getETag());
        String mode = found.getPermissionMode() == PermissionMode.ALL ? "All" : "Read";
        ((ObjectNode) seen.value).put("permissionMode", mode).put("_token", found.getToken());
        return seen;
    }

    private static Seen key(CosmosAsyncDatabase database, String verb, JsonNode step) {
        CosmosClientEncryptionKeyProperties wish = null;
        if (step.has("body")) {
            JsonNode body = step.get("body");
            JsonNode wrap = body.get("keyWrapMetadata");
            wish = new CosmosClientEncryptionKeyProperties(body.get("id").asText(),
                body.get("encryptionAlgorithm").asText(),
                Base64.getDecoder().decode(body.get("wrappedDataEncryptionKey").asText()),
                new EncryptionKeyWrapMetadata(wrap.get("type").asText(), wrap.get("name").asText(),
                    wrap.get("value").asText(), wrap.get("algorithm").asText()));
        }
        CosmosClientEncryptionKeyProperties found = switch (verb) {
            case "create_resource" -> database.createClientEncryptionKey(wish).block().getProperties();
            case "read_resource" -> database.getClientEncryptionKey(id(step)).read().block().getProperties();
            case "replace_resource" -> database.getClientEncryptionKey(id(step)).replace(wish).block().getProperties();
            case "upsert_resource", "delete_resource" -> throw gap(verb, "client encryption keys");
            default -> null;
        };
        if (verb.equals("list_resources")) {
            return named(database.readAllClientEncryptionKeys().map(CosmosClientEncryptionKeyProperties::getId));
        }
        if (verb.equals("query_resources")) {
            return named(database.queryClientEncryptionKeys(asked(step))
                .map(CosmosClientEncryptionKeyProperties::getId));
        }
        Seen seen = shown(found.getId(), found.getETag());
        ((ObjectNode) seen.value).put("encryptionAlgorithm", found.getEncryptionAlgorithm())
            .put("wrappedDataEncryptionKey", Base64.getEncoder().encodeToString(found.getWrappedDataEncryptionKey()))
            .putObject("keyWrapMetadata").put("value", found.getEncryptionKeyWrapMetadata().getValue());
        return seen;
    }

    private static Seen procedure(CosmosAsyncScripts scripts, String verb, JsonNode step) {
        JsonNode body = step.path("body");
        CosmosStoredProcedureProperties wish =
            new CosmosStoredProcedureProperties(body.path("id").asText("-"), body.path("body").asText("-"));
        CosmosStoredProcedureProperties found = switch (verb) {
            case "create_resource" -> scripts.createStoredProcedure(wish).block().getProperties();
            case "read_resource" -> scripts.getStoredProcedure(id(step)).read().block().getProperties();
            case "replace_resource" -> {
                CosmosStoredProcedureProperties read =
                    scripts.getStoredProcedure(id(step)).read().block().getProperties();
                read.setId(wish.getId()).setBody(wish.getBody());
                yield scripts.getStoredProcedure(id(step)).replace(read).block().getProperties();
            }
            case "delete_resource" -> scripts.getStoredProcedure(id(step)).delete().block().getProperties();
            case "upsert_resource" -> throw gap(verb, "scripts");
            default -> null;
        };
        return switch (verb) {
            case "list_resources" -> named(
                scripts.readAllStoredProcedures().map(CosmosStoredProcedureProperties::getId));
            case "query_resources" -> named(
                scripts.queryStoredProcedures(asked(step), new CosmosQueryRequestOptions())
                    .map(CosmosStoredProcedureProperties::getId));
            default -> found == null ? new Seen() : script(found.getId(), found.getETag(), found.getBody());
        };
    }

    private static Seen function(CosmosAsyncScripts scripts, String verb, JsonNode step) {
        JsonNode body = step.path("body");
        CosmosUserDefinedFunctionProperties wish =
            new CosmosUserDefinedFunctionProperties(body.path("id").asText("-"), body.path("body").asText("-"));
        CosmosUserDefinedFunctionProperties found = switch (verb) {
            case "create_resource" -> scripts.createUserDefinedFunction(wish).block().getProperties();
            case "read_resource" -> scripts.getUserDefinedFunction(id(step)).read().block().getProperties();
            case "replace_resource" -> {
                CosmosUserDefinedFunctionProperties read =
                    scripts.getUserDefinedFunction(id(step)).read().block().getProperties();
                read.setId(wish.getId()).setBody(wish.getBody());
                yield scripts.getUserDefinedFunction(id(step)).replace(read).block().getProperties();
            }
            case "delete_resource" -> scripts.getUserDefinedFunction(id(step)).delete().block().getProperties();
            case "upsert_resource" -> throw gap(verb, "scripts");
            default -> null;
        };
        return switch (verb) {
            case "list_resources" -> named(
                scripts.readAllUserDefinedFunctions().map(CosmosUserDefinedFunctionProperties::getId));
            case "query_resources" -> named(
                scripts.queryUserDefinedFunctions(asked(step), new CosmosQueryRequestOptions())
                    .map(CosmosUserDefinedFunctionProperties::getId));
            default -> found == null ? new Seen() : script(found.getId(), found.getETag(), found.getBody());
        };
    }

    private static Seen trigger(CosmosAsyncScripts scripts, String verb, JsonNode step) {
        JsonNode body = step.path("body");
        CosmosTriggerProperties wish =
            new CosmosTriggerProperties(body.path("id").asText("-"), body.path("body").asText("-"));
        if (body.has("triggerType")) {
            wish.setTriggerType(TriggerType.valueOf(body.get("triggerType").asText().toUpperCase()));
            wish.setTriggerOperation(TriggerOperation.valueOf(body.get("triggerOperation").asText().toUpperCase()));
        }
        CosmosTriggerProperties found = switch (verb) {
            case "create_resource" -> scripts.createTrigger(wish).block().getProperties();
            case "read_resource" -> scripts.getTrigger(id(step)).read().block().getProperties();
            case "replace_resource" -> {
                CosmosTriggerProperties read = scripts.getTrigger(id(step)).read().block().getProperties();
                read.setId(wish.getId()).setBody(wish.getBody()).setTriggerType(wish.getTriggerType());
                read.setTriggerOperation(wish.getTriggerOperation());
                yield scripts.getTrigger(id(step)).replace(read).block().getProperties();
            }
            case "delete_resource" -> scripts.getTrigger(id(step)).delete().block().getProperties();
            case "upsert_resource" -> throw gap(verb, "scripts");
            default -> null;
        };
        if (verb.equals("list_resources")) {
            return named(scripts.readAllTriggers().map(CosmosTriggerProperties::getId));
        }
        if (verb.equals("query_resources")) {
            return named(scripts.queryTriggers(asked(step), new CosmosQueryRequestOptions())
                .map(CosmosTriggerProperties::getId));
        }
        if (found == null) {
            return new Seen();
        }
        Seen seen = script(found.getId(), found.getETag(), found.getBody());
        ((ObjectNode) seen.value).put("triggerType", found.getTriggerType().toString())
            .put("triggerOperation", found.getTriggerOperation().toString());
        return seen;
    }
}
