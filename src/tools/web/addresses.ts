import { BlockList, isIP } from "node:net";

/**
 * Returns why nothing may be fetched from an IP address, or undefined if it is allowed. `inside`: the host is one of
 * the allowed private hosts, which opens some of the private ranges.
 *
 * Node's own parser reads both this address and the one connected to, so the two cannot differ. Of IPv6 only the range
 * assigned to the public (2000::/3) is allowed: addresses that embed an IPv4 address are outside it, or listed below.
 */
export function addressRefusal(address: string, inside = false): string | undefined {
  const version = isIP(address);
  if (version === 0) return "not an IP address";
  // A zone names a network interface; only link-local addresses have one.
  if (address.includes("%")) return "a link-local address";
  const family = version === 4 ? "ipv4" : "ipv6";
  const range = RANGES.find((each) => each[family].check(address, family));
  if (range) return inside && range.inside ? undefined : range.what;
  return family === "ipv6" && !PUBLIC_IPV6.check(address, "ipv6") ? "not a public address" : undefined;
}

/** The IANA registries of special-purpose addresses (RFC 6890 and its successors). The first match gives the reason. */
const SPECIAL: readonly { what: string; inside?: boolean; blocks: readonly string[] }[] = [
  {
    what: "where a cloud keeps its machines' credentials",
    // AWS, GCP, Azure and others; AWS containers and pods; Alibaba; Oracle; Azure's agent; AWS and GCP over IPv6.
    blocks: [
      "169.254.169.254/32",
      "169.254.170.2/32",
      "169.254.170.23/32",
      "100.100.100.200/32",
      "192.0.0.192/32",
      "168.63.129.16/32",
      "fd00:ec2::254/128",
      "fd00:ec2::23/128",
      "fd20:ce::254/128",
    ],
  },
  { what: "the unspecified address", blocks: ["0.0.0.0/8", "::/128"] },
  { what: "a loopback address", inside: true, blocks: ["127.0.0.0/8", "::1/128"] },
  { what: "a private address", inside: true, blocks: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"] },
  { what: "an address shared inside a provider's network", inside: true, blocks: ["100.64.0.0/10"] },
  { what: "a link-local address", blocks: ["169.254.0.0/16", "fe80::/10"] },
  { what: "a site-local address", blocks: ["fec0::/10"] },
  { what: "a multicast address", blocks: ["224.0.0.0/4", "ff00::/8"] },
  { what: "the broadcast address", blocks: ["255.255.255.255/32"] },
  {
    what: "an address for documentation",
    blocks: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  },
  { what: "an address for benchmarks", blocks: ["198.18.0.0/15", "2001:2::/48"] },
  { what: "an IPv4 address in a tunnel (6to4, Teredo)", blocks: ["192.88.99.0/24", "2002::/16", "2001::/32"] },
  { what: "an IPv4 address behind a translator (NAT64)", blocks: ["64:ff9b::/96", "64:ff9b:1::/48"] },
  { what: "an IPv4 address written as IPv6", blocks: ["::ffff:0:0/96", "::ffff:0:0:0/96", "::/96"] },
  {
    what: "a reserved address",
    blocks: ["192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "240.0.0.0/4", "2001::/23"],
  },
  { what: "a reserved address", blocks: ["2620:4f:8000::/48", "5f00::/16", "100::/64", "100:0:0:1::/64"] },
];

/** One list for each IP version, since a BlockList also matches IPv4 addresses against IPv6 blocks, and vice versa. */
const RANGES = SPECIAL.map(({ what, inside = false, blocks }) => ({
  what,
  inside,
  ipv4: listOf(blocks.filter((block) => !block.includes(":"))),
  ipv6: listOf(blocks.filter((block) => block.includes(":"))),
}));
const PUBLIC_IPV6 = listOf(["2000::/3"]);

function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [start = "", bits] = block.split("/");
    list.addSubnet(start, Number(bits), start.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
