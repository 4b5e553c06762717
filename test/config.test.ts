import { describe, expect, test } from "vitest";
import { loadSettings, withVariables } from "../src/config.js";
import { UsageError } from "../src/errors.js";
import { withoutPassword } from "../src/text/address.js";
import { storeFolder, storeName } from "../src/tools/store/settings.js";
import { fetchOptions, pagesKept } from "../src/tools/web/web-reader.js";

describe("the location of the store", () => {
  test.each(["notes", "./s3", "C:\\\\notes", "postgres://u:p%23@h:5433/d", "postgresql:///d?host=/run"])(
    "may be %s",
    (store) => {
      expect(loadSettings({ store }, {}).store).toBe(store);
      expect(loadSettings({}, { EMEND_STORE: store }).store).toBe(store);
    },
  );

  test.each([
    "mysql://u:secret@h/d",
    "ftp://secret/a",
    "https://u:secret@h",
    "postgres://u:sec#ret/@h/d",
    "postgres://u:secret@h:x/d",
  ])("is refused, without naming its password, if it is %s", (store) => {
    expect(() => loadSettings({}, { EMEND_STORE: store })).toThrow(UsageError);
    expect(() => loadSettings({}, { EMEND_STORE: store })).toThrow(/^The store must be (?!.*(?:secret|sec#))/);
  });

  test("in Postgres is named without its password, and web pages are not cached beside it", () => {
    const settings = loadSettings({}, { EMEND_STORE: "postgres://u:secret@h:5433/d" });
    expect(pagesKept(settings)).toEqual({});
    expect(storeName(settings)).toBe("postgres://h:5433/d");
    expect([storeFolder(settings), storeFolder({ store: "notes" })]).toEqual([".emend", "notes"]);
  });

  test("of a graph is named without user and password", () => {
    expect(withoutPassword("postgres://u:secret@h:5433/d?password=secret")).toBe("postgres://h:5433/d");
    expect(withoutPassword("https://u:secret@h:443/v1/")).toBe("https://h/v1");
  });
});

describe("the settings of the encoder", () => {
  test("come from the environment, and those of a program take precedence", () => {
    const env = { EMEND_ENCODER_PATIENCE: "0.5", EMEND_ENCODER_THREADS: "3" };
    expect(loadSettings({ encoderPatience: 0 }, env)).toMatchObject({ encoderPatience: 0, encoderThreads: 3 });
    expect(loadSettings({}, env)).toMatchObject({ encoderPatience: 0.5 });
  });

  test.each([
    ["EMEND_ENCODER_PATIENCE", "soon"],
    ["EMEND_ENCODER_THREADS", "0"],
  ])("are refused by name if they are invalid: %s=%j", (name, value) => {
    expect(() => loadSettings({}, { [name]: value })).toThrow(name);
  });
});

describe("the address of the server", () => {
  test("comes from EMEND_URL, without the slash at its end, and that of a program takes precedence", () => {
    const env = { EMEND_URL: "https://emend.example.org/docs/" };
    expect(loadSettings({}, env).url).toBe("https://emend.example.org/docs");
    expect(loadSettings({ url: "http://[::1]:8787" }, env).url).toBe("http://[::1]:8787");
    expect(loadSettings({}, {}).url).toBeUndefined();
  });

  test.each(["emend.example.org", "javascript:alert(1)", "https://a.example/?x", "https://u:p@a.example", "https:///"])(
    "is refused by name if it is %s",
    (url) => {
      expect(() => loadSettings({}, { EMEND_URL: url })).toThrow(/^EMEND_URL: must be a web address/);
      expect(() => loadSettings({ url }, {})).toThrow(/^url: must be a web address/);
    },
  );
});

describe("settings per question", () => {
  test("come from EMEND_CONTEXT, and a program can override them", () => {
    const context = { passages: 4, web: { pages: 2 } };
    const env = { EMEND_CONTEXT: '{"generateAt": 0.75, "passages": 12, "web": {"region": "nl"}}' };
    expect(loadSettings({ context }, env).context).toMatchObject({
      ...{ generateAt: 0.75, passages: 4, web: { pages: 2, region: "nl" } },
    });
    expect(loadSettings({ context }, {}).context).toBe(context);
  });

  test.each([
    ["{generateAt: 0.7}", /^EMEND_CONTEXT: .*expected object/],
    ['{"generateAt": 7}', /^EMEND_CONTEXT: generateAt: /],
    ['{"genrateAt": 0.7}', /^EMEND_CONTEXT: .*genrateAt/],
  ])("are refused if they are %s, with an example of valid settings", (text, said) => {
    const load = () => loadSettings({}, { EMEND_CONTEXT: text });
    expect(load).toThrow(UsageError);
    expect(load).toThrow(said);
    expect(load).toThrow('It looks like {"generateAt": 0.7}');
  });
});

describe("the settings for reading web pages", () => {
  test("have defaults: robots.txt is honoured, and 100 MB of pages are cached beside the documents", () => {
    const settings = loadSettings({ store: "s" }, {});
    expect(fetchOptions(settings)).toEqual({});
    expect(pagesKept(settings)).toMatchObject({ cache: { bytes: 100_000_000 } });
  });

  test("come from the environment", () => {
    const settings = loadSettings(
      {},
      { EMEND_ROBOTS_TXT: "ignore", EMEND_CONTACT: "https://example.org/bot", EMEND_PAGE_CACHE_MB: "0" },
    );
    expect(fetchOptions(settings)).toEqual({
      robots: false,
      userAgent: "emend/0.1 (https://example.org/bot; reads pages that a person asks for or about)",
    });
    expect(pagesKept(settings)).toEqual({});
  });

  test("of a program take precedence over the environment", () => {
    const settings = loadSettings({ robots: true, pageCache: 5 }, { EMEND_ROBOTS_TXT: "ignore" });
    expect(fetchOptions(settings)).toEqual({ robots: true });
    expect(pagesKept(settings)).toMatchObject({ cache: { bytes: 5_000_000 } });
  });

  test.each([
    ["EMEND_ROBOTS_TXT", "no"],
    ["EMEND_CONTACT", "line\r\nbreak"],
    ["EMEND_CONTACT", "(brackets)"],
    ["EMEND_PAGE_CACHE_MB", "-1"],
    ["EMEND_PAGE_CACHE_MB", "much"],
  ])("are refused by name if they are invalid: %s=%j", (name, value) => {
    expect(() => loadSettings({}, { [name]: value })).toThrow(UsageError);
    expect(() => loadSettings({}, { [name]: value })).toThrow(name);
  });
});

describe("a variable in the options of a source", () => {
  test("stands anywhere in a text, and its value is a secret", () => {
    const given = {
      token: "$TOKEN",
      auth: ["Basic $USER_1:$TOKEN"],
      price: "$$5 or $ 5",
      limit: 3,
      deep: [{ a: null }],
    };
    expect(withVariables(given, { TOKEN: "$USER_1", USER_1: "ada" })).toEqual({
      options: { token: "$USER_1", auth: ["Basic ada:$USER_1"], price: "$5 or $ 5", limit: 3, deep: [{ a: null }] },
      secrets: ["$USER_1", "ada"],
    });
    expect(withVariables(undefined, {})).toEqual({ options: undefined, secrets: [] });
  });

  test.each([[{}], [{ TOKEN: "" }]])("that is not set is named", (environment) => {
    expect(() => withVariables({ a: ["$TOKEN"] }, environment)).toThrow("The variable TOKEN is not set.");
    expect(() => withVariables({ a: ["$TOKEN"] }, environment)).toThrow(UsageError);
  });
});
