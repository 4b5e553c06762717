import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

export interface FakeEndpoint {
  baseURL: string;
  /** The texts of each request, in order. */
  requests: string[][];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Handles a request in place of the default reply; if undefined, the request is answered. */
export type Fault = (texts: readonly string[], response: ServerResponse, count: number) => boolean | undefined;

/**
 * An embeddings endpoint on this machine. Its vectors count hashed words, so that texts with the same words are near.
 * Like llama.cpp, it refuses a whole request with status 500 if one text has more than 512 words or characters.
 */
export async function fakeEndpoint(fault: Fault = () => undefined): Promise<FakeEndpoint> {
  const requests: string[][] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { input } = z.object({ input: z.array(z.string()) }).parse(JSON.parse(await text(request)));
    requests.push(input);
    if (fault(input, response, requests.length)) return;
    const tooLong = input.map(tokens).find((found) => found.length > 512);
    if (tooLong) {
      refuse(response, 500, `input (${tooLong.length} tokens) is too large to process.`);
      return;
    }
    const data = input.map((one, index) => ({ object: "embedding", index, embedding: counted(one) }));
    send(response, 200, { object: "list", model: "fake", data: data.toReversed() });
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

export function refuse(response: ServerResponse, status: number, message: string): true {
  send(response, status, { error: { message, type: "error", code: status } });
  return true;
}

export function send(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { "content-type": "application/json", "retry-after-ms": "1" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}

const tokens = (one: string) => one.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];

function counted(one: string): number[] {
  const counts = new Array<number>(64).fill(0.01);
  for (const token of tokens(one)) {
    const hash = [...token].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 64, 7);
    counts[hash] = (counts[hash] ?? 0) + 1;
  }
  return counts;
}
