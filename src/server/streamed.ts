import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";

/**
 * Replies with server-sent events. The signal aborts when the client disconnects. A comment is sent every 15 s: proxies
 * close a connection that is silent for a minute, and a model may take that long.
 */
export const streamed = (c: Context, work: (sse: SSEStreamingApi, left: AbortSignal) => Promise<void>): Response =>
  streamSSE(c, async (sse) => {
    const left = new AbortController();
    sse.onAbort(() => left.abort());
    const alive = setInterval(() => sse.write(": at work\n\n"), 15_000);
    try {
      await work(sse, left.signal);
    } finally {
      clearInterval(alive);
    }
  });
