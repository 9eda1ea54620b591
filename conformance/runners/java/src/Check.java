import com.azure.cosmos.CosmosException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Judges what was seen against what must be seen. */
final class Check {
    private Check() {
    }

    static void failure(String verb, JsonNode see, CosmosException error) {
        String text = error.getStatusCode() + "/" + error.getSubStatusCode() + " " + error.getShortMessage();
        if (!see.has("fails")) {
            throw new Unseen(verb + " failed: " + text);
        }
        JsonNode wanted = see.get("fails");
        if (wanted.get("status").asInt() != error.getStatusCode()) {
            throw new Unseen(verb + " failed with " + text + ", not " + wanted);
        }
        if (wanted.has("substatus") && wanted.get("substatus").asInt() != error.getSubStatusCode()) {
            throw new Unseen(verb + " failed with sub-status " + error.getSubStatusCode() + ", not " + wanted);
        }
        if (wanted.has("message") && !error.getMessage().contains(wanted.get("message").asText())) {
            throw new Unseen(verb + " failed with " + text + ", not " + wanted);
        }
    }

    static void success(String verb, JsonNode see, Seen seen) {
        for (Iterator<Map.Entry<String, JsonNode>> all = see.fields(); all.hasNext();) {
            Map.Entry<String, JsonNode> one = all.next();
            if (!holds(one.getKey(), one.getValue(), seen)) {
                String rows = seen.rows.toString();
                throw new Unseen(verb + ": `" + one.getKey() + "` should be " + one.getValue() + "; saw status "
                    + seen.status + ", value " + seen.value + ", rows "
                    + rows.substring(0, Math.min(300, rows.length())) + ", results " + seen.results);
            }
        }
    }

    private static boolean holds(String name, JsonNode wanted, Seen seen) {
        return switch (name) {
            case "status" -> seen.status == 0 || seen.status == wanted.asInt();
            case "body" -> covers(seen.value, wanted);
            case "absent" -> Items.texts(wanted).stream().noneMatch(member ->
                seen.value != null && seen.value.has(member) || seen.rows.stream().anyMatch(row -> row.has(member)));
            case "empty", "unchanged" -> seen.value == null;
            case "throughput", "autoscale" -> same(seen.value.path(name), wanted);
            case "charge" -> seen.charge > 0;
            case "etag" -> seen.etag != null;
            case "session" -> seen.session != null;
            case "query_metrics" -> seen.queryMetrics;
            case "index_metrics" -> seen.indexMetrics;
            case "rows" -> sameInOrder(plain(seen.rows), plain(wanted));
            case "set" -> sameSet(plain(seen.rows), plain(wanted));
            case "has" -> {
                boolean fits = seen.rows.size() == wanted.size();
                for (int at = 0; fits && at < wanted.size(); at++) {
                    fits = covers(seen.rows.get(at), wanted.get(at));
                }
                yield fits;
            }
            case "includes" -> seen.rows.stream().anyMatch(row -> row.path("id").equals(wanted));
            case "count" -> seen.rows.size() == wanted.asInt();
            case "pages_min" -> seen.pages >= wanted.asInt();
            case "results" -> {
                boolean fits = seen.results.size() == wanted.size();
                for (int at = 0; fits && at < wanted.size(); at++) {
                    fits = seen.results.get(at) != null && seen.results.get(at) == wanted.get(at).asInt();
                }
                yield fits;
            }
            default -> false;
        };
    }

    /** Rows without the members of the service. */
    private static List<JsonNode> plain(Iterable<JsonNode> rows) {
        List<JsonNode> plain = new ArrayList<>();
        for (JsonNode row : rows) {
            if (row instanceof ObjectNode members) {
                ObjectNode kept = members.deepCopy();
                members.fieldNames().forEachRemaining(name -> {
                    if (name.startsWith("_")) {
                        kept.remove(name);
                    }
                });
                plain.add(kept);
            } else {
                plain.add(row);
            }
        }
        return plain;
    }

    private static boolean sameInOrder(List<JsonNode> found, List<JsonNode> wanted) {
        boolean fits = found.size() == wanted.size();
        for (int at = 0; fits && at < wanted.size(); at++) {
            fits = same(found.get(at), wanted.get(at));
        }
        return fits;
    }

    private static boolean sameSet(List<JsonNode> found, List<JsonNode> wanted) {
        List<JsonNode> open = new ArrayList<>(wanted);
        for (JsonNode row : found) {
            int place = 0;
            while (place < open.size() && !same(row, open.get(place))) {
                place++;
            }
            if (place == open.size()) {
                return false;
            }
            open.remove(place);
        }
        return open.isEmpty();
    }

    /** Equal, where 1 and 1.0 are one number. */
    private static boolean same(JsonNode found, JsonNode wanted) {
        return found.equals(Check::order, wanted);
    }

    private static int order(JsonNode one, JsonNode other) {
        boolean numbers = one.isNumber() && other.isNumber();
        boolean equal = numbers ? one.doubleValue() == other.doubleValue() : one.equals(other);
        return equal ? 0 : 1;
    }

    private static boolean covers(JsonNode found, JsonNode wanted) {
        if (!(wanted instanceof ObjectNode)) {
            return found != null && same(found, wanted);
        }
        if (!(found instanceof ObjectNode)) {
            return false;
        }
        for (Iterator<Map.Entry<String, JsonNode>> all = wanted.fields(); all.hasNext();) {
            Map.Entry<String, JsonNode> one = all.next();
            if (!found.has(one.getKey()) || !covers(found.get(one.getKey()), one.getValue())) {
                return false;
            }
        }
        return true;
    }
}
