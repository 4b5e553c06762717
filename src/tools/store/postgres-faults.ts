import { StoreUnavailableError, toError } from "../../errors.js";
import { withoutPassword } from "../../text/address.js";

/** Returns what Postgres or the network said as one line that says what to do. The password is left out. */
export function postgresError(error: unknown, address: string): Error {
  if (error instanceof StoreUnavailableError) return error;
  const { message } = toError(error);
  const code = typeof error === "object" && error !== null && "code" in error ? `${error.code}` : "";
  const why =
    REMEDIES.find(([told]) => told.test(code) || told.test(message))?.[1] ??
    `${message.replace(/\s+/g, " ").replace(/\.$/, "")}. Check the address and the server's log.`;
  return new StoreUnavailableError(`No store at ${withoutPassword(address)}: ${why}`, { cause: error });
}

/** By Postgres's codes (its documentation, appendix A), those of the network, and what the client says by itself. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, "it refuses this user or password. Check both in EMEND_STORE."],
  [/^28000$/, "it lets this user in from elsewhere only. See pg_hba.conf, or name another user."],
  [/^3D000$/, "there is no such database. Create it with createdb, or name another one."],
  [/^42501$/, "this user may not make tables there. Grant it: GRANT CREATE ON DATABASE … TO …"],
  [/not currently accepting connections/, "it takes no connections at present. Try again, or ask who runs it."],
  [
    /^(?:58P01|0A000)$|extension "vector"/,
    "it has no pgvector. Install the extension vector, or ask who runs it for: CREATE EXTENSION vector",
  ],
  [/^(?:57014)$/, "the query took too long and was ended. Try again, or look at what else the server does."],
  [/^(?:40P01|40001)$/, "others wrote the same at the same time. Try again."],
  [/^53300$/, "it has no connection left. Raise its max_connections, or run fewer servers."],
  [/^53100$/, "its disk is full. Make room there; what was stored before is untouched."],
  [/^25006$/, "it is a replica, which takes no writes. Name the primary server."],
  [/^(?:ECONNREFUSED|ENOENT)$/, "nothing listens there. Is the server running?"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "no machine has this name. Check the address."],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|timeout/i,
    "it does not answer in time. Is it running, and can it be reached?",
  ],
  [
    /^(?:57P0[123]|ECONNRESET|EPIPE)$|^Connection terminated|^Client has encountered/,
    "it ended the connection. Is it being restarted? Try again.",
  ],
  [/does not support SSL/, "it speaks no TLS. Leave sslmode out, or set it up there."],
  [
    /password must be a string/,
    "it asks for a password. Put one into the address: postgres://user:password@host/database",
  ],
];
