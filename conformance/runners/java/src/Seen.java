import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.FeedResponse;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What came back of one step. */
final class Seen {
    int status;
    JsonNode value;
    String etag;
    String session;
    double charge;
    final List<JsonNode> rows = new ArrayList<>();
    int pages;
    final List<Integer> results = new ArrayList<>();
    String continuation;
    boolean queryMetrics;
    boolean indexMetrics;

    static Seen of(JsonNode value) {
        Seen seen = new Seen();
        seen.value = value;
        return seen;
    }

    /** An answer about one item; its content is empty when none was wanted or nothing changed. */
    static Seen of(CosmosItemResponse<?> answer) {
        Seen seen = new Seen();
        seen.status = answer.getStatusCode();
        seen.value = answer.getItem() instanceof JsonNode item ? item : null;
        seen.etag = answer.getETag();
        seen.session = answer.getSessionToken();
        seen.charge = answer.getRequestCharge();
        return seen;
    }

    void add(FeedResponse<JsonNode> page) {
        pages++;
        rows.addAll(page.getResults());
        charge += page.getRequestCharge();
        session = page.getSessionToken();
        continuation = page.getContinuationToken();
    }

    static Seen named(Iterable<String> ids) {
        Seen seen = new Seen();
        ids.forEach(id -> seen.rows.add(Main.JSON.createObjectNode().put("id", id)));
        return seen;
    }
}
