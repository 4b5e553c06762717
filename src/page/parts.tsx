import type { Ref } from "preact";
import { markedIn, type Quoted } from "./passage.js";

interface TextField {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Default: true. Without it, the field is disabled. */
  isNeeded?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

/** A line of text that a form needs. */
export const TextField = ({ label, value, onValue, isNeeded = true, inputRef = null }: TextField) => (
  <label>
    {label}
    <input
      ref={inputRef}
      required={isNeeded}
      disabled={!isNeeded}
      maxLength={1_000}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  </label>
);

export const CheckBox = ({ label, checked, onChecked }: CheckBox) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChecked(currentTarget.checked)} />
    {label}
  </label>
);

interface CheckBox {
  label: string;
  checked: boolean;
  onChecked: (checked: boolean) => void;
}

/** A passage with its quotes marked. */
export const Marked = ({ text, quotes }: { text: string; quotes: readonly Quoted[] }) => (
  <>{markedIn(text, quotes).map(({ text, isQuote }, i) => (isQuote ? <mark key={i}>{text}</mark> : text))}</>
);
