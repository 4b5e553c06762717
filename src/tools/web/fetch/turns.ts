import { type Gate, gate, sleep } from "../../../waiting.js";
import type { Politeness } from "./port.js";

/** Lets requests go one after another as politeness asks: a few at a time to one host, and not in quick succession. */
export interface Turns {
  /**
   * Does the work when its turn comes. In the order of asking within a host.
   * @param delayMs between the starts of two to this host, where the host asks for more than the usual.
   * @throws the signal's reason when aborted while waiting; the work is then never begun.
   */
  take<T>(host: string, delayMs: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function politeTurns({ perHost, everywhere, delayMs: usualDelay }: Politeness): Turns {
  const all = gate(everywhere);
  const hosts = new Map<string, { gate: Gate; next: number; users: number }>();

  /** Hosts that nobody asks any more, and that may be asked at once, need no entry. */
  const tidy = () => {
    for (const [name, { users, next }] of hosts) if (users === 0 && next <= performance.now()) hosts.delete(name);
  };

  return {
    async take(name, delayMs, signal, work) {
      if (hosts.size >= MANY_HOSTS) tidy();
      const host = hosts.get(name) ?? { gate: gate(perHost), next: 0, users: 0 };
      hosts.set(name, host);
      host.users += 1;
      try {
        // The host first: whoever waits for a slow host then keeps nobody from another one.
        return await host.gate.through(signal, async () => {
          const wait = Math.max(0, host.next - performance.now());
          host.next = performance.now() + wait + Math.max(usualDelay, delayMs);
          if (wait > 0) await sleep(wait, signal);
          return all.through(signal, work);
        });
      } finally {
        host.users -= 1;
      }
    },
  };
}

const MANY_HOSTS = 1_000;
