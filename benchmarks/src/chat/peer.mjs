// The rooms of the benchmark on Node's `ws` with Redis: `J<room>` joins, `S<room>\n<text>` stores the text in a stream of
// the room and publishes it; every process delivers what is published to its own members.

import { createClient } from "redis";
import { WebSocketServer } from "ws";

const url = `redis://127.0.0.1:${process.argv[2]}`;
const connect = async () => {
  const client = createClient({ url });
  client.on("error", () => {});
  return client.connect();
};
const [store, subscriber] = await Promise.all([connect(), connect()]);
const rooms = new Map();
const join = async (room, socket) => {
  if (!rooms.has(room)) {
    const members = new Set();
    rooms.set(room, { members, subscribed: subscriber.subscribe(room, (text) => { for (const member of members) member.send(text); }) });
  }
  const { members, subscribed } = rooms.get(room);
  await subscribed;
  members.add(socket);
  socket.on("close", () => members.delete(socket));
  socket.send("J");
};
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false, backlog: 1024 });
server.on("connection", (socket) => {
  socket.on("message", async (data) => {
    const text = data.toString();
    if (text[0] === "J") {
      await join(text.slice(1), socket);
      return;
    }
    const end = text.indexOf("\n");
    const [room, sent] = [text.slice(1, end), text.slice(end + 1)];
    await store.xAdd(`history:${room}`, "*", { text: sent });
    await store.publish(room, sent);
  });
});
server.on("listening", () => console.log(`127.0.0.1:${server.address().port}`));
