/** The store could not be reached, read or written. What was stored before is untouched. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** There is nothing to search: the store does not exist or holds no passage. */
export class EmptyStoreError extends Error {
  override readonly name = "EmptyStoreError";
  constructor(store = "the store") {
    super(`No documents in ${store}. Add some with: emend ingest <folder>`);
  }
}

/** An endpoint refused, failed or did not answer. `status` is the HTTP status, or 0 where there was none. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  readonly status: number;
  constructor(message: string, status = 0, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The judge is so busy with older questions that a step of this one went on without it. */
export class JudgeBusyError extends Error {
  override readonly name = "JudgeBusyError";
  constructor(seconds: number) {
    super(`judge_busy: the judge is ${seconds.toFixed(1)} s behind, so this step went on without it.`);
  }
}

/** The chat model failed its trial, so answers are quotes. */
export class ModelNotTrustedError extends Error {
  override readonly name = "ModelNotTrustedError";
  constructor(model: string, result: string) {
    super(
      `${model} failed its trial, so answers are quotes: ${result}. Use a stronger model, or set EMEND_MODEL_USE=all to use it all the same.`,
    );
  }
}

/** A model's reply is malformed, even after one repair. */
export class MalformedReplyError extends Error {
  override readonly name = "MalformedReplyError";
}

/** The budget does not allow another model call. */
export class BudgetSpentError extends Error {
  override readonly name = "BudgetSpentError";
}

/** Something the user gave is wrong: a setting, a path, an option. The message says how to put it right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A token or a session is not accepted. The message says why, and may be shown to whoever sent it. */
export class NotSignedInError extends Error {
  override readonly name = "NotSignedInError";
}

/** A query was refused by the guard or by the server. Nothing was changed. */
export class CypherError extends Error {
  override readonly name = "CypherError";
  /** True if other Cypher may succeed. False for a timeout or too much memory, which a second try would only repeat. */
  readonly repairable: boolean;
  constructor(message: string, repairable: boolean, options?: ErrorOptions) {
    super(message, options);
    this.repairable = repairable;
  }
}

/** A query for tables was refused by the guard, failed, or took too much time or memory. Nothing was changed. */
export class TableQueryError extends Error {
  override readonly name = "TableQueryError";
  /** True if another query may succeed. */
  readonly repairable: boolean;
  constructor(message: string, repairable: boolean, options?: ErrorOptions) {
    super(message, options);
    this.repairable = repairable;
  }
}

/**
 * Reading a page or file took too long or too much memory and was stopped. Nothing of it was kept, and everything else
 * goes on.
 */
export class ReadingStoppedError extends Error {
  override readonly name = "ReadingStoppedError";
  readonly limit: "time" | "memory";
  constructor(limit: "time" | "memory", when: string) {
    super(
      `Reading it was stopped ${when}, and nothing of it was kept. It is damaged, very large, or made to hold a reader up: save it anew, in parts or as plain text, or leave it out.`,
    );
    this.limit = limit;
  }
}

/**
 * A source contains a prompt injection. Those sentences were left out, and the strips with them count as irrelevant.
 */
export class UntrustedTextError extends Error {
  override readonly name = "UntrustedTextError";
  constructor(title: string, uri: string) {
    super(`“${title}” (${uri}) gives orders to its reader. They are left out; look at the source before you trust it.`);
  }
}

/** The rules by which a page is refused. A second request changes nothing until the page or a setting changes. */
export type FetchRefusal =
  /** Not an address of a page, or too long a one. */
  | "url"
  /** Neither http nor https; also where a redirect leads there. */
  | "scheme"
  /** A user name or password in the address. */
  | "credentials"
  | "port"
  /** The host is, or resolves to, an address inside a network, or one with a special use. */
  | "address"
  | "redirect_loop"
  | "redirect_limit"
  /** From https to http. */
  | "redirect_downgrade"
  /** From a public page into the hosts that are allowed by name. */
  | "redirect_inward"
  | "robots"
  | "content_type"
  /** More bytes than allowed: announced, sent or unpacked. */
  | "too_large"
  /** A suspiciously high compression ratio. */
  | "compression"
  /** Too many headers, or too long ones. */
  | "headers";

