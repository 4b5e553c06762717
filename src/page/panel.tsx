import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Cited } from "../types/conversation.js";
import type { Computed } from "../types/table.js";
import { SourceView } from "./source.js";
import { useWords } from "./words.js";

interface PanelProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** What is beside the conversation. On a small screen it covers everything else. */
export function Panel({ title, onClose, children }: PanelProps) {
  const words = useWords();
  const panel = useRef<HTMLElement>(null);
  // Before the browser paints, so that the next key goes where the reader looks.
  useLayoutEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    const close = ({ key }: KeyboardEvent) => key === "Escape" && onClose();
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("keydown", close);
      // The focus goes back, unless the reader has moved it. The body has it when the focused button is gone.
      const now = document.activeElement;
      if (before instanceof HTMLElement && (now === document.body || panel.current?.contains(now))) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <aside class="panel" aria-label={title} tabIndex={0} ref={panel}>
      <div class="head">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label={words.close} onClick={onClose}>
          ×
        </button>
      </div>
      {children}
    </aside>
  );
}

/** The quotes behind a marker, and what was computed for them. */
export interface Source {
  quotes: readonly Cited[];
  computed: Computed | undefined;
}

/** A source in a panel. */
export function SourcePanel({ source, onClose }: { source: Source; onClose: () => void }) {
  const words = useWords();
  const [first = NOTHING] = source.quotes;
  return (
    <Panel title={source.computed ? words.figure : words.quote} onClose={onClose}>
      <SourceView key={first.evidenceId} cited={first} {...source} />
    </Panel>
  );
}

const NOTHING = { evidenceId: "", source: "document", title: "", section: "", uri: "" } as const;
