/**
 * `fetch` for endpoints that the user set up: a reply that does not end is cut off with an error instead of filling the
 * memory. Counts what is read, unpacked.
 * @param bytes how many a reply may have.
 */
export const boundedFetch =
  (bytes: number): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    if (!response.body) return response;
    let read = 0;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        read += piece.length;
        if (read <= bytes) controller.enqueue(piece);
        else controller.error(new Error(`the reply has more than ${bytes} bytes`));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
  };
