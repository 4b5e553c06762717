import { useLayoutEffect, useRef } from "preact/hooks";
import type { Cited } from "../types/conversation.js";
import type { Computed } from "../types/table.js";
import { RouteView } from "./route.js";
import type { Drawing } from "./server.js";
import { SourceView } from "./source.js";
import type { PageTurn } from "./turn.js";
import { useWords } from "./words.js";

/** What is beside the conversation: the quotes behind a marker with what was computed, or the route of a turn. */
export type Beside = { quotes: readonly Cited[]; computed: Computed | undefined } | { routeOf: number };

interface Props {
  shown: Beside;
  /** The turn whose route is shown. */
  turn: PageTurn | undefined;
  drawing: Drawing | undefined;
  onClose: () => void;
}

/**
 * Beside the conversation: the quotes behind a marker, or the route of a turn. On a small screen it covers everything
 * else.
 */
export function Panel({ shown, turn, drawing, onClose }: Props) {
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
  const title = !("quotes" in shown) ? words.route : shown.computed ? words.figure : words.quote;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <aside class="panel" aria-label={title} tabIndex={0} ref={panel}>
      <div class="head">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label={words.close} onClick={onClose}>
          ×
        </button>
      </div>
      {"quotes" in shown ? (
        <SourceView
          key={shown.quotes[0]?.evidenceId}
          cited={shown.quotes[0] ?? NOTHING}
          quotes={shown.quotes}
          computed={shown.computed}
        />
      ) : (
        <RouteView turn={turn} drawing={drawing} />
      )}
    </aside>
  );
}

const NOTHING = { evidenceId: "", source: "document", title: "", section: "", uri: "" } as const;
