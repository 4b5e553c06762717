import { promises as dns } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { type AllowedHosts, checkAddress } from "./policy.js";
import type { Resolve } from "./port.js";

/**
 * Looks a host up for a socket and hands out only addresses that may be connected to. The socket connects to what this
 * returns and asks nobody again, so that a name that resolves otherwise a moment later (DNS rebinding) gains nothing.
 * One bad address among good ones refuses the host: there is no honest reason for such an answer.
 */
export function checkedLookup(url: URL, resolve: Resolve, allowed: AllowedHosts): LookupFunction {
  return (hostname, options, callback) => {
    const found = resolve(hostname).then((addresses) => {
      for (const address of addresses) checkAddress(url, address, allowed);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    });
    found.then(
      (all) => {
        const [first] = all;
        if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
        else if (options.all) callback(null, all);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ""),
    );
  };
}

/** The addresses by the system's resolver: its hosts file, its caches and servers. */
export const systemResolve: Resolve = async (hostname) =>
  (await dns.lookup(hostname, { all: true })).map(({ address }) => address);
