import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy between the driver and a server that can simulate a network failure or a restart. */
export async function proxyTo(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  /** What the driver sent on each connection. */
  const sent: Buffer[][] = [];
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    const bytes: Buffer[] = [];
    sent.push(bytes);
    client.on("data", (data) => bytes.push(data));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => isSilent || to.write(data));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        if (!isSilent) to.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const cut = async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    uri: `bolt://127.0.0.1:${port}`,
    /** Simulates a stopped server: every connection breaks and none is accepted. */
    cut,
    /** Simulates the start of the server. */
    restore: () => listen(port),
    /** Connections stay open and are accepted, but no data gets through, not even the end of a connection. */
    silence: () => {
      isSilent = true;
    },
    speak: () => {
      isSilent = false;
    },
    connections: () => sockets.size / 2,
    sent: (): Buffer[] => sent.map((bytes) => Buffer.concat(bytes)),
    close: async () => {
      if (server.listening) await cut();
    },
  };
}

/** Accepts connections and never sends anything. */
export async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    uri: `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
