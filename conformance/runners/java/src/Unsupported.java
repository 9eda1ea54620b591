/** This library has no words for it. */
final class Unsupported extends RuntimeException {
    Unsupported(String reason) {
        super(reason);
    }
}
