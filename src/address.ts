/** True for the address of a Postgres database, false for a folder. */
export const isDatabase = (store: string) => /^postgres(?:ql)?:\/\//.test(store);

/** Returns an address without user, password and query, for people to read. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.protocol}//${url.host}${url.pathname}`.replace(/\/$/, "") : address;
}