/** A page is not fetched because of a rule. Nothing of it was kept. `url` is without credentials and fragment. */
export class FetchRefusedError extends Error {
  override readonly name = "FetchRefusedError";
  readonly reason: FetchRefusal;
  readonly url: string;
  /** The fault, in words that follow "it" or "its". */
  readonly why: string;
  constructor(reason: FetchRefusal, url: string, why: string, options?: ErrorOptions) {
    super(`${url} is not fetched: ${why}`, options);
    this.reason = reason;
    this.url = url;
    this.why = why;
  }
}

/** The faults for which a page could not be read. */
export type PageFault =
  | "dns"
  | "connection"
  | "tls"
  /** Not within the time allowed. */
  | "timeout"
  /** The response is not HTTP. */
  | "protocol"
  /** A status other than 2xx, or a redirect to nowhere. */
  | "status"
  /** An unknown or broken content encoding. */
  | "encoding"
  /** The connection ended before the page did. */
  | "truncated"
  /** Its text is fetched by scripts, and no script is run. */
  | "scripts"
  /** There is no text in it, or none that can be read. */
  | "text"
  /** Reading it took too long, or too much memory. */
  | "limits";

/** A page could not be read this time; a later try may succeed. `status` is 0 if there was no HTTP status. */
export class PageUnavailableError extends Error {
  override readonly name = "PageUnavailableError";
  readonly reason: PageFault;
  readonly url: string;
  /** The fault, in words that follow "it" or "its". */
  readonly why: string;
  readonly status: number;
  /** The milliseconds after which the server asks to be asked again (Retry-After). Undefined if it does not say. */
  readonly retryAfterMs: number | undefined;
  constructor(
    reason: PageFault,
    url: string,
    why: string,
    options?: ErrorOptions & { status?: number; retryAfterMs?: number | undefined },
  ) {
    super(`${url} could not be had: ${why}`, options);
    this.reason = reason;
    this.url = url;
    this.why = why;
    this.status = options?.status ?? 0;
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** True if the model or its endpoint failed, not the program, so that there is another way. */
export const isModelFailure = (error: unknown): error is Error =>
  error instanceof EndpointError || error instanceof MalformedReplyError || error instanceof BudgetSpentError;

/** Returns what was thrown as an Error. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  try {
    return new Error(String(thrown));
  } catch {
    return new Error("Something was thrown that is not an error.");
  }
}

/** Returns the message of an error, and that of its cause: what fetch throws says only "fetch failed". */
export const inWords = (thrown: unknown): string => {
  const { message, cause } = toError(thrown);
  return cause instanceof Error && cause.message ? `${message} (${cause.message})` : message;
};

/** Returns a handler that names the file in the error of reading or writing it, and says what to do. @throws UsageError */
export const cannotBe =
  (done: "read" | "written", path: string) =>
  (error: unknown): never => {
    if (error instanceof UsageError) throw error;
    const { message, cause } = toError(error);
    const why = WHY[done][codeOf(cause ?? error)] ?? message;
    throw new UsageError(`${path} cannot be ${done}: ${why}`, { cause: error });
  };

/** The usual errors of a system in words, by its code. */
const WHY: Readonly<Record<"read" | "written", Readonly<Record<string, string>>>> = {
  read: {
    ENOENT: "there is no such file. Check its name and folder.",
    EISDIR: "it is a folder. Name a file.",
  },
  written: {
    ENOENT: "its folder does not exist. Create it first.",
    EISDIR: "it is a folder. Name a file.",
  },
};

/** Returns the code of a system's error, such as ENOENT; "unknown" without one. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
