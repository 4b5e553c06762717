import { useEffect, useRef, useState } from "preact/hooks";
import { useWords } from "./words.js";

interface ComposerProps {
  hint: string;
  isRunning: boolean;
  /** Something else has to be decided first. */
  isWaiting: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** The box for a question. Enter sends it; Shift and Enter begin a new line. */
export function Composer({ hint, isRunning, isWaiting, onSend, onStop }: ComposerProps) {
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
