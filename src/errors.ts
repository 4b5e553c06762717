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

/** A model answered, but not with what was asked for, even after one repair. */
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

/** A query was refused by the guard or by the server. Nothing was changed. */
export class CypherError extends Error {
  override readonly name = "CypherError";
  /** Whether other Cypher may succeed: false for a timeout or too much memory, which a second try would only repeat. */
  readonly repairable: boolean;
  constructor(message: string, repairable: boolean, options?: ErrorOptions) {
    super(message, options);
    this.repairable = repairable;
  }
}
