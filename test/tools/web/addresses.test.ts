import fc from "fast-check";
import { expect, test } from "vitest";
import { addressRefusal } from "../../../src/tools/web/fetch-policy.js";

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "193.0.0.1",
  "223.255.255.255",
  "2001:200::1",
  "2400:cb00::1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
])("%s is public", (address) => {
  expect(addressRefusal(address)).toBeUndefined();
});

test.each([
  ["127.0.0.1", "a loopback address"],
  ["169.254.169.254", "where a cloud keeps its machines' credentials"],
  ["fe80::1%eth0", "a link-local address"],
  ["2606:4700::1%eth0", "a link-local address"],
  ["::ffff:10.0.0.1", "an IPv4 address written as IPv6"],
  ["0177.0.0.1", "not an IP address"],
  ["", "not an IP address"],
])("%j is recognised as: %s", (address, what) => {
  expect(addressRefusal(address)).toBe(what);
});

test("every IPv6 address that embeds an IPv4 address is refused, whether that is public or not", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const dotted = bytes.join(".");
      const [high, low] = [hex(bytes[0], bytes[1]), hex(bytes[2], bytes[3])];
      const carriers = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"].map((prefix) => prefix + dotted);
      for (const address of [...carriers, `2002:${high}:${low}::1`, `2001:0:${high}:${low}::1`])
        for (const inside of [false, true])
          if (address !== "::0.0.0.1") expect(addressRefusal(address, inside)).toBeDefined();
    }),
  );
});

const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
