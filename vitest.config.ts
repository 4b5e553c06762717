import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import type { Vitest } from "vitest/node";
import { SEED } from "./test/seed.js";

/**
 * The kinds of tests. `npm test` runs `unit`, `isolated` and `cli`, which need nothing but this machine; `test:servers` runs
 * `servers` and `databases`, which talk to real servers and are apart so that databases can be tested beside other suites;
 * `test:page` needs a browser, and `test:package` installs what would be published.
 */
const TESTS = "test/**/*.test.ts";
const CLI = "test/cli/**/*.test.ts";
const ISOLATED = "test/{langgraph-server,tools/encoder,tools/process}/**/*.test.ts";
const SERVERS = "test/**/*.servers.test.ts";
const DATABASES = ["test/tools/neo4j/**/*.servers.test.ts", "test/{cases,loaders,tools/*}/postgres.servers.test.ts"];
const BROWSER = "test/**/*.browser.test.ts";
const PACKAGE = "test/package.test.ts";
const RESULTS = process.env.EMEND_TEST_RESULTS;
const MINUTE = 60_000;
const seedReporter = {
  onInit: ({ logger }: Vitest) => logger.log(`Properties begin with the seed ${SEED} (EMEND_TEST_SEED sets another).`),
};

export default defineConfig({
  test: {
    // The embedded store is a native module with threads of its own: processes, and few of them at once. One more than two
    // cores, since a test waits for a sixth of its time.
    pool: "forks",
    maxWorkers: 3,
    // Properties are tried on the same texts in every run, and say on which.
    setupFiles: ["test/seed.setup.ts"],
    // A busy machine is slow; a test that hangs still ends.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Each one that opens the parts of the settings would start an encoder of its own. Tests of it start it themselves.
    // Nor may they find what somebody ingested in this folder.
    // Models are scripted, so only tests of the trial try them.
    env: {
      EMEND_ENCODER: "off",
      EMEND_STORE: join(tmpdir(), "emend-no-store", `${process.pid}`),
      EMEND_MODEL_USE: "all",
    },
    // Where a script wants to count, it names a file.
    reporters: RESULTS ? ["default", seedReporter, ["json", { outputFile: RESULTS }]] : ["default", seedReporter],
    projects: [
      {
        extends: true,
        // Files take turns in the same process, since loading takes longer than most of their tests.
        test: {
          name: "unit",
          include: [TESTS],
          exclude: [CLI, ISOLATED, SERVERS, BROWSER, PACKAGE],
          isolate: false,
        },
      },
      // What a file of these leaves in its process would be in the way of the next.
      { extends: true, test: { name: "isolated", include: [ISOLATED], exclude: [SERVERS], testTimeout: MINUTE } },
      {
        extends: true,
        test: {
          name: "cli",
          include: [CLI],
          exclude: [SERVERS],
          // The program is loaded once a process. `run` puts the folder and the variables back after each command.
          isolate: false,
          globalSetup: "test/cli/build.ts",
          testTimeout: MINUTE,
        },
      },
      {
        extends: true,
        test: {
          name: "servers",
          include: [SERVERS],
          exclude: DATABASES,
          globalSetup: ["test/servers.ts", "test/cli/build.ts"],
          testTimeout: 5 * MINUTE,
          hookTimeout: 5 * MINUTE,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: "databases",
          include: DATABASES,
          globalSetup: "test/servers.ts",
          testTimeout: 5 * MINUTE,
          hookTimeout: 5 * MINUTE,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: { name: "page", include: [BROWSER], globalSetup: "test/cli/build.ts", hookTimeout: MINUTE },
      },
      {
        extends: true,
        test: { name: "package", include: [PACKAGE], testTimeout: 5 * MINUTE, hookTimeout: 10 * MINUTE },
      },
    ],
  },
});
