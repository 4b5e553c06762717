import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { type ImapOptions, imap } from "../../src/loaders/imap.js";
import { connectorContract, listed, textOf } from "./contract.js";

const password = "imap-very-secret";
const signal = new AbortController().signal;

interface Mail {
  uid: number;
  text: string;
  messageId?: string;
  size?: number;
}

/** A server that knows the commands of IMAP by which mail is read. */
async function mailServer(folders: Map<string, Mail[]>) {
  const asked: string[] = [];
  const tricks = { password, validity: 7, hide: 0, refuseSearch: false, breakOffAt: 0, dropped: 0 };
  const sockets = new Set<Socket>();

  function answer(line: string, folder: string): { replies: string[]; opened?: string; breakOff?: boolean } {
    const [, command = "", rest = ""] = /^\S+ ((?:UID )?\S+) ?(.*)$/.exec(line) ?? [];
    const mails = folders.get(folder) ?? [];
    const named = rest.replace(/^.* (?=\S+$)/, "").replaceAll('"', "");
    if (command === "LOGIN")
      return { replies: rest.includes(tricks.password) ? ["OK"] : [`NO [AUTHENTICATIONFAILED] ${rest}`] };
    if (command === "LIST" || command === "LSUB") {
      const found =
        named === ""
          ? ['(\\Noselect) "/" ""']
          : [...folders.keys()].filter((name) => named === "*" || name === named).map((name) => `() "/" "${name}"`);
      return { replies: [...found.map((one) => `* ${command} ${one}`), "OK"] };
    }
    if (command === "EXAMINE") {
      const name = rest.replaceAll('"', "");
      const found = folders.get(name);
      if (!found) return { replies: ["NO [NONEXISTENT] Unknown mailbox"] };
      return {
        replies: [`* ${found.length} EXISTS`, `* OK [UIDVALIDITY ${tricks.validity}]`, "OK [READ-ONLY]"],
        opened: name,
      };
    }
    if (command === "UID SEARCH") {
      if (tricks.refuseSearch) return { replies: ["NO Too busy"] };
      const among = /^UID (.*)$/.exec(rest)?.[1]?.split(",").map(Number);
      const found = mails.filter(({ uid }) => (rest.startsWith("SINCE") ? uid > 1 : (among?.includes(uid) ?? true)));
      return {
        replies: [
          `* SEARCH ${found
            .slice(tricks.hide)
            .map(({ uid }) => uid)
            .join(" ")}`,
          "OK",
        ],
      };
    }
    if (command === "UID FETCH") {
      const wanted = new Set(
        (rest.split(" ")[0] ?? "").split(",").flatMap((part) => {
          const [from = 0, to = from] = part.split(":").map(Number);
          return Array.from({ length: to - from + 1 }, (_, i) => from + i);
        }),
      );
      const rows = mails.flatMap((mail, i) =>
        wanted.has(mail.uid) ? [`* ${i + 1} FETCH (${itemsOf(mail, rest)} UID ${mail.uid})`] : [],
      );
      if (tricks.dropped && rest.includes("ENVELOPE"))
        rows[tricks.dropped - 1] = `* ${tricks.dropped} FETCH (FLAGS (\\Seen) UID ${mails[tricks.dropped - 1]?.uid})`;
      const breakOff = tricks.breakOffAt > 0 && rest.includes("ENVELOPE");
      return { replies: breakOff ? rows.slice(0, tricks.breakOffAt) : [...rows, "OK"], breakOff };
    }
    return { replies: command === "LOGOUT" ? ["* BYE", "OK"] : ["OK"] };
  }

  const itemsOf = ({ text, messageId, size }: Mail, wanted: string) => {
    const raw = `Subject: ${text}\r\n\r\n${text}`;
    if (wanted.includes("BODY.PEEK[]")) return `BODY[] {${Buffer.byteLength(raw)}}\r\n${raw}`;
    if (wanted.includes("RFC822.SIZE")) return `RFC822.SIZE ${size ?? raw.length}`;
    const from = '((NIL NIL "ada" "example.org"))';
    return `INTERNALDATE "01-May-2024 09:00:00 +0000" ENVELOPE (NIL "${text}" ${from} ${from} ${from} NIL NIL NIL NIL ${messageId ? `"${messageId}"` : "NIL"})`;
  };

  // Without the delay, the pieces of a reply do not wait for each other.
  const server = createServer({ noDelay: true }, async (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write("* OK [CAPABILITY IMAP4rev1] ready\r\n");
    let folder = "";
    for await (const line of createInterface({ input: socket })) {
      asked.push(line.replace(/^\S+ /, ""));
      const { replies, opened, breakOff } = answer(line, folder);
      folder = opened ?? folder;
      for (const reply of replies)
        socket.write(reply.startsWith("*") ? `${reply}\r\n` : `${line.split(" ")[0]} ${reply} done\r\n`);
      if (breakOff) socket.end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    folders,
    tricks,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const open = ({ port }: { port: number }, more: Partial<ImapOptions> = {}) =>
  imap({ host: "127.0.0.1", port, secure: false, user: "ada", password, ...more });

const sample = () =>
  new Map<string, Mail[]>([
    [
      "INBOX",
      [
        { uid: 1, text: "Welcome", messageId: "<1@example.org>" },
        { uid: 2, text: "Leave", messageId: "<2@example.org>" },
        { uid: 5, text: "No id" },
      ],
    ],
    [
      "Team/News",
      [
        { uid: 1, text: "Pay", messageId: "<3@example.org>" },
        { uid: 2, text: "Leave", messageId: "<2@example.org>" },
      ],
    ],
  ]);

connectorContract("imap", async () => {
  const server = await mailServer(sample());
  return {
    ...server,
    connect: () => open(server),
    id: "<1@example.org>",
    // A draft that is saved again is another mail with the same id.
    change: () =>
      server.folders.set("INBOX", [
        ...(server.folders.get("INBOX") ?? []).slice(1),
        { uid: 9, text: "Hello", messageId: "<1@example.org>" },
      ]),
    remove: () => server.folders.get("INBOX")?.shift(),
    refuse: () => (server.tricks.password = "another"),
    secrets: [password],
  };
});

test("a mail has its subject, date and folder, is one in two folders, and is read as it is", async () => {
  await using server = await mailServer(sample());
  const connector = open(server, { folders: ["INBOX", "Team/News"] });
  const all = await listed(connector);
  expect(all.map(({ id, title, metadata }) => [id, title, metadata?.folder])).toEqual([
    ["<1@example.org>", "Welcome", "INBOX"],
    ["<2@example.org>", "Leave", "INBOX"],
    ["INBOX/7/5", "No id", "INBOX"],
    ["<3@example.org>", "Pay", "Team/News"],
  ]);
  expect(all[0]).toMatchObject({ version: "INBOX/7/1", changedAt: "2024-05-01T09:00:00.000Z" });
  expect(await textOf(connector, "<3@example.org>")).toBe("Subject: Pay\r\n\r\nPay");
  await connector.close?.();
});

test("nothing is changed: folders are opened to be read only, and mails are not marked", async () => {
  await using server = await mailServer(sample());
  const connector = open(server);
  for (const mail of await listed(connector)) await connector.read(mail, { signal });
  await connector.close?.();
  const commands = new Set(server.asked.map((line) => /^(?:UID )?\w+/.exec(line)?.[0]));
  expect([...commands].sort()).toEqual([
    "CAPABILITY",
    "EXAMINE",
    "LIST",
    "LOGIN",
    "LOGOUT",
    "LSUB",
    "UID FETCH",
    "UID SEARCH",
  ]);
  expect(server.asked.filter((line) => /BODY(?!\.PEEK)/.test(line))).toEqual([]);
});

test("mails are read while they are listed, and some at once", async () => {
  await using server = await mailServer(sample());
  const connector = open(server, { folders: ["INBOX", "Team/News"] });
  const texts: unknown[] = [];
  for await (const mail of connector.list({ signal })) texts.push(await connector.read(mail, { signal }));
  expect(texts).toHaveLength(4);
  const mails = await listed(connector);
  expect(await Promise.all(mails.map((mail) => connector.read(mail, { signal })))).toEqual(texts);
  await connector.close?.();
});

test("mail before a day is left out", async () => {
  await using server = await mailServer(sample());
  expect(await listed(open(server, { since: "2024-01-31" }))).toHaveLength(2);
  expect(server.asked).toContain("UID SEARCH SINCE 31-Jan-2024");
});

test("a mail that is gone, or whose folder was made anew, is not read, and a large one is refused", async () => {
  await using server = await mailServer(sample());
  const connector = open(server);
  const [first, second] = await listed(connector);
  server.folders.get("INBOX")?.shift();
  expect(await connector.read(first ?? { id: "" }, { signal })).toBeUndefined();
  Object.assign(server.folders.get("INBOX")?.[0] ?? {}, { size: 30_000_000 });
  await expect(connector.read(second ?? { id: "" }, { signal })).rejects.toSatisfy(
    (error) => error instanceof RangeError && error.message.includes("larger than 20 MB, so it is left out."),
  );
  server.tricks.validity = 8;
  expect(await open(server).read(second ?? { id: "" }, { signal })).toBeUndefined();
  expect(await connector.read({ id: "x" }, { signal })).toBeUndefined();
});

test("a list that is not whole is an error", async () => {
  await using server = await mailServer(sample());
  server.tricks.hide = 1;
  await expect(listed(open(server))).rejects.toThrow("did not list all mails in “INBOX”");
  server.tricks.hide = 0;
  server.tricks.refuseSearch = true;
  await expect(listed(open(server, { since: "2024-01-01" }))).rejects.toThrow("did not list all mails in “INBOX”");
  server.tricks.refuseSearch = false;
  server.tricks.dropped = 1;
  await expect(listed(open(server))).rejects.toThrow("did not list all mails in “INBOX”");
  server.tricks.dropped = 0;
  server.tricks.breakOffAt = 1;
  await expect(listed(open(server))).rejects.toThrow("cannot be reached, or broke off");
});

test("a connection that broke off is made anew", async () => {
  await using server = await mailServer(sample());
  const connector = open(server);
  server.tricks.breakOffAt = 1;
  await expect(listed(connector)).rejects.toThrow("broke off");
  server.tricks.breakOffAt = 0;
  expect(await listed(connector)).toHaveLength(3);
});

test("a folder or a server that is not there is named", async () => {
  await using server = await mailServer(sample());
  await expect(listed(open(server, { folders: ["Team"] }))).rejects.toThrow(
    "no folder “Team”. It has: INBOX, Team/News.",
  );
  await expect(listed(open({ port: 1 }))).rejects.toThrow("IMAP at 127.0.0.1 cannot be reached");
});

test("wrong options are named without their values", () => {
  expect(() => imap({ host: "a", user: "b" })).toThrow("either the password of the user, or an access token");
  expect(() => imap({ host: "a", user: "b", password, since: "May" })).toThrow("2024-01-01");
});
