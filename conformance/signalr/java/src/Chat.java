// The scenarios of the chat with the official Java client: what people do, over its two transports in JSON.

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.signalr.HubConnection;
import com.microsoft.signalr.HubConnectionBuilder;
import com.microsoft.signalr.TransportEnum;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

final class Chat {
    private static final String ALICE = "alice@example.com";
    private static final String BOB = "bob@example.com";
    private static final String CHARLIE = "charlie@example.com";
    private static final Predicate<JsonElement> ANY = one -> true;

    private final String endpoint;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, String> sessions = new HashMap<>();

    Chat(String endpoint) {
        this.endpoint = endpoint;
    }

    void signsIn(TransportEnum transport) throws Exception {
        HubConnection connection = build(transport, session(ALICE));
        CompletableFuture<JsonElement> profile = next(connection, "getProfileInfo", ANY);
        CompletableFuture<JsonElement> present = next(connection, "presenceSnapshot", ANY);
        start(connection);
        Main.equal(text(Main.wait(profile), "userName"), ALICE);
        boolean isHere = false;
        for (JsonElement user : Main.wait(present).getAsJsonArray()) {
            isHere |= text(user, "userName").equals(ALICE) && text(user, "currentRoom").equals("general");
        }
        Main.equal(isHere, true);
        JsonObject health = Main.get(connection.invoke(JsonObject.class, "GetHealthStatus"));
        Main.equal(health.get("isHealthy").getAsBoolean(), true);
        refused(build(transport, null));
    }

    void talks(TransportEnum transport) throws Exception {
        HubConnection alice = enter(transport, ALICE);
        HubConnection bob = enter(transport, BOB);
        String correlation = "java " + transport;
        Predicate<JsonElement> mine = message -> correlation.equals(text(message, "correlationId"));
        CompletableFuture<JsonElement> toAlice = next(alice, "newMessage", mine);
        CompletableFuture<JsonElement> toBob = next(bob, "newMessage", mine);
        Main.await(alice, "SendMessage", "hello \u00e9 \uD83D\uDE00", correlation);
        JsonElement seen = Main.wait(toBob);
        Main.equal(Main.wait(toAlice), seen);
        Main.equal(text(seen, "content"), "hello \u00e9 \uD83D\uDE00");
        Main.equal(inHistory("general", mine), 1L);
        String id = text(seen, "id");
        CompletableFuture<JsonElement> read = next(alice, "messageRead", one -> id.equals(text(one, "id")));
        Main.await(bob, "MarkRead", id);
        Main.equal(Main.wait(read).getAsJsonObject().get("readers").toString(), "[\"" + BOB + "\"]");
        CompletableFuture<JsonElement> echo = next(alice, "newMessage", mine);
        Main.await(alice, "SendMessage", "hello \u00e9 \uD83D\uDE00", correlation);
        Main.equal(text(Main.wait(echo), "id"), id);
        Main.equal(inHistory("general", mine), 1L);
    }

    void changesRoom(TransportEnum transport) throws Exception {
        HubConnection alice = enter(transport, ALICE);
        Main.await(alice, "Join", "ops");
        CompletableFuture<JsonElement> refused = next(alice, "onError", ANY);
        Main.await(alice, "Join", "random");
        Main.equal(Main.wait(refused).getAsString(), "you are no member of the room 'random'");
        String content = "java in ops " + transport;
        CompletableFuture<JsonElement> seen =
                next(alice, "newMessage", one -> content.equals(text(one, "content")));
        Main.await(alice, "SendMessage", content, null);
        Main.equal(text(Main.wait(seen), "room"), "ops");
        HubConnection charlie = enter(transport, CHARLIE);
        CompletableFuture<JsonElement> denied = next(charlie, "onError", ANY);
        Main.equal(Main.get(charlie.invoke(JsonArray.class, "GetUsers", "ops")).size(), 0);
        Main.equal(Main.wait(denied).getAsString(), "you are no member of the room 'ops'");
        Main.equal(send("GET", "/api/messages/room/ops", null, session(CHARLIE)).statusCode(), 403);
    }

    void changes(TransportEnum transport) throws Exception {
        HubConnection alice = enter(transport, ALICE);
        HubConnection bob = enter(transport, BOB);
        CompletableFuture<JsonElement> typing = next(bob, "typing", one -> ALICE.equals(text(one, "userName")));
        Main.await(alice, "Typing", true);
        Main.equal(Main.wait(typing).getAsJsonObject().get("isTyping").getAsBoolean(), true);
        String content = "java helo " + transport;
        CompletableFuture<JsonElement> first =
                next(bob, "newMessage", one -> content.equals(text(one, "content")));
        Main.await(alice, "SendMessage", content, null);
        String id = text(Main.wait(first), "id");
        CompletableFuture<JsonElement> answer = next(alice, "newMessage", one -> id.equals(text(one, "replyTo")));
        Main.await(bob, "Reply", "what?", null, id);
        Main.equal(text(Main.wait(answer), "fromUserName"), BOB);
        CompletableFuture<JsonElement> changed = next(bob, "messageChanged", one -> id.equals(text(one, "id")));
        Main.await(alice, "EditMessage", id, "hello");
        Main.equal(text(Main.wait(changed), "content"), "hello");
        CompletableFuture<JsonElement> deleted = next(bob, "messageDeleted", one -> id.equals(text(one, "id")));
        Main.await(alice, "DeleteMessage", id);
        Main.equal(text(Main.wait(deleted), "room"), "general");
    }

