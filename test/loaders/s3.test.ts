import { AwsV4Signer } from "aws4fetch";
import { expect, test } from "vitest";
import { type S3Options, s3 } from "../../src/loaders/s3.js";
import { connectorContract, listed } from "./contract.js";
import { type Asked, type Replied, smallServer } from "./server.js";

const secretAccessKey = "s3-very-secret";
const keys = { accessKeyId: "AKIATEST", secretAccessKey };
const signal = new AbortController().signal;

/** A store of objects by key that checks signatures and lists two objects a page. */
async function store(objects: Map<string, string>) {
  let isOpen = true;
  const server = await smallServer(async (asked): Promise<Replied | undefined> => {
    if (!isOpen || !(await isSigned(asked))) return { status: 403, body: "<Error/>" };
    const { pathname, searchParams } = asked.url;
    if (pathname !== "/team") {
      const text = objects.get(decodeURIComponent(pathname.replace("/team/", "")));
      return text === undefined ? undefined : { body: text };
    }
    const prefix = searchParams.get("prefix") ?? "";
    const names = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const start = Number(searchParams.get("continuation-token") ?? 0);
    return { body: listing(names.slice(start, start + 2), start + 2 < names.length ? start + 2 : undefined) };
  });

  async function isSigned({ url, headers }: Asked): Promise<boolean> {
    const datetime = String(headers["x-amz-date"]);
    const address = `${server.address}${url.pathname}${url.search}`;
    const signer = new AwsV4Signer({ url: address, ...keys, service: "s3", region: "eu-1", datetime });
    return headers.authorization === (await signer.authHeader());
  }

  const listing = (names: string[], next?: number) => `<?xml version="1.0"?>
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>team</Name><EncodingType>url</EncodingType>
    <IsTruncated>${next !== undefined}</IsTruncated>
    ${next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}
    ${names.map((key) => `<Contents><Key>${encodeURIComponent(key).replaceAll("%20", "+")}</Key><LastModified>2024-05-01T09:00:00.000Z</LastModified><ETag>&quot;${objects.get(key)?.length}&quot;</ETag></Contents>`).join("")}
    </ListBucketResult>`;

  return { ...server, objects, refuse: () => (isOpen = false) };
}

const open = (address: string, more: Partial<S3Options> = {}) =>
  s3({ ...keys, bucket: "team", region: "eu-1", endpoint: address, ...more });

connectorContract("s3", async () => {
  const server = await store(
    new Map(
      [
        ["a.md", "One"],
        ["docs/b c+d.md", "Two"],
        ["docs/中文 (1).txt", "三"],
      ].map(([k = "", v = ""]) => [k, v]),
    ),
  );
  return {
    ...server,
    connect: () => open(server.address),
    id: "a.md",
    change: () => server.objects.set("a.md", "One more"),
    remove: () => server.objects.delete("a.md"),
    secrets: [secretAccessKey],
  };
});

test("names, dates and addresses come along, and files of other kinds do not", async () => {
  await using server = await store(
    new Map([
      ["docs/b c.md", "Two"],
      ["docs/film.mp4", "…"],
      ["x.md", "Three"],
    ]),
  );
  const connector = open(server.address, { prefix: "docs/", page: "https://files.example.org/{key}" });
  expect(await listed(connector)).toEqual([
    {
      id: "docs/b c.md",
      version: "3",
      url: "https://files.example.org/docs/b%20c.md",
      changedAt: "2024-05-01T09:00:00.000Z",
    },
  ]);
});

test("a key with control characters, slashes or dots is read as it is, or refused", async () => {
  const odd = ["a\u0007/\n..b.md", "//x.md", "'()*!~&=?#%.md"];
  await using server = await store(new Map(odd.map((key) => [key, key])));
  const connector = open(server.address);
  expect((await listed(connector)).map(({ id }) => id).sort()).toEqual([...odd].sort());
  for (const id of odd) expect(await connector.read({ id }, { signal })).toEqual({ name: id, bytes: Buffer.from(id) });
  await expect(connector.read({ id: "a/../secret.md" }, { signal })).rejects.toThrow("Rename it.");
  expect(server.asked.some((line) => line.includes("secret"))).toBe(false);
});

test("a list that breaks off is an error", async () => {
  const whole = `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a.md</Key></Contents></ListBucketResult>`;
  let page = whole;
  await using server = await smallServer(() => ({ body: page }));
  expect((await listed(open(server.address))).map(({ id }) => id)).toEqual(["a.md"]);
  const more = `<IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>`;
  for (const [given, message] of [
    [whole.slice(0, -3), "cut off"],
    [whole.replace("<IsTruncated>false</IsTruncated>", ""), "cut off"],
    [whole.replace("<IsTruncated>false</IsTruncated>", more), "cut off"],
    ["<html></html>", "does not list a bucket"],
  ] as const) {
    page = given;
    await expect(listed(open(server.address))).rejects.toThrow(message);
  }
});

test("a limit is waited for, and a bucket that is not there is named", async () => {
  let replies = 0;
  await using server = await smallServer(() =>
    replies++ === 0 ? { status: 429, headers: { "retry-after": "0" } } : undefined,
  );
  await expect(listed(open(server.address))).rejects.toThrow(`S3 has no bucket at ${server.address}/team.`);
  expect(replies).toBe(2);
});

test("wrong options are named without their values", () => {
  expect(() => open("ftp://x")).toThrow("https://");
  expect(() => open("http://x", { page: "https://files.example.org" })).toThrow("{key}");
  expect(() => open("http://x", { secretAccessKey: 5 as never })).toThrow("secretAccessKey");
});
