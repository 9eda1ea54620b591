import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs the scenarios through azure-cosmos for Java, in gateway mode.
 *
 * <p>Owns the walk over the scenario files and the line printed for each. What is expected is in the scenario files;
 * ../../README.md says how to read them. The verbs are in Items, Feeds, Administration and Resources.
 */
final class Main {
    static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] words) throws Exception {
        // Without it this library makes every address an https one.
        System.setProperty("COSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED", "true");
        // The certificate of a server made for a test is known to nobody.
        System.setProperty("COSMOS.EMULATOR_SERVER_CERTIFICATE_VALIDATION_DISABLED", "true");
        System.setProperty("COSMOS.EMULATOR_HOST", "localhost");
        Map<String, String> arguments = new HashMap<>();
        for (int at = 0; at + 1 < words.length; at += 2) {
            arguments.put(words[at], words[at + 1]);
        }
        String only = arguments.getOrDefault("--only", "");
        Runner runner = new Runner(arguments.get("--endpoint"), arguments.get("--key"));
        File[] files = new File(arguments.get("--scenarios")).listFiles((folder, name) -> name.endsWith(".json"));
        Arrays.sort(files);
        for (File file : files) {
            runFile(runner, JSON.readTree(file), only);
        }
        runner.leave();
        System.exit(0);
    }

    private static void runFile(Runner runner, JsonNode content, String only) {
        boolean shared = content.path("shared").asBoolean();
        if (shared) {
            runner.setUp(content.get("setup"));
        }
        for (JsonNode scenario : content.get("scenarios")) {
            String name = scenario.get("name").asText();
            if (!name.contains(only)) {
                continue;
            }
            String outcome = "passed";
            String reason = "";
            try {
                if (!shared) {
                    runner.setUp(scenario.has("setup") ? scenario.get("setup") : content.get("setup"));
                }
                runner.run(scenario);
            } catch (Unsupported gap) {
                outcome = "unsupported";
                reason = gap.getMessage();
            } catch (RuntimeException other) {
                outcome = "failed";
                reason = String.valueOf(other.getMessage());
            }
            tell(name, content.get("area").asText(), outcome, reason);
        }
    }

    private static void tell(String scenario, String area, String outcome, String reason) {
        String cut = reason.length() > 600 ? reason.substring(0, 600) : reason;
        JsonNode line = JSON.createObjectNode()
            .put("scenario", scenario).put("area", area).put("outcome", outcome).put("reason", cut);
        System.out.println(line);
        System.out.flush();
    }
}
