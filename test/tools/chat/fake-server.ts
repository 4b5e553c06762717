import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with one request. */
export type Script = (request: ServerRequest, response: ServerResponse) => void | Promise<void>;

export interface ServerRequest {
  model: string;
  messages: { role: string; content: string }[];
  stream?: boolean;
  temperature?: number;
  top_p?: number;
  stream_options?: unknown;
  response_format?: { type: string; json_schema?: { name: string; strict: boolean; schema: object } };
}

/** A chat endpoint on loopback that follows a script with one entry per request; the last entry repeats. */
export async function fakeServer(...scripts: Script[]) {
  const requests: ServerRequest[] = [];
  const closed: boolean[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (incoming, response) => {
    const request = JSON.parse(await bodyOf(incoming)) as ServerRequest;
    const turn = requests.push(request) - 1;
    headers.push(incoming.headers);
    response.on("close", () => {
      closed[turn] = !response.writableFinished;
    });
    await (scripts[turn] ?? scripts.at(-1))?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    /** Those of each request. */
    headers,
    /** For each request, whether the client disconnected before the reply. */
    closed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const bodyOf = async (incoming: IncomingMessage) => {
  let body = "";
  for await (const chunk of incoming) body += chunk;
  return body;
};

/** Streams a text as the OpenAI API does, in small pieces, with usage at the end. */
export const says =
  (text: string, { finish = "stop", pieces = 7 }: { finish?: string; pieces?: number } = {}): Script =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const size = Math.max(1, Math.ceil(text.length / pieces));
    for (let at = 0; at < text.length; at += size) response.write(event(text.slice(at, at + size)));
    response.write(event("", finish));
    response.write(line({ choices: [], usage: USAGE }));
    response.end("data: [DONE]\n\n");
  };

export const saysJson = (value: unknown, options?: Parameters<typeof says>[1]) => says(JSON.stringify(value), options);

export const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 20,
  total_tokens: 1020,
  prompt_tokens_details: { cached_tokens: 60 },
};

/** Refuses with a status and OpenAI's shape of an error. */
export const refuses =
  (status: number, message: string, headers: Record<string, string> = {}): Script =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: null } }));
  };

/** Accepts the request and never answers. */
export const hangs: Script = () => undefined;

/** Starts a reply and never continues. */
export const drips =
  (text: string): Script =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(text));
  };

/** Sends piece after piece until the client disconnects. */
export const babbling =
  (piece: (i: number) => string): Script =>
  async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 0; !response.closed; i++) {
      response.write(event(piece(i)));
      await new Promise(setImmediate);
    }
  };
export const babbles = babbling(() => "so ".repeat(300));

/** Starts a reply and drops the connection. */
export const breaksOff =
  (text: string): Script =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(text), () => response.socket?.destroy());
  };

const event = (content: string, finish: string | null = null) =>
  line({ id: "1", choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }] });

const line = (value: object) =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", created: 0, model: "fake", ...value })}\n\n`;
