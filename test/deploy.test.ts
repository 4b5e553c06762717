import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { emend } from "../src/cli/program.js";
import { readProject } from "../src/cli/project.js";
import { variables } from "../src/config.js";
import { git } from "../src/loaders/git.js";

/** Checks that the deployment files match the program: its settings, commands, port and version of Node.js. */
interface Service {
  image?: string;
  environment?: Record<string, string>;
  command?: string[];
  ports?: string[];
}
interface Workflow {
  jobs: Record<string, { strategy?: { matrix: { node: number[] } }; steps: { uses?: string; run?: string }[] }>;
}

const read = (path: string) => readFileSync(path, "utf8");
const dockerfile = read("Dockerfile");
const compose: { services: Record<string, Service> } = parse(read("compose.yaml"));
const images = Object.entries(compose.services);
const example = read(".env.example");
const manifest: { engines: { node: string }; scripts: Record<string, string> } = JSON.parse(read("package.json"));
const kubernetes = read("examples/kubernetes/emend.yaml");
const objects: unknown[] = parseAllDocuments(kubernetes).map((each) => each.toJSON());

const ofTests: { services: Record<string, Service> } = parse(read("compose.test.yaml"));

const { known } = variables({});
/** Settings of emend, as opposed to those of the servers beside it. */
const ours = (names: string[]) =>
  names.filter((name) => /^(?:EMEND|OPENAI)_|^NEO4J_(?:URI|USERNAME|DATABASE|PASSWORD)$/.test(name));
const named = [...example.matchAll(/^#?([A-Z][A-Z\d_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => ({
  name,
  value,
}));
const used = [...read("compose.yaml").matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = ""]) => name);

describe("the settings exist", () => {
  test("in the image and the Compose file", () => {
    const set = [...dockerfile.matchAll(/\b([A-Z][A-Z\d_]+)=/g)].map(([, name = ""]) => name);
    for (const name of ["emend", "langgraph"]) set.push(...Object.keys(compose.services[name]?.environment ?? {}));
    expect(ours(set)).toContain("EMEND_STORE");
    expect(ours(set).filter((name) => !known.includes(name))).toEqual([]);
  });

  test("in .env.example, or the Compose file uses them", () => {
    const names = named.map(({ name }) => name);
    expect(names.filter((name) => ![...known, ...used, "COMPOSE_PROFILES"].includes(name))).toEqual([]);
    expect(used.filter((name) => !names.includes(name))).toEqual([]);
  });

  test("in the Kubernetes manifests", () => {
    const set = values(objects, "env")
      .flat()
      .map((each) => String((each as { name: unknown }).name));
    expect(set).toContain("EMEND_STORE");
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test(".env.example contains no secret, so that no deployment starts with a known one", () => {
  const secrets = named.filter(({ name }) => /TOKENS$|PASSWORD$|SECRET$|KEY$/.test(name));
  expect(secrets.length).toBeGreaterThan(5);
  expect(secrets.filter(({ value }) => value !== "")).toEqual([]);
});

test(".env.test has what the tests with servers read, at the ports of compose.test.yaml", () => {
  const set = new Map(
    [...read(".env.test").matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value] as const),
  );
  const needed = read("test/servers.ts").match(/EMEND_TEST_\w+/g) ?? [];
  expect([...set.keys()].sort()).toEqual([...new Set(needed)].sort());
  const open = Object.values(ofTests.services).flatMap(({ ports = [] }) => ports.map((port) => port.split(":")[1]));
  const asked = [...set.values()].flatMap((value) => URL.parse(value)?.port ?? []);
  expect([...new Set(asked)].sort()).toEqual(open.sort());
  const { neo4j, postgres } = ofTests.services;
  expect(neo4j?.environment?.NEO4J_AUTH).toBe(`neo4j/${set.get("EMEND_TEST_NEO4J_PASSWORD")}`);
  expect(URL.parse(set.get("EMEND_TEST_POSTGRES_URL") ?? "")?.password).toBe(postgres?.environment?.POSTGRES_PASSWORD);
});

test("published ports listen only on the local machine", () => {
  const ports = [...images, ...Object.entries(ofTests.services)].flatMap(([, { ports = [] }]) => ports);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
});

test("images are pinned to a version, and actions to a commit", () => {
  const tags = images.flatMap(([, { image = "" }]) => (image.startsWith("emend") ? [] : image));
  expect([...tags, ...froms()].filter((tag) => !/:\d+\.\d+/.test(tag))).toEqual([]);
  const actions = workflows().flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? [])),
  );
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
});

test("the commands in deployment files exist, with their options", () => {
  const shown = [...dockerfile.matchAll(/^CMD (\[.+\])$/gm)].map(([, list = "[]"]) => JSON.parse(list));
  const commands = [...shown, ...values(objects, "args")] as string[][];
  expect(commands).toContainEqual(["sync"]);
  expect(commands.filter((command) => !isKnown(command))).toEqual([]);
});

test("the scripts that workflows run exist", () => {
  const scripts = workflows().flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run = "" }) =>
        [...run.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name),
      ),
    ),
  );
  expect(scripts).toContain("lint");
  expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
});

