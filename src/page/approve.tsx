import { useState } from "preact/hooks";
import { useWords } from "./words.js";

/** Shows the queries that would go to a web search: to be sent, changed or refused. */
export function Approve({ queries, onReply }: { queries: readonly string[]; onReply: (reply: string) => void }) {
  const words = useWords();
  const shown = queries.join("\n");
  const [text, setText] = useState(shown);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        onReply(text === shown ? "yes" : text.trim() || "no");
      }}
    >
      <label>
        <strong>{words.maySearch}</strong> <span class="hint">{words.oneEach}</span>
        <textarea
          rows={Math.max(2, queries.length)}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit">{words.search}</button>
        <button type="button" class="second" onClick={() => onReply("no")}>
          {words.dont}
        </button>
      </div>
    </form>
  );
}
