/** Something else was seen than what must be seen. */
final class Unseen extends RuntimeException {
    Unseen(String reason) {
        super(reason);
    }
}
