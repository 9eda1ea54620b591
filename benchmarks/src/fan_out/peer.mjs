// The rooms of the benchmark on Node's `ws`: `J<room>` joins, `S<room>\n<text>` sends the text to the room as it is.

import { WebSocketServer } from "ws";

const rooms = new Map();
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false, backlog: 1024 });
server.on("connection", (socket) => {
  socket.on("message", (data) => {
    const text = data.toString();
    if (text[0] === "J") {
      const room = text.slice(1);
      if (!rooms.has(room)) rooms.set(room, new Set());
      rooms.get(room).add(socket);
      socket.on("close", () => rooms.get(room).delete(socket));
      socket.send("J");
      return;
    }
    const end = text.indexOf("\n");
    const sent = text.slice(end + 1);
    for (const member of rooms.get(text.slice(1, end)) ?? []) member.send(sent);
  });
});
server.on("listening", () => console.log(`127.0.0.1:${server.address().port}`));