    void signsOut(TransportEnum transport) throws Exception {
        String cookie = signIn(CHARLIE);
        HubConnection connection = build(transport, cookie);
        CompletableFuture<String> closed = Main.closed(connection);
        start(connection);
        Main.equal(send("POST", "/api/auth/logout", "{}", cookie).statusCode(), 200);
        Main.wait(closed);
        refused(build(transport, cookie));
    }

    /** What was sent while it was away is in the history of its room, and new messages come. */
    void comesBack(TransportEnum transport) throws Exception {
        HubConnection bob = enter(transport, BOB);
        HubConnection alice = enter(transport, ALICE);
        CompletableFuture<String> closed = Main.closed(bob);
        bob.stop().timeout(Main.PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        Main.wait(closed);
        String meanwhile = "java meanwhile " + transport;
        Main.await(alice, "SendMessage", meanwhile, null);
        HubConnection again = enter(transport, BOB);
        Main.equal(inHistory("general", one -> meanwhile.equals(text(one, "content"))), 1L);
        String after = "java after " + transport;
        CompletableFuture<JsonElement> seen = next(again, "newMessage", one -> after.equals(text(one, "content")));
        Main.await(alice, "SendMessage", after, null);
        Main.wait(seen);
    }

    private HubConnection enter(TransportEnum transport, String user) throws Exception {
        HubConnection connection = build(transport, session(user));
        start(connection);
        Main.get(connection.invoke(JsonObject.class, "Heartbeat"));
        return connection;
    }

    private HubConnection build(TransportEnum transport, String cookie) {
        var builder = HubConnectionBuilder.create(endpoint + "/chatHub").withTransport(transport);
        return (cookie == null ? builder : builder.withHeader("Cookie", cookie)).build();
    }

    private static void start(HubConnection connection) {
        connection.start().timeout(Main.PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
    }

    private static void refused(HubConnection connection) {
        try {
            start(connection);
        } catch (RuntimeException error) {
            Main.equal(String.valueOf(error).contains("401"), true);
            return;
        }
        throw new AssertionError("it was let in");
    }

    private static CompletableFuture<JsonElement> next(
            HubConnection connection, String event, Predicate<JsonElement> is) {
        CompletableFuture<JsonElement> found = new CompletableFuture<>();
        connection.on(event, argument -> {
            if (is.test(argument)) {
                found.complete(argument);
            }
        }, JsonElement.class);
        return found;
    }

    private long inHistory(String room, Predicate<JsonElement> is) throws Exception {
        String body = send("GET", "/api/messages/room/" + room + "?take=100", null, session(BOB)).body();
        long count = 0;
        for (JsonElement message : JsonParser.parseString(body).getAsJsonArray()) {
            count += is.test(message) ? 1 : 0;
        }
        return count;
    }

    private String session(String user) throws Exception {
        if (!sessions.containsKey(user)) {
            sessions.put(user, signIn(user));
        }
        return sessions.get(user);
    }

    private String signIn(String user) throws Exception {
        JsonObject asked = new JsonObject();
        asked.addProperty("userName", user);
        Main.equal(send("POST", "/api/auth/start", asked.toString(), null).statusCode(), 202);
        String path = "/control/code/" + URLEncoder.encode(user, StandardCharsets.UTF_8);
        String[] code = new String[1];
        Main.until(() -> {
            HttpResponse<String> shown = send("GET", path, null, null);
            if (shown.statusCode() == 200) {
                code[0] = text(JsonParser.parseString(shown.body()), "code");
            }
            return code[0] != null;
        }, () -> "no code");
        asked.addProperty("code", code[0]);
        HttpResponse<String> verified = send("POST", "/api/auth/verify", asked.toString(), null);
        Main.equal(verified.statusCode(), 200);
        return verified.headers().allValues("set-cookie").stream()
                .map(line -> line.split(";")[0]).collect(Collectors.joining("; "));
    }

    private HttpResponse<String> send(String method, String path, String body, String cookie) throws Exception {
        var publisher = body == null
                ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(endpoint + path)).method(method, publisher);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (cookie != null) {
            request.header("Cookie", cookie);
            for (String pair : cookie.split("; ")) {
                if (pair.startsWith("csrf=")) {
                    request.header("x-csrf-token", pair.substring("csrf=".length()));
                }
            }
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String text(JsonElement element, String name) {
        JsonElement value = element.getAsJsonObject().get(name);
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }
}
