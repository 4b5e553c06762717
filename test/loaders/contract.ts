import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Connector, Content, Listed } from "../../src/loaders/port.js";

/** A source of a test behind a connector. It begins with at least two documents. */
export interface World extends AsyncDisposable {
  /** A connector as it is made anew for each run. */
  connect(): Connector;
  /** The id of a document that `change` changes and `remove` removes. */
  id: string;
  change(): unknown;
  remove(): unknown;
  /** From now on the source refuses the credentials. */
  refuse(): unknown;
  /** What no message may contain. */
  secrets: readonly string[];
}

/** Every connector keeps these promises; each one's own test file calls this once. */
export function connectorContract(name: string, open: () => Promise<World>): void {
  describe(`${name} keeps the promises of a connector`, () => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world[Symbol.asyncDispose]());

    test("listing twice gives the same documents, each with an id of its own", async () => {
      const first = await listed(world.connect());
      expect(first.length).toBeGreaterThan(1);
      expect(new Set(first.map(({ id }) => id.trim()).filter(Boolean)).size).toBe(first.length);
      expect(byId(await listed(world.connect()))).toEqual(byId(first));
    });

    test("each listed document can be read", async () => {
      const connector = world.connect();
      for (const one of await listed(connector))
        expect(lengthOf(await connector.read(one, { signal: idle() }))).toBeGreaterThan(0);
    });

    test("a change of one document changes its version, and no other", async () => {
      const before = versions(await listed(world.connect()));
      await world.change();
      const after = versions(await listed(world.connect()));
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      expect([...after].filter(([id, version]) => before.get(id) !== version).map(([id]) => id)).toEqual([world.id]);
    });

    test("what is removed is no longer listed, and all else is", async () => {
      const before = [...versions(await listed(world.connect())).keys()];
      await world.remove();
      const after = [...versions(await listed(world.connect())).keys()];
      expect(after.sort()).toEqual(before.filter((id) => id !== world.id).sort());
    });

    test("an aborted signal ends the list and the reading", async () => {
      const left = AbortSignal.abort(new Error("the user left"));
      const [one] = await listed(world.connect());
      await expect(listed(world.connect(), left)).rejects.toThrow("the user left");
      await expect(world.connect().read(one as Listed, { signal: left })).rejects.toThrow("the user left");
    });

    test("refused credentials are an error in a sentence or two, without secrets", async () => {
      await world.refuse();
      const message = await listed(world.connect()).then(
        () => "",
        (error: Error) => `${error.message} ${error.stack} ${String(error.cause ?? "")}`,
      );
      expect(message).toMatch(/^[A-Z].+\.\s/);
      for (const secret of world.secrets) expect(message).not.toContain(secret);
    });
  });
}

/** Everything that a connector lists. */
export const listed = (connector: Connector, signal = idle()): Promise<Listed[]> =>
  Array.fromAsync(connector.list({ signal }));

/** The text of a document with this id, as it was delivered. */
export async function textOf(connector: Connector, id: string): Promise<string | undefined> {
  const one = (await listed(connector)).find((each) => each.id === id);
  const content = one && (await connector.read(one, { signal: idle() }));
  return content && ("text" in content ? content.text : new TextDecoder().decode(content.bytes));
}

const idle = () => new AbortController().signal;
const byId = (documents: readonly Listed[]) => new Map(documents.map((one) => [one.id, one]));
const versions = (documents: readonly Listed[]) => new Map(documents.map(({ id, version }) => [id, version]));
const lengthOf = (content: Content | undefined) =>
  content === undefined ? 0 : "text" in content ? content.text.length : content.bytes.length;
