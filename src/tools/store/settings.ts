import { z } from "zod";
import { UsageError } from "../../errors.js";
import type { OptionsOf } from "../../options.js";
import { withoutPassword } from "../../text/address.js";

export interface StoreSettings {
  /**
   * The store of documents, facts and conversations: a folder, or the address of a Postgres database such as
   * `postgres://user:password@host:5432/database`. Default `.emend`.
   */
  store: string;
}

export const storeOptions = { store: z.string().min(1) } satisfies OptionsOf<StoreSettings>;

export const storeVariables = { EMEND_STORE: z.string().optional() };

/** @throws UsageError if the store is neither a folder nor a database's address. */
export function storeSettings(
  options: Partial<StoreSettings>,
  env: z.infer<z.ZodObject<typeof storeVariables>>,
): StoreSettings {
  const store = options.store ?? env.EMEND_STORE ?? ".emend";
  if (isDatabase(store) ? !URL.canParse(store) : /^[a-z][\w+.-]+:\/\//i.test(store))
    throw new UsageError(`The store ${ADDRESS}.`);
  return { store };
}

/** Does not repeat the given address, which may contain a password. */
const ADDRESS =
  "must be a folder or an address such as postgres://user:password@host:5432/database; write special characters in the password as %23 and so on";

/** True for the address of a Postgres database, false for a folder. */
export const isDatabase = (store: string) => /^postgres(?:ql)?:\/\//.test(store);

/** Returns the store's folder or address for display, without the password. */
export const storeName = ({ store }: StoreSettings) => (isDatabase(store) ? withoutPassword(store) : store);

/** Returns the folder for other files of emend: the store's own folder, or `.emend` if the store is a database. */
export const storeFolder = ({ store }: StoreSettings) => (isDatabase(store) ? ".emend" : store);
