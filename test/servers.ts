/**
 * Runs before the suites that need real servers. Each of them must be named and must answer: a suite that cannot reach
 * its server fails here, and is never passed over.
 */
export default async function servers() {
  for (const name of SERVERS) {
    const url = process.env[name];
    if (!url) throw new Error(`${name} is not set. It names a running server, such as http://127.0.0.1:8090/v1.`);
    const models = `${url.replace(/\/$/, "")}/models`;
    const response = await fetch(models, { signal: AbortSignal.timeout(10_000) }).catch((error: Error) => {
      throw new Error(`${name}: nothing answers at ${models} (${error.message}).`);
    });
    if (!response.ok) throw new Error(`${name}: ${models} answers with status ${response.status}.`);
  }
}

const SERVERS = ["EMEND_TEST_CHAT_URL", "EMEND_TEST_EMBEDDINGS_URL"];
