import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/config.js";
import { addressesIn } from "../../../src/tools/sign-in/settings.js";

const JWT = { EMEND_JWKS_URL: "https://a.b/keys", EMEND_ISSUER: "https://a.b", EMEND_AUDIENCE: "emend" };
const OIDC = {
  EMEND_OIDC_ISSUER: "https://a.b",
  EMEND_OIDC_CLIENT_ID: "emend",
  EMEND_URL: "https://emend.example.org",
};

describe("the settings of sign-in", () => {
  test("are none by default, and are read from the environment", () => {
    expect(loadSettings({}, {}).signIn).toBeUndefined();
    expect(loadSettings({}, { ...JWT, EMEND_CLAIMS: '{"readers": "group:{groups}"}' }).signIn).toMatchObject({
      jwt: { jwksUrl: JWT.EMEND_JWKS_URL, issuer: JWT.EMEND_ISSUER, audience: JWT.EMEND_AUDIENCE },
      claims: { readers: ["group:{groups}"] },
    });
    expect(loadSettings({}, { ...JWT, EMEND_CLAIMS: "all" }).signIn?.claims).toBe("all");
    expect(loadSettings({}, { ...OIDC, EMEND_URL: "https://emend.example.org/" })).toMatchObject({
      url: "https://emend.example.org",
      signIn: { oidc: { issuer: "https://a.b", clientId: "emend" } },
    });
    expect(
      loadSettings({}, { EMEND_PROXY: "10.0.0.0/8, ::1", EMEND_OPERATORS: "group:a b,user:c" }).signIn,
    ).toMatchObject({
      proxy: { from: ["10.0.0.0/8", "::1"] },
      operators: ["group:a b", "user:c"],
    });
  });

  test.each([
    ...Object.keys(JWT).map((name) => ({ ...JWT, [name]: "" })),
    ...Object.keys(OIDC)
      .map((name) => ({ ...OIDC, [name]: "" }))
      .filter((one) => one.EMEND_OIDC_ISSUER + one.EMEND_OIDC_CLIENT_ID),
    { EMEND_AUDIENCE: "emend" },
    { EMEND_JWT_HEADER: "Cf-Access-Jwt-Assertion" },
    { ...OIDC, EMEND_JWKS_URL: "https://a.b/keys" },
  ])("name what is missing beside %j", (environment: Record<string, string>) => {
    const missing = [...Object.keys(JWT), ...Object.keys(OIDC)].filter((name) => !environment[name]);
    expect(() => loadSettings({}, environment)).toThrow(new RegExp(`^(?:${missing.join("|")})\\b.* must be set`));
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ ...OIDC, EMEND_OIDC_ISSUER: "http://a.b" }, /EMEND_OIDC_ISSUER must begin with https/],
    [{ EMEND_URL: "emend.example.org" }, /EMEND_URL: must be a web address/],
    [{ EMEND_URL: "https://a.b/?x" }, /EMEND_URL/],
    [{ EMEND_URL: "javascript:alert(1)" }, /EMEND_URL/],
    [{ EMEND_PROXY: "0.0.0.0/0" }, /EMEND_PROXY/],
    [{ EMEND_PROXY: "10.0.0.5,::ffff:0:0/96" }, /EMEND_PROXY/],
    [{ EMEND_PROXY: "::/1" }, /EMEND_PROXY/],
    [{ EMEND_PROXY: "::/0" }, /EMEND_PROXY/],
    [{ EMEND_PROXY: "proxy.internal" }, /EMEND_PROXY/],
    [{ EMEND_PROXY: "10.0.0.0/33" }, /EMEND_PROXY/],
    [{ EMEND_PROXY: "10.0.0.1/" }, /EMEND_PROXY/],
    [{ EMEND_PROXY_HEADERS: "X-User" }, /EMEND_PROXY_HEADERS needs EMEND_PROXY/],
    [{ EMEND_PROXY: "10.0.0.1", EMEND_PROXY_HEADERS: "X User" }, /EMEND_PROXY_HEADERS/],
    [{ ...JWT, EMEND_CLAIMS: "{" }, /EMEND_CLAIMS: must be JSON such as/],
    [{ ...JWT, EMEND_CLAIMS: '{"1": "x"}' }, /EMEND_CLAIMS/],
    [{ ...JWT, EMEND_CLAIMS: '{"readers": "group:{groups"}' }, /EMEND_CLAIMS/],
    [{ ...JWT, EMEND_CLAIMS: '{"readers": ["{}"]}' }, /EMEND_CLAIMS/],
    [{ ...JWT, EMEND_CLAIMS: '"ALL"' }, /EMEND_CLAIMS/],
    [{ ...JWT, EMEND_OPERATORS: "a,,b" }, /EMEND_OPERATORS/],
    [{ ...JWT, EMEND_OPERATORS: "group:admins, ada" }, /EMEND_OPERATORS: write user:ada or group:ada/],
    [{ ...JWT, EMEND_UPLOADERS: "hr" }, /EMEND_UPLOADERS: write user:hr or group:hr/],
  ])("refuse %j", (environment, said) => {
    expect(() => loadSettings({}, environment)).toThrow(said);
  });
});

test("a range has its addresses in either notation, and no others", () => {
  const list = addressesIn(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
  expect(list.check("10.1.2.3", "ipv4")).toBe(true);
  expect(list.check("::ffff:10.1.2.3", "ipv6")).toBe(true);
  expect(list.check("192.0.2.7", "ipv4")).toBe(true);
  expect(list.check("2001:db8:1::1", "ipv6")).toBe(true);
  for (const other of ["11.0.0.1", "192.0.2.8"]) expect(list.check(other, "ipv4")).toBe(false);
  for (const other of ["::ffff:11.0.0.1", "2001:db9::1", "::a00:1"]) expect(list.check(other, "ipv6")).toBe(false);
});
