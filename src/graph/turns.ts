import { unlessAborted } from "../tools/safe-fetch/abort.js";

/** Lets one caller at a time do something under a name; the others wait, in the order they came. */
export function inTurns() {
  const last = new Map<string, Promise<void>>();

  /**
   * Waits for the name's turn, and returns what ends it.
   * @throws the signal's reason when aborted before; the turn then goes to the next.
   */
  return async (name: string, signal?: AbortSignal): Promise<() => void> => {
    const before = last.get(name) ?? Promise.resolve();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const turn = before.then(() => ended);
    last.set(name, turn);
    void turn.then(() => last.get(name) === turn && last.delete(name));
    try {
      await (signal ? unlessAborted(before, signal) : before);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  };
}
