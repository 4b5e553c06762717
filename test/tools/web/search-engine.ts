import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** A search engine on loopback that gives every request the same reply and records the requests. */
export async function fakeEngine(reply: Reply) {
  const requests: { url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url ?? "", headers: request.headers, body });
    reply(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export const says =
  (status: number, body: unknown): Reply =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

const breaksOff: Reply = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"results": [', () => response.socket?.destroy());
};

/** Faults of any engine, for the contract of its adapter. */
export const faults = <T>(open: (baseURL: string) => T) => {
  const over = (reply: Reply) => async () => open((await fakeEngine(reply)).baseURL);
  return {
    "is away": async () => open("http://127.0.0.1:1"),
    refuses: over(says(403, { error: "secret" })),
    "is out of quota": over(says(429, "secret")),
    "answers with a page": over(says(200, "<html>secret")),
    "answers with another shape": over(says(200, { results: "secret", web: 3 })),
    "breaks off": over(breaksOff),
  };
};
