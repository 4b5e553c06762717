import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

export interface Ranked {
  query: string;
  texts: string[];
  authorization: string | undefined;
  body: Record<string, unknown>;
}

/** A reranker on this machine that replies with `reply` and records its requests. */
export async function fakeReranker(reply: (asked: Ranked, response: ServerResponse, count: number) => unknown) {
  const requests: Ranked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const texts = (body.documents ?? body.texts) as string[];
    const asked = { query: String(body.query), texts, authorization: request.headers.authorization, body };
    requests.push({ ...asked });
    const said = request.url?.endsWith("/rerank") ? reply(asked, response, requests.length) : undefined;
    if (response.writableEnded) return;
    response.writeHead(said === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(said ?? {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export function refuse(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "retry-after-ms": "1" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
