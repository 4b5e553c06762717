/** Returns an address without user, password and query, for people to read. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.protocol}//${url.host}${url.pathname}`.replace(/\/$/, "") : address;
}
