import { Neo4jError } from "neo4j-driver";
import { afterEach, describe, expect, test } from "vitest";
import { CypherError, StoreUnavailableError } from "../../../src/errors.js";
import { asError, isWorthAnotherTry, neo4jConnection } from "../../../src/tools/neo4j/connection.js";
import { silentServer } from "./proxy.js";

const PASSWORD = "s3cret-p4ssword";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const connect = (uri: string) => {
  const connection = neo4jConnection({ uri, username: "neo4j", password: PASSWORD });
  closing.push(() => connection.close());
  return connection;
};

describe("a connection to Neo4j", () => {
  test("reports an unreachable server if nothing listens", async () => {
    const reading = connect("bolt://127.0.0.1:1").read("RETURN 1");
    await expect(reading).rejects.toThrow(StoreUnavailableError);
    await expect(reading).rejects.toThrow(/No Neo4j answers at bolt:\/\/127.0.0.1:1 \(.*ECONNREFUSED.*Is it running/);
  });

  test("gives up on a server that accepts a connection and never answers, and leaves no connection open", async () => {
    const server = await silentServer();
    closing.push(server.close);
    const connection = connect(server.uri);
    await expect(connection.read("RETURN 1")).rejects.toThrow(StoreUnavailableError);
    await connection.close();
    await expect.poll(server.connections).toBe(0);
  });

  test("stops at once on an abort, with its reason, whatever the server does", async () => {
    const server = await silentServer();
    closing.push(server.close);
    const stop = new AbortController();
    const reading = connect(server.uri).read("RETURN 1", {}, { signal: stop.signal });
    stop.abort(new Error("the user left"));
    await expect(reading).rejects.toThrow("the user left");
  });

  test.each([
    "garbage",
    "http://localhost:7474",
    "bolt://",
    `neo4j://neo4j:${PASSWORD}@127.0.0.1:1`,
    `ftp://${PASSWORD}@x`,
  ])("names no password if the address is %j", async (uri) => {
    const error: unknown = await connect(uri)
      .read("RETURN 1")
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(everythingIn(error)).not.toContain(PASSWORD);
  });

  test("can be closed twice, and before its first use", async () => {
    const connection = connect("bolt://127.0.0.1:1");
    await connection.close();
    await connection.close();
  });
});

describe("an error of the driver", () => {
  test.each([
    [
      "Neo.ClientError.Security.Unauthorized",
      "The client is unauthorized due to authentication failure.",
      /refuses the user. Check/,
    ],
    ["Neo.ClientError.Security.AuthenticationRateLimit", "too many times in a row", /wait a few seconds/],
    ["Neo.ClientError.Database.DatabaseNotFound", "no such database", /NEO4J_DATABASE/],
    ["ServiceUnavailable", "Failed to connect to server. Caused by: getaddrinfo ENOTFOUND x", /answers.*ENOTFOUND x/],
    ["SessionExpired", "gone", /No Neo4j answers/],
    ["N/A", "Connection acquisition timed out in 5000 ms. Pool status: …", /All 20 connections/],
    ["N/A", "Server responded HTTP. Make sure…", /Bolt port/],
    ["Neo.TransientError.General.DatabaseUnavailable", "starting", /No Neo4j answers/],
  ])("%s means that the store is unavailable: %s", (code, message, said) => {
    const error = asError(new Neo4jError(message, code, "", ""), "bolt://x");
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toMatch(said);
    expect(error.cause).toBeUndefined();
  });

  test.each([
    ["Neo.ClientError.Statement.SyntaxError", true],
    ["Neo.ClientError.Statement.ParameterMissing", true],
    ["Neo.ClientError.Security.Forbidden", true],
    ["Neo.ClientError.Transaction.TransactionTimedOut", false],
    ["Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", false],
    ["Neo.TransientError.Transaction.Terminated", false],
    ["Neo.TransientError.General.MemoryPoolOutOfMemoryError", false],
    ["Neo.TransientError.General.TransactionMemoryLimit", false],
  ])("%s becomes a CypherError that is repairable: %j", (code, isRepairable) => {
    const error = asError(new Neo4jError("what the server says", code, "", ""), "bolt://x");
    expect(error).toBeInstanceOf(CypherError);
    expect(error).toMatchObject({ repairable: isRepairable, message: expect.stringContaining("what the server says") });
  });

  test.each([
    ["ServiceUnavailable", true],
    ["SessionExpired", true],
    ["Neo.TransientError.Transaction.DeadlockDetected", true],
    ["Neo.TransientError.General.MemoryPoolOutOfMemoryError", false],
    ["Neo.TransientError.Transaction.Terminated", false],
    ["Neo.ClientError.Transaction.TransactionTimedOut", false],
    ["Neo.ClientError.Statement.SyntaxError", false],
  ])("%s is worth another try: %j", (code, isWorthIt) => {
    expect(isWorthAnotherTry(new Neo4jError("", code, "", ""))).toBe(isWorthIt);
  });
});

/** Every part of an error that a log or a trace could show. */
const everythingIn = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}${error.stack}${JSON.stringify(error)}${everythingIn(error.cause)}`
    : (JSON.stringify(error) ?? "");
