import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentEvent } from "../types/events.js";
import { Answered } from "./answered.js";
import { CollectionChoice } from "./collection-choice.js";
import { type Listed, listedConversations, rememberConversation } from "./conversations.js";
import { type Beside, Panel } from "./panel.js";
import {
  type Collection,
  conversation,
  type Drawing,
  type ExampleQuestions,
  examples,
  postQuestion,
  TokenWanted,
} from "./server.js";
import { asked, type PageTurn, turnAfter, turnFrom } from "./turn.js";
import { useWords, type Words } from "./words.js";

interface Props {
  thread: string;
  drawing: Drawing | undefined;
  mayUpload: boolean;
  /** Those that can be asked. */
  collections: readonly Collection[];
  /** The name of the one that is asked; empty for all documents. */
  collection: string;
  onCollection: (name: string) => void;
  onListed: (list: Listed[]) => void;
  onTokenWanted: () => void;
}

/** A conversation: its turns, the box for the next question, and beside them what they rest on. */
export function AskView({ thread, drawing, mayUpload, collections, collection, ...props }: Props) {
  const { onCollection, onListed, onTokenWanted } = props;
  const words = useWords();
  const [turns, setTurns] = useState<readonly PageTurn[]>([]);
  const [beside, setBeside] = useState<Beside>();
  const [said, setSaid] = useState("");
  const [fault, setFault] = useState("");
  const running = useRef<AbortController>(undefined);
  const last = turns.at(-1);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (listedConversations().some(({ id }) => id === thread)) read().catch(failed);
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

  /** Asks, or replies to what the last turn waits for. */
  async function say(text: string, goesOn: boolean) {
    const stop = new AbortController();
    running.current = stop;
    const waited = goesOn ? last?.waiting : undefined;
    let isHeard = false;
    setBeside(undefined);
    setFault("");
    if (goesOn) change(({ waiting: _, ...turn }) => ({ ...turn, isRunning: true }));
    else {
      setTurns((turns) => [...turns, asked(text)]);
      onListed(rememberConversation(thread, text, collection));
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

  return (
    <>
      <main class="conversation">
        <div class="turns" ref={box}>
          {turns.length === 0 && (
            <Start
              mayUpload={mayUpload}
              collection={collections.find(({ name }) => name === collection)}
              onAsk={(question) => say(question, false)}
            />
          )}
          {turns.map((turn, i) => (
            <Answered
              key={i}
              turn={turn}
              thread={thread}
              onCited={(quotes) => setBeside({ quotes, computed: turn.computed?.[quotes[0]?.evidenceId ?? ""] })}
              onRoute={() => setBeside({ routeOf: i })}
              onReply={(reply) => say(reply, true)}
            />
          ))}
          {fault && (
            <p class="fault" role="alert">
              {fault}
            </p>
          )}
        </div>
        <CollectionChoice
          label={words.askIn}
          none={words.everywhere}
          {...{ collections, collection, onChoose: onCollection }}
        />
        <Composer
          hint={last?.waiting?.type === "clarify" ? words.reply : turns.length > 0 ? words.followUp : words.question}
          isRunning={last?.isRunning ?? false}
          isWaiting={last?.waiting?.type === "approve"}
          onSend={(text) => say(text, false)}
          onStop={() => running.current?.abort()}
        />
        <div class="unseen" role="status">
          {said}
        </div>
      </main>
      {beside && (
        <Panel
          shown={beside}
          turn={"routeOf" in beside ? turns[beside.routeOf] : undefined}
          drawing={drawing}
          onClose={() => setBeside(undefined)}
        />
      )}
    </>
  );
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

interface StartProps {
  mayUpload: boolean;
  /** The one that is asked; undefined for all documents. */
  collection: Collection | undefined;
  onAsk: (question: string) => void;
}

/** An empty conversation: what is stored, what can be asked, and how documents are added. */
function Start({ mayUpload, collection, onAsk }: StartProps) {
  const words = useWords();
  const [found, setFound] = useState<ExampleQuestions>();
  useEffect(() => {
    // The page works without examples, and a missing token is noticed elsewhere.
    let isLeft = false;
    examples(words.language, collection?.name ?? "").then(
      (now) => isLeft || setFound(now),
      () => {},
    );
    return () => {
      isLeft = true;
    };
  }, [words, collection?.name]);
  const { documents = 0, titles = [], questions = [] } = found ?? {};
  return (
    <div class="welcome">
      <h2>{words.welcome}</h2>
      <p>{words.promise}</p>
      {collection?.description && <p>{collection.description}</p>}
      {documents > 0 && <p>{words.stored(documents, titles)}</p>}
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" class="second" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">
        {mayUpload ? (
          words.dropToAdd
        ) : (
          <>
            {words.toAdd} <code>{words.addBy}</code>
          </>
        )}
      </p>
    </div>
  );
}

interface ComposerProps {
  hint: string;
  isRunning: boolean;
  /** Something else has to be decided first. */
  isWaiting: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** The box for a question. Enter sends it; Shift and Enter begin a new line. */
function Composer({ hint, isRunning, isWaiting, onSend, onStop }: ComposerProps) {
  const words = useWords();
  const [text, setText] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const send = () => {
    if (text.trim() === "" || isRunning || isWaiting) return;
    onSend(text.trim());
    setText("");
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        id="question"
        ref={box}
        rows={1}
        maxLength={20_000}
        aria-label={words.question}
        placeholder={hint}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          // Enter also confirms a Chinese character in an input method.
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isRunning ? (
        <button type="button" onClick={onStop}>
          {words.stop}
        </button>
      ) : (
        <button type="submit" disabled={text.trim() === "" || isWaiting}>
          {words.send}
        </button>
      )}
    </form>
  );
}
