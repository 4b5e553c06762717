import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { fetchFrom, reasonOf } from "./servers.js";

const { certificate, key } = selfSigned("localhost");
const server = createServer({ cert: certificate, key }, (_, response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("whoever this is"),
);
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const { port } = server.address() as AddressInfo;
const host = { allowed: `localhost:${port}`, url: `https://localhost:${port}/`, port, asked: [] };
afterAll(() => void server.close());
afterEach(() => void vi.unstubAllEnvs());

const resolve = async () => ["127.0.0.1"];

test("a self-signed certificate is refused", async () => {
  expect(await reasonOf(fetchFrom([host], { resolve }).fetch(host.url))).toBe("unavailable: tls");
});

test("the environment cannot turn off the check of certificates", async () => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  expect(await reasonOf(fetchFrom([host], { resolve }).fetch(host.url))).toBe("unavailable: tls");
});

/** A minimal certificate (RFC 5280, version 1), generated here to keep keys out of the repository. */
function selfSigned(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = (tag: number, ...parts: readonly (Buffer | string)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
    return Buffer.concat([Buffer.from([tag, ...length]), body]);
  };
  const ecdsaWithSha256 = der(0x30, der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const commonName = der(0x06, Buffer.from("550403", "hex"));
  const subject = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, name))));
  const validity = der(0x30, der(0x17, "250101000000Z"), der(0x17, "490101000000Z"));
  const serial = der(0x02, Buffer.from([1]));
  const spki = publicKey.export({ type: "spki", format: "der" });
  const signed = der(0x30, serial, ecdsaWithSha256, subject, validity, subject, spki);
  const signature = der(0x03, Buffer.from([0]), sign("sha256", signed, privateKey));
  const base64 = der(0x30, signed, ecdsaWithSha256, signature).toString("base64");
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}
