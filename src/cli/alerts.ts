import { spawn } from "node:child_process";
import type { Settings } from "../config.js";
import { toError, UsageError } from "../errors.js";
import { type AlertRule, alertInWords, alertName, alertStates } from "../tools/runs/alerts.js";
import type { Runs } from "../tools/runs/port.js";
import { sqlRuns } from "../tools/runs/sql.js";
import { settingsOf, usingDatabase } from "./open.js";
import { type Destination, projectAlerts } from "./project.js";
import { type CommandRun, EXIT } from "./run.js";
import { warn } from "./screen.js";

/** What a destination receives. */
interface Alert {
  alert: string;
  state: "raised" | "resolved" | "test";
  text: string;
  /** ISO time. */
  at: string;
}

/** `emend alerts`: checks the recorded runs against the rules, sends new alerts, and prints the state of each rule. */
export const alertsCommand: CommandRun = async (_words, options) => {
  const alerts = await projectAlerts(options.config);
  const settings = settingsOf(options);
  await using database = usingDatabase(settings);
  const states = await alertCheck(settings, sqlRuns(database), alerts)();
  for (const state of states) process.stdout.write(`${stateInWords(state)}\n`);
  return states.some(({ raised }) => raised) ? EXIT.fault : EXIT.done;
};

/** `emend alerts test`: sends a test to every destination, and says how many accepted it. */
export const testAlertsCommand: CommandRun = async (_words, options) => {
  const alerts = await projectAlerts(options.config);
  const at = new Date().toISOString();
  const failed = await deliver({ alert: "test", state: "test", text: "emend: a test of its alerts.", at }, alerts.to);
  process.stdout.write(`Sent to ${alerts.to.length - failed} of ${alerts.to.length} destinations.\n`);
  return failed > 0 ? EXIT.fault : EXIT.done;
};

const stateInWords = (state: Awaited<ReturnType<typeof alertStates>>[number]) =>
  state.raised === undefined
    ? `unknown  ${alertName(state.rule)}: fewer than ${state.rule.least} cases`
    : `${state.raised ? "raised  " : "quiet   "} ${alertInWords(state)}`;

/**
 * Returns a check of the rules that sends each alert once when it is raised and once when it is resolved, also if several
 * processes check at the same time. The store remembers which alerts are raised.
 * @throws UsageError if a rule watches the cost, and the price of tokens is not set.
 */
export function alertCheck(
  { price }: Settings,
  runs: Pick<Runs, "totals" | "noteAlert">,
  { rules, to }: { rules: readonly AlertRule[]; to: readonly Destination[] },
) {
  if (!price && rules.some(({ metric }) => metric === "cost"))
    throw new UsageError(
      "An alert watches the cost. Set EMEND_PRICE to what a million tokens cost, such as 0.15/0.60.",
    );
  return async () => {
    const states = await alertStates(runs, rules, price);
    for (const state of states) {
      const { raised } = state;
      const alert = alertName(state.rule);
      // Noted before it is sent, so that no other process sends it too.
      if (raised === undefined || !(await runs.noteAlert(alert, raised))) continue;
      const text = `emend, alert ${raised ? "raised" : "resolved"}: ${alertInWords(state)}`;
      warn(text);
      const at = new Date().toISOString();
      const failed = await deliver({ alert, state: raised ? "raised" : "resolved", text, at }, to);
      // An alert that reached no destination is sent again at the next check.
      if (to.length > 0 && failed === to.length) await runs.noteAlert(alert, !raised);
    }
    return states;
  };
}

/**
 * Sends to every destination, and returns how many failed. Failures are reported on stderr without the address, which
 * may be secret.
 */
async function deliver(alert: Alert, to: readonly Destination[]): Promise<number> {
  const sent = await Promise.allSettled(to.map((destination) => send(alert, destination)));
  const failed = sent.flatMap((one, i) => (one.status === "rejected" ? [{ i, reason: toError(one.reason) }] : []));
  for (const { i, reason } of failed) warn(`The alert did not reach destination ${i + 1}: ${reason.message}`);
  return failed.length;
}

async function send(alert: Alert, destination: Destination): Promise<void> {
  if ("command" in destination) return runCommand(destination.command, JSON.stringify(alert));
  const [address, body] =
    "slack" in destination ? [destination.slack, { text: alert.text }] : [destination.webhook, alert];
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it answered with status ${response.status}.`);
}

/** Runs a program, without a shell, with the alert on its stdin. */
const runCommand = ([program = "", ...words]: readonly string[], input: string) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["pipe", "ignore", "ignore"], timeout: TIMEOUT });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code ?? "a signal"}.`)),
    );
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });

/** Milliseconds that a destination may take. */
const TIMEOUT = 10_000;
