import { type Gate, gate, sleep } from "../../waiting.js";
import type { Politeness } from "./fetch.js";

/**
 * Limits concurrent requests and spaces out those to one host. The function returned does the work when its turn comes,
 * first come, first served within a host.
 * @param delayMs the milliseconds that the host wants between two requests, used if they are more than the default.
 * @throws the signal's reason if aborted while waiting; the work is then never begun.
 */
export function politeTurns({ perHost, everywhere, delayMs: usualDelay }: Politeness) {
  const all = gate(everywhere);
  const hosts = new Map<string, { gate: Gate; next: number; users: number }>();

  /** Forgets hosts that have no requests and whose delay is over. */
  const tidy = () => {
    for (const [name, { users, next }] of hosts) if (users === 0 && next <= performance.now()) hosts.delete(name);
  };

  return async <T>(name: string, delayMs: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    if (hosts.size >= MANY_HOSTS) tidy();
    const host = hosts.get(name) ?? { gate: gate(perHost), next: 0, users: 0 };
    hosts.set(name, host);
    host.users += 1;
    try {
      // The host's gate comes first, so that requests waiting for a slow host do not hold up the others.
      return await host.gate.through(signal, async () => {
        const wait = Math.max(0, host.next - performance.now());
        host.next = performance.now() + wait + Math.max(usualDelay, delayMs);
        if (wait > 0) await sleep(wait, signal);
        return all.through(signal, work);
      });
    } finally {
      host.users -= 1;
    }
  };
}

const MANY_HOSTS = 1_000;
