import { type Connection, connect } from "@lancedb/lancedb";
import type { S3Settings } from "../../../config.js";
import { StoreUnavailableError } from "../../../errors.js";
import { bucketLock } from "./bucket-lock.js";
import {
  addIndexes,
  checkedFormat,
  emptyTable,
  reasonOf,
  type TableKind,
  type TablePlace,
  unindexed,
} from "./table-place.js";

/**
 * A table on object storage. The storage must be able to refuse a write where an object already is (If-None-Match): that
 * makes a commit atomic, and the lock too, which is a table beside it.
 */
export function tableBucket(address: string, kind: TableKind, s3: S3Settings = {}): TablePlace {
  let connected: Promise<Connection> | undefined;

  const connection = () => {
    connected ??= connect(address, { readConsistencyInterval: 0, storageOptions: optionsOf(s3) });
    return connected;
  };

  /** Undefined where there is no table. */
  const opened = async () => (await connection()).openTable(kind.name).catch(unlessMissing);

  return {
    // To ask whether the open table is still there would cost a request for every read: one that is gone fails to be read.
    async there(known) {
      try {
        if (known !== undefined) return known;
        const table = await opened();
        // Nothing can be moved into place here, so a table that is still being made counts as none.
        return table && (await unindexed(table, kind)).length === 0 ? kind.name : undefined;
      } catch (error) {
        connected = undefined;
        throw unreadable(address, kind, error);
      }
    },

    async open() {
      const live = await (await connection()).openTable(kind.name);
      return { connection: await connection(), live: await checkedFormat(live, kind, address) };
    },

    /** Goes on where a killed process has left off. */
    async make() {
      await addIndexes((await opened()) ?? (await emptyTable(await connection(), kind)), kind);
    },

    async lock(waiting) {
      try {
        return await bucketLock(await connection(), address, waiting);
      } catch (error) {
        if (waiting.signal?.aborted || error instanceof StoreUnavailableError) throw error;
        connected = undefined;
        throw unwritable(address, error);
      }
    },

    unreadable: (cause) => unreadable(address, kind, cause),
    unwritable: (cause) => unwritable(address, cause),
  };
}

/** Passes an error on, unless it says that there is no such table. */
function unlessMissing(error: unknown): undefined {
  if (/was not found/.test(String(error)) && !faultOf(error)) return undefined;
  throw error;
}

/** Keys that are not given are looked for where Amazon's own tools look: profiles, roles, the machine. */
const optionsOf = ({ endpoint, region, accessKeyId, secretAccessKey, sessionToken }: S3Settings) => ({
  ...(endpoint && { aws_endpoint: endpoint, allow_http: String(endpoint.startsWith("http:")) }),
  // A server of one's own has no regions, but requests are signed for one.
  ...((region ?? endpoint) && { aws_region: region ?? "us-east-1" }),
  ...(accessKeyId && { aws_access_key_id: accessKeyId }),
  ...(secretAccessKey && { aws_secret_access_key: secretAccessKey }),
  ...(sessionToken && { aws_session_token: sessionToken }),
});

const unreadable = (address: string, { startAgain }: TableKind, cause: unknown) => {
  const said = faultOf(cause);
  const remedy = said ? CHECK : startAgain;
  return new StoreUnavailableError(`The store at ${address} cannot be read (${said ?? reasonOf(cause)}). ${remedy}`, {
    cause,
  });
};

const unwritable = (address: string, cause: unknown) =>
  new StoreUnavailableError(
    `The store at ${address} cannot be written (${faultOf(cause) ?? reasonOf(cause)}). What it held is untouched. ${CHECK}`,
    { cause },
  );

const CHECK =
  "Check the name of the bucket, AWS_ENDPOINT_URL, AWS_REGION and the keys, and what they are allowed to do.";

/** What the server or the connection said of itself; undefined for any other error. */
const faultOf = (cause: unknown): string | undefined => {
  const text = String(cause);
  if (/Failed to get AWS credentials/.test(text)) return "no AWS credentials";
  return /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? /(?:message: |status: )"?([^",}]{1,100})/.exec(text)?.[1];
};
