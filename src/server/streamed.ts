import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";

/**
 * Answers with server-sent events. A client that leaves aborts the signal. A comment goes out every 15 s, since proxies close a
 * connection that is silent for a minute, and a model may be.
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
