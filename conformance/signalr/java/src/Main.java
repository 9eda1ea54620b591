// The scenarios of a hub with the official Java client: its two transports in JSON.

import com.microsoft.signalr.HubConnection;
import com.microsoft.signalr.HubConnectionBuilder;
import com.microsoft.signalr.HubConnectionState;
import com.microsoft.signalr.TransportEnum;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public final class Main {
    static final int PATIENCE_SECONDS = 30;
    private static String endpoint;
    private static String chat;

    private record Way(String name, TransportEnum transport) {}

    private interface Body {
        void run(Way way) throws Exception;
    }

    public static final class Person {
        String displayName = "Ada";
        int age = 36;
        List<String> tags = List.of("x");
    }

    public static void main(String[] arguments) throws Exception {
        for (int index = 0; index + 1 < arguments.length; index += 2) {
            if (arguments[index].equals("--endpoint")) {
                endpoint = arguments[index + 1];
            }
            if (arguments[index].equals("--chat")) {
                chat = arguments[index + 1];
            }
        }
        List<Way> ways = List.of(
                new Way("WebSockets, JSON", TransportEnum.WEBSOCKETS),
                new Way("long polling, JSON", TransportEnum.LONG_POLLING));
        for (Way way : ways) {
            judge(way, "calls with results of every type", Main::calls);
            judge(way, "errors have the texts of the official server", Main::errors);
            judge(way, "messages to the caller, a connection, a user and groups", Main::messages);
            judge(way, "streams from the server: items, errors, cancel", Main::downloads);
            judge(way, "streams to the server, alone and both ways", Main::uploads);
            judge(way, "the server asks the client and gets its result", Main::answers);
            judge(way, "large results and many messages in order", Main::large);
            judge(way, "a message that is too large ends the connection", Main::oversize);
            judge(way, "the client and the server end a connection", Main::ends);
        }
        judge(ways.get(0), "without negotiation", Main::withoutNegotiation);
        for (Way way : ways) {
            judge(new Way("keep-alive", way.transport()), way.name(), Main::keepAlive);
        }
        if (chat != null) {
            Chat scenarios = new Chat(chat);
            for (Way way : ways) {
                Way inChat = new Way("chat: " + way.name(), way.transport());
                judge(inChat, "a person signs in by a code and is in the first room with its profile",
                        one -> scenarios.signsIn(one.transport()));
                judge(inChat, "a message reaches the room, is in its history and is read",
                        one -> scenarios.talks(one.transport()));
                judge(inChat, "a person changes the room, and a room of others is refused",
                        one -> scenarios.changesRoom(one.transport()));
                judge(inChat, "answers, edits, deletions and typing", one -> scenarios.changes(one.transport()));
                judge(inChat, "a session that ends takes its connections with it",
                        one -> scenarios.signsOut(one.transport()));
                // This client does not reconnect by itself.
                judge(new Way("chat: reconnect", way.transport()), way.name(),
                        one -> scenarios.comesBack(one.transport()));
            }
        }
        // The end of a hub concerns every connection of it, so all are open before.
        List<CompletableFuture<String>> ended = new ArrayList<>();
        for (Way way : ways) {
            HubConnection connection = builder(way, "/ending", null).build();
            ended.add(closed(connection));
            connection.start().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        }
        HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create(endpoint + "/control/stop"))
                        .POST(HttpRequest.BodyPublishers.noBody()).build(),
                HttpResponse.BodyHandlers.discarding());
        for (int index = 0; index < ways.size(); index += 1) {
            CompletableFuture<String> end = ended.get(index);
            judge(new Way("server shutdown", null), ways.get(index).name(), way -> equal(wait(end), "no error"));
        }
        System.exit(0);
    }

    private static void calls(Way way) throws Exception {
        HubConnection connection = open(way, null);
        equal(get(connection.invoke(Integer.class, "Add", 40, 2)), 42);
        equal(get(connection.invoke(Integer.class, "aDD", 1, 1)), 2);
        equal(get(connection.invoke(String.class, "Echo", "é \uD83D\uDE00 \n")), "é \uD83D\uDE00 \n");
        equal(get(connection.invoke(Double.class, "Echo", 1.5)), 1.5);
        Person person = get(connection.invoke(Person.class, "EchoPerson", new Person()));
        equal(person.displayName + person.age + person.tags, "Ada36[x]");
        connection.invoke("Nothing").timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        equal(get(connection.invoke(String.class, "ConnectionId")), connection.getConnectionId());
    }

    private static void errors(Way way) throws Exception {
        HubConnection connection = open(way, null);
        String what = "An unexpected error occurred invoking";
        equal(message(() -> get(connection.invoke(String.class, "Refuse", "not you"))),
                what + " 'Refuse' on the server. HubException: not you");
        equal(message(() -> get(connection.invoke(String.class, "Fail"))), what + " 'Fail' on the server.");
        equal(message(() -> get(connection.invoke(String.class, "Gone"))),
                "Failed to invoke 'Gone' due to an error on the server. HubException: Method does not exist.");
        equal(message(() -> get(connection.invoke(Integer.class, "Add", 1))),
                "Failed to invoke 'Add' due to an error on the server.");
        equal(message(() -> get(connection.invoke(Integer.class, "CountTo", 1))),
                "The client attempted to invoke the streaming 'CountTo' method with a non-streaming invocation.");
        equal(get(connection.invoke(Integer.class, "Add", 1, 2)), 3);
    }

    private static void messages(Way way) throws Exception {
        String suffix = way.transport().name();
        HubConnection alice = open(way, "java-alice-" + suffix);
        HubConnection bob = open(way, "java-bob-" + suffix);
        List<String> toAlice = Collections.synchronizedList(new ArrayList<>());
        List<String> toBob = Collections.synchronizedList(new ArrayList<>());
        alice.on("message", toAlice::add, String.class);
        bob.on("message", toBob::add, String.class);
        String group = "java-" + suffix;
        await(alice, "Join", group);
        await(bob, "Join", group);
        await(alice, "ToCaller", "caller");
        await(bob, "ToUser", "java-alice-" + suffix, "user");
        await(alice, "ToConnection", bob.getConnectionId(), "connection");
        await(alice, "ToGroup", group, "group");
        await(alice, "ToOthersInGroup", group, "others");
        await(bob, "Leave", group);
        await(alice, "ToGroup", group, "left");
        await(bob, "ToCaller", "end");
        until(() -> toBob.contains("end") && toAlice.contains("left"), () -> toAlice + " " + toBob);
        equal(toAlice, List.of("caller", "user", "group", "left"));
        equal(toBob, List.of("connection", "group", "others", "end"));
    }

    private static void downloads(Way way) throws Exception {
        HubConnection connection = open(way, null);
        List<Integer> items = get(connection.stream(Integer.class, "CountTo", 300).toList());
        equal(items, IntStream.rangeClosed(1, 300).boxed().collect(Collectors.toList()));
        equal(message(() -> get(connection.stream(Integer.class, "FailAfter", 2).toList())),
                "An error occurred on the server while streaming results. HubException: the stream broke");
        int before = get(connection.invoke(Integer.class, "Cancelled"));
        CompletableFuture<Integer> third = new CompletableFuture<>();
        Disposable endless = connection.stream(Integer.class, "Endless").subscribe(item -> {
            if (item == 3) {
                third.complete(item);
            }
        });
        wait(third);
        endless.dispose();
        until(() -> get(connection.invoke(Integer.class, "Cancelled")) > before, () -> "no cancel");
    }

    private static void uploads(Way way) throws Exception {
        HubConnection connection = open(way, null);
        equal(get(connection.invoke(Integer.class, "Sum", numbers(way, List.of(1, 2, 3, 4)))), 10);
        equal(get(connection.invoke(Integer.class, "SumBoth", numbers(way, List.of(1, 2)), 10, numbers(way, List.of(3)))), 60);
        equal(get(connection.stream(Integer.class, "Double", numbers(way, List.of(1, 2, 3))).toList()), List.of(2, 4, 6));
        Observable<Integer> broken =
                numbers(way, List.of(1)).concatWith(Observable.error(new RuntimeException("disk full")));
        String error = message(() -> get(connection.invoke(Integer.class, "Sum", broken)));
        equal(error.contains("disk full"), true);
    }

    private static void answers(Way way) throws Exception {
        HubConnection connection = open(way, null);
        connection.onWithResult("answer", question -> Single.just("to " + question), String.class);
        equal(get(connection.invoke(String.class, "Ask", "be")), "to be");
    }

    private static void large(Way way) throws Exception {
        HubConnection connection = open(way, null);
        equal(get(connection.invoke(String.class, "Big", 300000)).length(), 300000);
        List<Integer> got = Collections.synchronizedList(new ArrayList<>());
        connection.on("number", got::add, Integer.class);
        await(connection, "Burst", 500);
        until(() -> got.size() == 500, () -> "only " + got.size());
        equal(got, IntStream.range(0, 500).boxed().collect(Collectors.toList()));
    }

    private static void oversize(Way way) throws Exception {
        HubConnection connection = builder(way, "/hub", null).build();
        CompletableFuture<String> closed = closed(connection);
        connection.start().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        connection.send("Echo", "x".repeat(40000));
        equal(wait(closed).contains("Connection closed with an error."), true);
    }

    private static void ends(Way way) throws Exception {
        HubConnection stopped = open(way, null);
        stopped.stop().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        equal(stopped.getConnectionState(), HubConnectionState.DISCONNECTED);
        HubConnection aborted = builder(way, "/hub", null).build();
        CompletableFuture<String> closed = closed(aborted);
        aborted.start().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        aborted.send("Abort");
        equal(wait(closed), "no error");
    }

    private static void withoutNegotiation(Way way) throws Exception {
        HubConnection connection = builder(way, "/hub", null).shouldSkipNegotiate(true).build();
        connection.start().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        equal(get(connection.invoke(Integer.class, "Add", 1, 2)), 3);
    }

    private static void keepAlive(Way way) throws Exception {
        HubConnection connection =
                builder(way, "/hub", null).withServerTimeout(6000).withKeepAliveInterval(1000).build();
        CompletableFuture<String> closed = closed(connection);
        connection.start().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        Thread.sleep(7000);
        equal(closed.isDone(), false);
        equal(get(connection.invoke(Integer.class, "Add", 1, 2)), 3);
    }

    // The client does not wait for the answer to one request before it sends the next, so over long polling only a
    // pause keeps items in order.
    private static Observable<Integer> numbers(Way way, List<Integer> items) {
        long pause = way.transport() == TransportEnum.LONG_POLLING ? 300 : 0;
        return Observable.fromIterable(items)
                .concatMap(item -> Observable.just(item).delay(pause, TimeUnit.MILLISECONDS))
                .concatWith(Observable.<Integer>empty().delay(pause, TimeUnit.MILLISECONDS));
    }

    private static com.microsoft.signalr.HttpHubConnectionBuilder builder(Way way, String hub, String user) {
        var builder = HubConnectionBuilder.create(endpoint + hub).withTransport(way.transport());
        return user == null ? builder : builder.withAccessTokenProvider(Single.just(user));
    }

    private static HubConnection open(Way way, String user) {
        HubConnection connection = builder(way, "/hub", user).build();
        connection.start().timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
        return connection;
    }

    static CompletableFuture<String> closed(HubConnection connection) {
        CompletableFuture<String> closed = new CompletableFuture<>();
        connection.onClosed(error -> closed.complete(error == null ? "no error" : String.valueOf(error.getMessage())));
        return closed;
    }

    static void await(HubConnection connection, String method, Object... arguments) {
        connection.invoke(method, arguments).timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingAwait();
    }

    static <T> T get(Single<T> single) {
        return single.timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).blockingGet();
    }

    static <T> T wait(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static String message(Callable<?> call) {
        try {
            call.call();
        } catch (Exception error) {
            return error.getMessage();
        }
        throw new AssertionError("no error");
    }

    static void until(Callable<Boolean> check, Callable<String> what) throws Exception {
        long last = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!check.call()) {
            if (System.nanoTime() > last) {
                throw new AssertionError(what.call());
            }
            Thread.sleep(20);
        }
    }

    static void equal(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    private static void judge(Way way, String name, Body body) {
        String outcome = "passed";
        String reason = "";
        try {
            body.run(way);
        } catch (Throwable error) {
            outcome = "failed";
            reason = String.valueOf(error);
        }
        System.out.printf("{\"scenario\":%s,\"area\":%s,\"outcome\":%s,\"reason\":%s}%n",
                quoted(way.name() + ": " + name), quoted(way.name()), quoted(outcome), quoted(reason));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s+", " ") + '"';
    }
}