test("every deployment file uses a Node.js version that the package allows", () => {
  const oldest = numbers(manifest.engines.node);
  const matrix = workflows().flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ strategy }) => strategy?.matrix.node ?? []),
  );
  const { node_version } = JSON.parse(read("langgraph.json")) as { node_version: string };
  const versions = [...froms().map((from) => from.replace("node:", "")), ...matrix.map(String), node_version];
  expect(matrix).toContain(oldest[0]);
  // A version without a minor number means its newest minor version.
  const allowed = ([major = 0, minor = Infinity]: number[]) =>
    major > (oldest[0] ?? 0) || (major === oldest[0] && minor >= (oldest[1] ?? 0));
  expect(versions.filter((version) => !allowed(numbers(version)))).toEqual([]);
});

test("deployment files use the port that serve listens on", () => {
  const serve = emend().commands.find((command) => command.name() === "serve");
  const [, port = ""] = /default:\s+(\d+)/.exec(serve?.helpInformation() ?? "") ?? [];
  expect(port).toMatch(/^\d+$/);
  expect(dockerfile).toContain(`EXPOSE ${port}\n`);
  expect(dockerfile).toContain(`127.0.0.1:${port}/healthz`);
  expect(compose.services.emend?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(values(objects, "containerPort")).toEqual([Number(port)]);
});

describe("the team in a box", () => {
  const folder = "examples/team";
  const box: { services: Record<string, Service> } = parse(read(`${folder}/compose.yaml`), { merge: true });
  const realm = read(`${folder}/realm.json`);
  const project = read(`${folder}/emend.json`);

  test("has settings, commands and sources that exist", async () => {
    const { emend: server, sync } = box.services;
    expect(ours(Object.keys(server?.environment ?? {})).filter((name) => !known.includes(name))).toEqual([]);
    expect(server?.environment).toEqual(sync?.environment);
    expect(isKnown(sync?.command ?? [])).toBe(true);
    const { collections = {} } = (await readProject(`${folder}/emend.json`)) ?? {};
    const sources = Object.values(collections).flatMap((collection) => collection.sources ?? []);
    expect(sources.map((source) => typeof source === "object" && "loader" in source && source.loader)).toEqual(
      Object.keys(collections).map(() => "emend/loaders#git"),
    );
    const [first] = sources;
    if (typeof first !== "object" || !("options" in first)) throw new Error("It has no loader.");
    expect(() => git(first.options as never)).not.toThrow();
  });

  test("asks for every secret in .env.example, and gives each to whoever uses it", () => {
    const names = [...read(`${folder}/.env.example`).matchAll(/^(\w+)=$/gm)].map(([, name = ""]) => name);
    const wanted = [...read(`${folder}/compose.yaml`).matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
    expect(names.toSorted()).toEqual([...new Set(wanted)].toSorted());
    for (const [, name = ""] of realm.matchAll(/\$\{(\w+)\}/g))
      expect(Object.keys(box.services.keycloak?.environment ?? {})).toContain(name);
    for (const [, name = ""] of project.matchAll(/"\$(\w+)"/g))
      expect(Object.keys(box.services.sync?.environment ?? {})).toContain(name);
  });

  test("gives emend the client, the address and the groups that its realm has", () => {
    const { EMEND_URL, EMEND_OIDC_CLIENT_ID, EMEND_OIDC_ISSUER } = box.services.emend?.environment ?? {};
    const { realm: name, clients, groups } = JSON.parse(realm);
    expect(clients[0]).toMatchObject({ clientId: EMEND_OIDC_CLIENT_ID, redirectUris: [`${EMEND_URL}/auth/callback`] });
    expect(EMEND_OIDC_ISSUER).toBe(`${box.services.keycloak?.environment?.KC_HOSTNAME}/realms/${name}`);
    const readers = new Set([...project.matchAll(/"group:(\w+)"/g)].map(([, group]) => group));
    expect([...readers].toSorted()).toEqual(groups.map((group: { name: string }) => group.name).toSorted());
  });

  test("publishes its ports on this machine alone, and pins its images", () => {
    const all = Object.values(box.services);
    expect(all.flatMap(({ ports = [] }) => ports).filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    expect(all.flatMap(({ image = "" }) => (image === "emend" || /:\d+\.\d+/.test(image) ? [] : [image]))).toEqual([]);
  });
});

const froms = () => [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from = ""]) => from);
const workflows = (): Workflow[] => ["ci", "release"].map((name) => parse(read(`.github/workflows/${name}.yml`)));
const numbers = (version: string) => (/\d+(?:\.\d+)?/.exec(version)?.[0] ?? "").split(".").map(Number);

/** Every value of this key at any depth. */
function values(within: unknown, key: string): unknown[] {
  if (typeof within !== "object" || within === null) return [];
  return Object.entries(within).flatMap(([name, value]) => [...(name === key ? [value] : []), ...values(value, key)]);
}

function isKnown([name, ...rest]: string[]): boolean {
  const command = emend().commands.find((each) => each.name() === name);
  const options = command?.options.map(({ long }) => long) ?? [];
  return command !== undefined && rest.filter((word) => word.startsWith("--")).every((word) => options.includes(word));
}
