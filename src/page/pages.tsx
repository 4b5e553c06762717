import { useEffect, useRef, useState } from "preact/hooks";
import { type PagePlaces, pageAsPicture, placesOnPage } from "./server.js";
import { useWords } from "./words.js";

interface Props {
  /** The passage that the quotes are of. */
  id: string;
  documentId: string;
  quotes: readonly string[];
}

/** How wide a page can be, in widths of its box. */
const ZOOMS = [1, 1.5, 2, 3];

/** The pages of a document as they are printed, beginning with that of a passage, on which its quotes are marked. */
export function Pages({ id, documentId, quotes }: Props) {
  const words = useWords();
  const [wanted, setWanted] = useState<number>();
  const [shown, setShown] = useState<PagePlaces & { picture: string }>();
  const [fault, setFault] = useState("");
  const [zoom, setZoom] = useState(0);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    let isLeft = false;
    let picture = "";
    const read = async () => {
      const places = await placesOnPage(id, quotes, wanted);
      picture = await pageAsPicture(documentId, places.page);
      if (isLeft) URL.revokeObjectURL(picture);
      else setShown({ ...places, picture });
    };
    setFault("");
    read().catch((error: Error) => isLeft || setFault(error.message));
    return () => {
      isLeft = true;
      URL.revokeObjectURL(picture);
    };
  }, [id, wanted]);
  const toQuote = () => {
    const [first] = shown?.boxes ?? [];
    const { current } = box;
    if (current) current.scrollTop = first ? first.y * current.scrollHeight - current.clientHeight / 3 : 0;
    if (current) current.scrollLeft = first ? first.x * current.scrollWidth - current.clientWidth / 3 : 0;
  };
  useEffect(toQuote, [zoom]);

  if (!shown) return fault ? <p class="fault">{fault}</p> : <p>{words.loading}</p>;
  const { page, pages, boxes, picture } = shown;
  const isMissing = wanted === undefined && quotes.length > 0 && boxes.length === 0;
  const turn = (by: number, name: string, sign: string) => (
    <button
      type="button"
      class="second"
      aria-label={name}
      title={name}
      disabled={page + by < 1 || page + by > pages}
      onClick={() => setWanted(page + by)}
    >
      {sign}
    </button>
  );
  const size = (by: number, name: string, sign: string) => (
    <button
      type="button"
      class="second"
      aria-label={name}
      title={name}
      disabled={ZOOMS[zoom + by] === undefined}
      onClick={() => setZoom(zoom + by)}
    >
      {sign}
    </button>
  );
  return (
    <div class="pages">
      <p class="buttons">
        {turn(-1, words.previousPage, "‹")}
        <span role="status">{words.pageOf(page, pages)}</span>
        {turn(1, words.nextPage, "›")}
        <span class="apart">
          {size(-1, words.smaller, "−")}
          {size(1, words.larger, "+")}
        </span>
      </p>
      {fault && <p class="fault">{fault}</p>}
      {isMissing && <p class="hint">{words.notOnPage}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <section class="sheet" aria-label={words.pageOf(page, pages)} tabIndex={0} ref={box}>
        <div class="paper" style={{ width: `${(ZOOMS[zoom] ?? 1) * 100}%` }}>
          <img src={picture} alt={words.pageShown(page, boxes.length > 0 ? quotes : [])} onLoad={toQuote} />
          <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
            {boxes.map((rect, i) => (
              <rect key={i} {...rect} />
            ))}
          </svg>
        </div>
      </section>
    </div>
  );
}
