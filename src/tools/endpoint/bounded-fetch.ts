/**
 * `fetch` for endpoints that the user configured. A response longer than `bytes`, counted after decompression, fails
 * with an error instead of filling the memory.
 */
export const boundedFetch =
  (bytes: number): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    let read = 0;
    const bound = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, sink) {
        read += piece.length;
        if (read <= bytes) sink.enqueue(piece);
        else sink.error(new Error(`the reply has more than ${bytes} bytes`));
      },
    });
    return response.body ? new Response(response.body.pipeThrough(bound), response) : response;
  };
