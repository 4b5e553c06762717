import { z } from "zod";
import { UsageError } from "../../errors.js";
import { withoutPassword } from "../../text/address.js";

export interface StoreSettings {
  /**
   * The store of documents, facts and conversations: a folder, or the address of a Postgres database such as
   * `postgres://user:password@host:5432/database`. Default `.emend`.
   */
  store: string;
}

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

/** The address itself is not repeated, since there may be a password in it. */
const ADDRESS =
  "must be a folder or an address such as postgres://user:password@host:5432/database; special characters of the password are written as %23 and so on";

/** True for the address of a Postgres database, false for a folder. */
export const isDatabase = (store: string) => /^postgres(?:ql)?:\/\//.test(store);

/** The store for people to read: without a password. */
export const storeName = ({ store }: StoreSettings) => (isDatabase(store) ? withoutPassword(store) : store);

/** The folder for what lies beside the store in files: its own, or `.emend` where the store is no folder. */
export const storeFolder = ({ store }: StoreSettings) => (isDatabase(store) ? ".emend" : store);
