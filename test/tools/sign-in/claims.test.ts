import { describe, expect, test } from "vitest";
import { userFrom } from "../../../src/tools/sign-in/claims.js";
import type { SignInSettings } from "../../../src/tools/sign-in/settings.js";

const user = (claims: object, settings: SignInSettings = {}) =>
  userFrom({ sub: "1", ...claims }, "https://login.example.org", settings, () => {});
const readers = (claims: object, settings?: SignInSettings) => {
  const scope = user(claims, settings)?.emend_scope;
  return Array.isArray(scope) ? scope[0]?.values : scope;
};

describe("without a map, a user reads what is for", () => {
  test.each<[string, object, string[]]>([
    ["everyone and the user's id", {}, ["everyone", "user:1"]],
    ["the address", { email: "a@b.c" }, ["everyone", "user:1", "user:a@b.c"]],
    ["an address that was verified", { email: "a@b.c", email_verified: true }, ["everyone", "user:1", "user:a@b.c"]],
    ["the groups", { groups: ["hr", "staff"] }, ["everyone", "group:hr", "group:staff", "user:1"]],
    ["a group that is no list", { groups: "hr" }, ["everyone", "group:hr", "user:1"]],
  ])("%s", (_what, claims, values) => {
    expect(readers(claims)).toEqual(values);
  });

  test.each<[string, object]>([
    ["an address that was not verified", { email: "a@b.c", email_verified: false }],
    ["an address that was not verified, as a text", { email: "a@b.c", email_verified: "false" }],
    ["empty and blank groups", { groups: ["", " ", "\t"] }],
    ["groups that are no texts", { groups: [null, {}, ["hr"], undefined] }],
    ["groups of an object", { groups: { 0: "hr", hr: true } }],
    ["a group on two lines", { groups: ["x\neveryone", "x\ngroup:hr", "\u2028hr"] }],
    ["a group that is too long", { groups: ["x".repeat(500)] }],
    ["claims of the prototype", Object.create({ groups: ["hr"], email: "a@b.c" })],
  ])("nothing by %s", (_what, claims) => {
    expect(readers(claims)).toEqual(["everyone", "user:1"]);
  });

  test("no group by a name or an address that looks like one", () => {
    expect(readers({ email: "group:hr", groups: ["everyone", "user:boss@b.c"] })).toEqual([
      "everyone",
      "group:everyone",
      "group:user:boss@b.c",
      "user:1",
      "user:group:hr",
    ]);
  });

  test("the same in any order of the groups, since a conversation belongs to its scope", () => {
    expect(readers({ groups: ["b", "a", "b"] })).toEqual(readers({ groups: ["a", "b"] }));
  });
});

describe("a map", () => {
  test("takes claims within others, and names with dots", () => {
    const claims = {
      realm_access: { roles: ["hr"] },
      resource_access: { "my.client": { roles: ["editor"] } },
      "https://example.org/groups": ["board"],
    };
    const templates = ["{realm_access.roles}", "{resource_access.my.client.roles}", "{https://example.org/groups}"];
    expect(readers(claims, { claims: { readers: templates } })).toEqual(["board", "editor", "hr"]);
    expect(readers(claims, { claims: { readers: ["{realm_access}", "{realm_access.roles.0}", "{nothing}"] } })).toEqual(
      [],
    );
  });

  test("may name several keys, all of which a document has to meet, and several claims in one value", () => {
    const claims = { departments: ["hr", "pay"], tenant: "t1", level: 3 };
    expect(
      user(claims, { claims: { Department: ["{departments}"], team: ["{tenant}/{departments}:{level}"] } }),
    ).toMatchObject({
      emend_scope: [
        { key: "department", values: ["hr", "pay"] },
        { key: "team", values: ["t1/hr:3", "t1/pay:3"] },
      ],
    });
  });

  test('that is "all" shows everything, and one without keys nothing', () => {
    expect(readers({}, { claims: "all" })).toBe("all");
    expect(user({}, { claims: {} })?.emend_scope).toEqual([]);
  });
});

test("operators see everything and may upload; uploaders see what they saw", () => {
  const settings = { operators: ["group:admins"], uploaders: ["group:editors"] };
  const rights = (groups: string[]) => {
    const { emend_scope, emend_may_upload, emend_is_operator } = user({ groups }, settings) ?? {};
    return [emend_scope === "all", emend_may_upload, emend_is_operator];
  };
  expect(rights(["admins"])).toEqual([true, true, true]);
  expect(rights(["editors"])).toEqual([false, true, false]);
  expect(rights(["Admins", "admins ", " admins"])).toEqual([false, false, false]);
});

test("a user has a name to show, without control characters", () => {
  expect(user({ name: "Ada", preferred_username: "ada" })?.display_name).toBe("Ada");
  expect(user({ name: "A\u0007", preferred_username: "ada" })?.display_name).toBe("ada");
  expect(user({})?.display_name).toBe("1");
});

test("more values than a condition may have: the first count, and it is said", () => {
  const told: string[] = [];
  const groups = Array.from({ length: 3_000 }, (_, i) => `g${i}`);
  const found = userFrom({ sub: "1", groups }, "i", {}, (message) => void told.push(message));
  const [{ values }] = (found?.emend_scope ?? []) as unknown as [{ values: string[] }];
  expect(values).toHaveLength(2_000);
  expect(values).toEqual(expect.arrayContaining(["everyone", "user:1", "group:g0"]));
  expect(told).toEqual([expect.stringContaining("1 has 3002 names and groups.")]);
});

test.each([[{ sub: "" }], [{ sub: " " }], [{ sub: null }], [{ sub: {} }], [{ sub: "a\nb" }], [{ sub: undefined }]])(
  "nobody is %j",
  (claims) => {
    expect(user(claims)).toBeUndefined();
  },
);
