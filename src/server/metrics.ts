import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Encoder } from "../tools/encoder/port.js";
import type { Answer } from "../types/answer.js";

/** What a server counts, for Prometheus. */
export function meters(encoder?: Encoder) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const questions = new Counter({
    name: "emend_questions_total",
    help: "Questions by how they ended: answered, partial, refused, needs_clarification, unavailable since a part failed, or stopped by a fault or a client that left.",
    labelNames: ["status"],
    registers,
  });
  const seconds = new Histogram({
    name: "emend_question_seconds",
    help: "Seconds from a question to its answer.",
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
    registers,
  });
  const running = new Gauge({ name: "emend_questions_running", help: "Questions that are being answered.", registers });
  const calls = new Counter({ name: "emend_model_calls_total", help: "Calls to a chat model.", registers });
  const tokens = new Counter({
    name: "emend_model_tokens_total",
    help: "Tokens to (in) and from (out) a chat model.",
    labelNames: ["direction"],
    registers,
  });
  const refused = new Counter({
    name: "emend_questions_refused_total",
    help: "Questions that were refused (429), since the judge could not have answered them in time.",
    registers,
  });
  const faults = new Counter({
    name: "emend_faults_total",
    help: "Parts that failed, each failure once for a question, also where the answer did without them.",
    labelNames: ["part"],
    registers,
  });
  new Gauge({
    name: "emend_judge_behind_seconds",
    help: "Seconds that a question asked now would wait for the judge.",
    registers,
    collect() {
      this.set(encoder?.load?.().behind ?? 0);
    },
  });
  new Counter({
    name: "emend_judge_busy_total",
    help: "Times that a question went on without the judge, since it would have waited too long (judge_busy).",
    registers,
    collect() {
      this.reset();
      this.inc(encoder?.load?.().turnedAway ?? 0);
    },
  });
  return {
    refused: () => refused.inc(),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    /** Counts a question from now on; the returned function says how it ended. */
    begun() {
      running.inc();
      const answered = seconds.startTimer();
      let isOpen = true;
      return (end: Answer | "stopped") => {
        if (!isOpen) return;
        isOpen = false;
        running.dec();
        questions.inc({ status: typeof end === "string" ? end : end.status });
        if (typeof end === "string") return;
        answered();
        for (const { part } of end.faults) faults.inc({ part });
        calls.inc(end.spend.calls);
        tokens.inc({ direction: "in" }, end.spend.inputTokens);
        tokens.inc({ direction: "out" }, end.spend.outputTokens);
      };
    },
  };
}

export type Meters = ReturnType<typeof meters>;
