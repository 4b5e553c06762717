import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { shown } from "./policy.js";

/** What went wrong on the way to a page or in its body, in our words; errors that are ours already stay as they are. */
export function asFailure(error: unknown, url: URL): unknown {
  if (error instanceof FetchRefusedError || error instanceof PageUnavailableError) return error;
  const code = codeOf(error);
  if (code === "HPE_HEADER_OVERFLOW")
    return new FetchRefusedError("headers", shown(url), "the server's headers are too long.", { cause: error });
  const fault = FAULTS.find(({ codes }) => codes.test(code));
  if (!fault) return error;
  return new PageUnavailableError(fault.reason, shown(url), `${fault.why} (${code})`, { cause: error });
}

const FAULTS: readonly { reason: PageUnavailableError["reason"]; codes: RegExp; why: string }[] = [
  { reason: "dns", codes: /^(?:ENOTFOUND|ENODATA|ESERVFAIL|EAI_\w+)$/, why: "no such host is known." },
  { reason: "truncated", codes: /^(?:Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE)$/, why: "it ends in the middle." },
  { reason: "encoding", codes: /^(?:Z_|ERR__|ZSTD_|ERR_ZSTD)/, why: "its compressed form is broken." },
  { reason: "protocol", codes: /^(?:HPE_|ERR_HTTP_|ERR_INVALID_)/, why: "what the server sends is not HTTP." },
  {
    reason: "tls",
    codes: /^(?:EPROTO|ERR_TLS_|ERR_SSL_|CERT_|CRL_|HOSTNAME_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|PATH_LENGTH)/,
    why: "its server cannot show that it is the one it claims to be.",
  },
  { reason: "connection", codes: /^E[A-Z]+$/, why: "its server cannot be reached, or hung up." },
];

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
