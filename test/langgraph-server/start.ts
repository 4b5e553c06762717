import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { register } from "tsx/esm/api";
import { vi } from "vitest";
import type { State } from "../../src/state/state.js";

/** A worker takes up to half a second to start a run, and longer on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/**
 * The LangGraph server in this process, on a free loopback port and in a separate folder, since it writes its threads
 * to its working directory. At most one per test file, since it keeps its graphs in module scope.
 * @param graphs where each graph is: `path/from/the/root.ts:export`.
 * @param auth where its authentication is, likewise.
 * @param app where an HTTP app is that it mounts, likewise.
 */
export async function startedServer(
  graphs: Record<string, string>,
  auth?: { path: string; disable_studio_auth: boolean },
  app?: string,
) {
  // Its log cannot be turned off, but an unknown level silences it.
  vi.stubEnv("LOG_LEVEL", "off");
  const { startServer, StartServerSchema } = await import("@langchain/langgraph-api/server");
  const unregister = register();
  const cwd = await mkdtemp(join(tmpdir(), "emend-server-"));
  const located = Object.fromEntries(Object.entries(graphs).map(([name, path]) => [name, resolve(path)]));
  const secured = auth && { auth: { ...auth, path: resolve(auth.path) } };
  const mounted = app && { http: { app: resolve(app) } };
  const options = { port: 0, nWorkers: 10, host: "127.0.0.1", cwd, graphs: located, ...secured, ...mounted };
  const { host, cleanup } = await startServer(StartServerSchema.parse(options));
  return {
    url: `http://${host}`,
    client: new Client<State>({ apiUrl: `http://${host}` }),
    stop: async () => {
      await cleanup();
      await unregister();
      await rm(cwd, { recursive: true });
      vi.unstubAllEnvs();
    },
  };
}

export type StartedServer = Awaited<ReturnType<typeof startedServer>>;

/** The final state of a run. */
export async function finished(run: Promise<unknown>): Promise<State> {
  const values = (await run) as State & { __error__?: { error: string; message: string } };
  if (values.__error__) throw new Error(`${values.__error__.error}: ${values.__error__.message}`);
  return values;
}
