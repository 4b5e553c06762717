import { useEffect, useRef, useState } from "preact/hooks";
import { tell } from "./server.js";
import { useWords } from "./words.js";

/** The reader's opinion of an answer. The verdict is sent at once, and again with a reason if the reader gives one. */
export function FeedbackForm({ thread, question }: { thread: string; question: string }) {
  const words = useWords();
  const [verdict, setVerdict] = useState<"up" | "down">();
  const [reason, setReason] = useState("");
  const [expected, setExpected] = useState("");
  const [reply, setReply] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), [verdict]);

  const send = (verdict: "up" | "down") =>
    tell({ threadId: thread, question, verdict, reason, expected: verdict === "down" ? expected : "" });
  const judge = (verdict: "up" | "down") => {
    setVerdict(verdict);
    setReply("");
    send(verdict).catch((error: Error) => setReply(error.message));
  };
  const thumb = (name: "up" | "down") => (
    <button
      type="button"
      class="quiet thumb"
      aria-pressed={verdict === name}
      aria-label={name === "up" ? words.good : words.bad}
      title={name === "up" ? words.good : words.bad}
      onClick={() => judge(name)}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" class={name}>
        <path d="M2 21h4V9H2zm20-11a2 2 0 0 0-2-2h-6l1-5-1.5-2L7 8v11a2 2 0 0 0 2 2h8a2 2 0 0 0 2-1.5l3-7z" />
      </svg>
    </button>
  );
  return (
    <div class="feedback">
      {thumb("up")}
      {thumb("down")}
      {verdict && reply === "" && (
        <form
          ref={form}
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            send(verdict).then(
              () => setReply(words.thanks),
              (error: Error) => setReply(error.message),
            );
          }}
        >
          <label>
            {words.why}
            <textarea
              rows={2}
              maxLength={2_000}
              value={reason}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </label>
          {verdict === "down" && (
            <label>
              {words.expected}
              <input
                maxLength={1_000}
                value={expected}
                onInput={({ currentTarget }) => setExpected(currentTarget.value)}
              />
            </label>
          )}
          <button type="submit">{words.tell}</button>
        </form>
      )}
      {reply && <p role="status">{reply}</p>}
    </div>
  );
}
