// The outbox: messages that were typed and are not confirmed. It is kept in this browser, so that a reload loses nothing.
// Each has an id of its own (`correlationId`); the service stores a message once, however often it is sent.

// `name` separates the outboxes of several people in one browser. Windows of one person share it, so each look reads
// what is kept.
export function outbox(name) {
  const key = `chat-outbox ${name}`;
  const change = (edit) => {
    const entries = edit(read(key));
    if (entries.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(entries));
  };
  return {
    add(room, content, replyTo = null) {
      const entry = { correlationId: crypto.randomUUID(), room, content, replyTo, timestamp: new Date().toISOString(), problem: null };
      change((entries) => [...entries, entry]);
    },
    // Those of a room, in the order of typing.
    of: (room) => read(key).filter((entry) => entry.room === room),
    // The next one to send: a refused one waits for its sender.
    next: (room) => read(key).find((entry) => entry.room === room && entry.problem === null),
    remove: (correlationId) => change((entries) => entries.filter((entry) => entry.correlationId !== correlationId)),
    // Refused with a reason, or to be sent again (null).
    mark: (correlationId, problem) => change((entries) => entries.map((entry) => entry.correlationId === correlationId ? { ...entry, problem } : entry)),
  };
}

function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
