import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentEvent } from "../types/events.js";
import { conversation, postQuestion, TokenWanted } from "./server.js";
import { asked, type PageTurn, turnAfter, turnFrom } from "./turn.js";
import { useWords, type Words } from "./words.js";

interface Talk {
  thread: string;
  /** True if the server may have turns of it already. */
  isKept: boolean;
  /** The only collection to search; empty for all. */
  collection?: string;
  onAsked: (question: string) => void;
  onTokenWanted: () => void;
}

/** A conversation as it goes on. */
export function useTalk({ thread, isKept, collection = "", onAsked, onTokenWanted }: Talk) {
  const words = useWords();
  const [turns, setTurns] = useState<readonly PageTurn[]>([]);
  const [said, setSaid] = useState("");
  const [fault, setFault] = useState("");
  const running = useRef<AbortController>(undefined);
  const last = turns.at(-1);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isKept) read().catch(failed);
    return () => running.current?.abort();
  }, []);
  useEffect(() => {
    // The last turn fills the box, so that its answer grows in view.
    box.current?.querySelector("article:last-of-type")?.scrollIntoView({ block: "start" });
  }, [turns.length]);

  /** Reads what the server has of this conversation. */
  async function read() {
    const { turns, waiting } = await conversation(thread);
    if (turns.length === 0) setFault(words.gone);
    const before = turns.map((turn, i) => turnFrom(turn, i === turns.length - 1 ? waiting : undefined));
    // What was asked in the meantime stays.
    setTurns((now) => [...before, ...now]);
  }

  function failed(error: unknown) {
    if (error instanceof TokenWanted) onTokenWanted();
    else setFault(error instanceof Error ? error.message : String(error));
  }

  const change = (by: (turn: PageTurn) => PageTurn) =>
    setTurns((turns) => turns.map((turn, i) => (i === turns.length - 1 ? by(turn) : turn)));

  async function say(text: string, goesOn: boolean) {
    const stop = new AbortController();
    running.current = stop;
    const waited = goesOn ? last?.waiting : undefined;
    let isHeard = false;
    setFault("");
    if (goesOn) change(({ waiting: _, ...turn }) => ({ ...turn, isRunning: true }));
    else {
      setTurns((turns) => [...turns, asked(text)]);
      onAsked(text);
    }
    try {
      for await (const event of postQuestion(text, thread, collection, stop.signal)) {
        isHeard = true;
        change((turn) => turnAfter(turn, event));
        setSaid((before) => aloud(event, words) || before);
      }
      change((turn) => ({ ...turn, isRunning: false }));
    } catch (error) {
      change((turn) => ({
        ...turn,
        isRunning: false,
        fault: stop.signal.aborted ? words.stopped : "",
        ...(waited && !isHeard && { waiting: waited }),
      }));
      if (!stop.signal.aborted) failed(error);
    }
  }

  return {
    turns,
    last,
    /** What a screen reader says now. */
    said,
    fault,
    /** What the box for the next question says of it; empty for the first. */
    hint: last?.waiting?.type === "clarify" ? words.reply : turns.length > 0 ? words.followUp : "",
    /** The element that holds the turns, and scrolls. */
    box,
    /** Asks, or replies to what the last turn waits for. */
    say,
    stop: () => running.current?.abort(),
  };
}

/** What a screen reader says as the answer grows. */
function aloud(event: AgentEvent, words: Words): string {
  if (event.type === "claim") return event.claim.text;
  if (event.type === "clarify") return event.question;
  if (event.type === "approve") return words.maySearch;
  if (event.type !== "answer") return "";
  const { claims, text, references } = event.answer;
  return claims.length > 0 ? words.done(references.length) : text;
}
