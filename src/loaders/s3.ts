import { AwsClient } from "aws4fetch";
import { z } from "zod";
import { at, childrenOf, textOf } from "../ingest/formats/archive.js";
import { isReadable } from "../ingest/formats/registry.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { withoutPassword } from "../text/address.js";
import { parseXml, type TreeElement } from "../tools/web/html-tree.js";
import type { Connector, Listed } from "./port.js";
import { requests } from "./requests.js";

export interface S3Options {
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Belongs to temporary credentials. */
  sessionToken?: string;
  /** Default `us-east-1`. */
  region?: string;
  /** The address of a compatible store, such as `https://minio.example.org`. Default: Amazon's of the region. */
  endpoint?: string;
  /** What the keys begin with, such as `handbook/`. Default: all objects are taken. */
  prefix?: string;
  /**
   * The web address of an object, with `{key}` for its key, such as `https://files.example.org/{key}`. Default: the console
   * for Amazon's store, and none for others.
   */
  page?: string;
}

const Given = exactly({
  bucket: z.string().regex(/^[^/?#\s]+$/, { error: "must be the name of a bucket" }),
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
  region: z.string().min(1).optional(),
  endpoint: z.string().min(1).optional(),
  prefix: z.string().optional(),
  page: z.string().includes("{key}", { error: "must hold {key}, such as https://files.example.org/{key}" }).optional(),
} satisfies OptionsOf<S3Options>);

/**
 * The files in a bucket of S3, or of a store that speaks its protocol, such as MinIO, R2 or Ceph. Addresses have the bucket
 * in their path. Files that emend does not read are left out. Rights are not told: S3 has none for people.
 * @throws UsageError if an option is wrong.
 */
export function s3(options: S3Options): Connector {
  check(Given, options);
  const { bucket, prefix = "", region = "us-east-1", accessKeyId, secretAccessKey, sessionToken } = options;
  const { endpoint = `https://s3.${region}.amazonaws.com`, page = consoleOf(options) } = options;
  const where = `${endpoint.replace(/\/+$/, "")}/${encoded(bucket)}`;
  const store = requests({ source: "S3", baseURL: where });
  const signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    region,
    service: "s3",
  });

  async function get(path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { headers } = await signer.sign(`${where}${path}`);
    return store.bytes(path, { signal, headers: Object.fromEntries(headers) });
  }

  async function listing(token: string, signal: AbortSignal): Promise<TreeElement> {
    const asked = { "list-type": "2", "encoding-type": "url", "max-keys": "1000", prefix, "continuation-token": token };
    const query = Object.entries(asked).flatMap(([name, value]) => (value === "" ? [] : `${name}=${encoded(value)}`));
    const bytes = await get(`?${query.join("&")}`, signal);
    if (!bytes) throw new Error(`S3 has no bucket at ${withoutPassword(where)}. Check its name and the endpoint.`);
    const xml = new TextDecoder().decode(bytes);
    const found = at(parseXml(xml), "ListBucketResult");
    if (!found)
      throw new Error(`What is at ${withoutPassword(where)} does not list a bucket as S3 does. Check the endpoint.`);
    if (!/<\/(?:\w+:)?ListBucketResult>\s*$/.test(xml)) throw cutOff();
    return found;
  }

  // A list that is cut off must not look whole: what is missing would be removed.
  const cutOff = () => new Error(`The list of ${bucket} is cut off. Try again later.`);

  const listed = (object: TreeElement, nameOf: (written: string) => string): Listed => {
    const key = nameOf(field(object, "Key"));
    return {
      id: key,
      version: field(object, "ETag").replaceAll('"', "") || undefined,
      url: page?.replaceAll("{key}", () => path(key)),
      changedAt: field(object, "LastModified") || undefined,
    };
  };

  return {
    async *list({ signal }) {
      for (let token = ""; ; ) {
        const found = await listing(token, signal);
        const nameOf = field(found, "EncodingType") === "url" ? decoded : (written: string) => written;
        for (const object of childrenOf(found, "Contents")) {
          const one = listed(object, nameOf);
          if (isReadable(one.id)) yield one;
        }
        const isTruncated = field(found, "IsTruncated");
        if (isTruncated === "false") return;
        const next = field(found, "NextContinuationToken");
        if (isTruncated !== "true" || next === "" || next === token) throw cutOff();
        token = next;
      }
    },
    async read({ id }, { signal }) {
      if (id.split("/").some((part) => part === "." || part === ".."))
        throw new Error('Its key has a part "." or "..", which no address can hold. Rename it.');
      const bytes = await get(`/${path(id)}`, signal);
      return bytes && { name: id, bytes };
    },
  };
}

const field = (element: TreeElement, name: string) => textOf(at(element, name));

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const path = (key: string) => key.split("/").map(encoded).join("/");

const decoded = (key: string) => decodeURIComponent(key.replaceAll("+", " "));

const consoleOf = ({ bucket, region, endpoint }: S3Options) =>
  endpoint === undefined
    ? `https://s3.console.aws.amazon.com/s3/object/${encoded(bucket)}?region=${region ?? "us-east-1"}&prefix={key}`
    : undefined;
