import { EndpointError } from "../../errors.js";

/** Sends a request. `heard` is called at every sign of life. @throws EndpointError at once, while the endpoint is left alone. */
export type Sending = <T>(send: (heard: () => void) => Promise<T>) => Promise<T>;

/**
 * Leaves an endpoint alone for five minutes if a request ended while it was silent for too long: so a server that hangs
 * costs one question its time, and not all of them. Then one request tries it, while the others still go on without it.
 * Whatever it says ends this, a refusal too.
 *
 * Silence is too long from 30 seconds, or from `timeoutMs` if that is less, but never if the endpoint went on after a
 * longer one: it is slow, and the time of the question was short. A refused connection costs no time, so it is tried
 * each time, and a server that starts again is used at once.
 * @param name names the endpoint in errors.
 */
export function unlessSilent(name: string, timeoutMs: number): Sending {
  const least = Math.min(TOO_LONG_MS, timeoutMs * NEARLY);
  let longest = 0;
  /** What it was left alone for, and until when; undefined while it is asked. */
  let rest: { silentMs: number; until: number } | undefined;
  return async (send) => {
    const began = performance.now();
    if (rest && began < rest.until) {
      const minutes = Math.ceil((rest.until - began) / 60_000);
      throw new EndpointError(
        `${name} said nothing for ${Math.round(rest.silentMs / 1000)} s, so it is left alone and asked again in ${minutes} min. Is it overloaded, or still loading its model?`,
      );
    }
    // The others wait until it says something, or until this request has waited too long.
    if (rest) rest = { ...rest, until: began + least };
    let last = began;
    const heard = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      rest = undefined;
    };
    try {
      const reply = await send(heard);
      heard();
      return reply;
    } catch (error) {
      const silentMs = performance.now() - last;
      if (error instanceof EndpointError && error.status > 0) heard();
      else if (silentMs >= least && silentMs > longest) rest = { silentMs, until: performance.now() + REST_MS };
      throw error;
    }
  };
}

const TOO_LONG_MS = 30_000;
const REST_MS = 300_000;
/** A timer may fire a little early. */
const NEARLY = 0.9;
