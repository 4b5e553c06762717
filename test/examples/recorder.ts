import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, vi } from "vitest";

export interface Recorded {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** As it was sent; parsed if it is JSON. */
  body: unknown;
}

/** An answer of emend that is longer than any service takes. */
export const LONG_ANSWER = {
  status: "answered",
  segments: Array.from({ length: 60 }, () => ({
    kind: "bullet",
    pieces: [{ text: "<渡轮> & 😀".repeat(600) }, { text: " [1]", reference: 1 }],
  })),
  claims: [{ citations: [{ reference: 1, quote: "<渡轮> & 😀".repeat(600) }] }],
  references: Array.from({ length: 60 }, (_, i) => ({
    number: i + 1,
    title: "渡轮".repeat(600),
    uri: `https://wiki.example.org/${"a".repeat(1_000)}`,
    section: "",
  })),
};

/** A server that stands for another company's: it records what it is sent, and replies with JSON. */
export async function recorder(reply: (request: Recorded) => unknown) {
  const seen: Recorded[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      const isJson = request.headers["content-type"]?.startsWith("application/json");
      const recorded = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: isJson ? JSON.parse(text) : text,
      };
      seen.push(recorded);
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(reply(recorded)));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** Waits for the next requests to a path, and forgets what was seen before. */
    async next(path: string, count = 1): Promise<Recorded[]> {
      const found = await vi.waitFor(
        () => {
          const at = seen.filter((one) => one.path.startsWith(path));
          if (at.length < count) throw new Error(`${path} got ${at.length} requests`);
          return at;
        },
        { timeout: 10_000 },
      );
      seen.length = 0;
      return found;
    },
  };
}
