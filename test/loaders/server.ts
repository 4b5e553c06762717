import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a small server of a test sees it. */
export interface Asked {
  method: string;
  /** Without the address of the server. */
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
  bytes: Buffer;
}

/** What it replies: JSON by default. */
export interface Replied {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
}

/** A server on loopback for the tests of a connector. */
export interface SmallServer extends AsyncDisposable {
  /** Without a slash at its end. */
  address: string;
  /** Every request so far, such as "GET /pages?limit=2". */
  asked: string[];
}

/**
 * Starts a server. What `reply` throws is answered with status 500. Undefined is 404.
 * @param reply may write the response itself, and returns "written" then.
 */
export async function smallServer(
  reply: (asked: Asked, request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<SmallServer> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method = "", headers } = request;
    const url = new URL(request.url ?? "", "http://small");
    try {
      const bytes = Buffer.concat(pieces);
      const one: Asked = { method, url, headers, body: bytes.toString(), bytes };
      const got = (await reply(one, request, response)) as Replied | "written" | undefined;
      if (got === "written") return;
      const { status = got ? 200 : 404, headers: more, json, body } = got ?? {};
      response.writeHead(status, { "content-type": "application/json", ...more });
      response.end(body ?? JSON.stringify(json ?? null));
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
