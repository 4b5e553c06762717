/**
 * `fetch` for endpoints that the user set up: a reply that does not end is cut off with an error instead of filling the
 * memory. Counts what is read, unpacked.
 * @param bytes how many a reply may have.
 */
export const boundedFetch =
  (bytes: number): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    const source = response.body?.getReader();
    if (!source) return response;
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(sink) {
        const { done, value } = await source.read();
        if (done) return sink.close();
        read += value.length;
        if (read <= bytes) return sink.enqueue(value);
        const tooLong = new Error(`the reply has more than ${bytes} bytes`);
        sink.error(tooLong);
        await source.cancel(tooLong);
      },
      cancel: (reason) => source.cancel(reason),
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
