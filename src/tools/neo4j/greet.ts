import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";

/**
 * Resolves when a server at the address answers to Bolt's greeting, with whatever version. The driver itself would wait
 * for that answer without end, and keep the process alive with it.
 */
export function greet(uri: string, milliseconds: number): Promise<void> {
  const { protocol, hostname, port } = new URL(uri);
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = { host, port: Number(port) || 7687 };
  const isSecure = protocol.includes("+");
  // Whom it belongs to is checked by the driver, which alone sends the password.
  const socket = isSecure ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${Math.round(milliseconds / 1_000)} seconds`)),
    milliseconds,
  );
  socket.once(isSecure ? "secureConnect" : "connect", () => socket.write(GREETING));
  socket.once("data", () => resolve());
  socket.once("error", reject);
  socket.once("close", () => reject(new Error("the connection was closed")));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.on("error", () => {});
    socket.destroy();
  });
}

/** The protocol's magic number, and the versions 5.0 to 5.4 and 4.4 (https://neo4j.com/docs/bolt/current/bolt/handshake/). */
const GREETING = Buffer.from("6060b017000404050000040400000000" + "00000000", "hex");
