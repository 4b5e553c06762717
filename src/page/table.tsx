import { useEffect, useId, useRef, useState } from "preact/hooks";
import { pageOf } from "../answer/links.js";
import { messagesIn } from "../answer/messages/index.js";
import type { Computed, TableValue, UsedTable } from "../types/table.js";
import { Original } from "./original.js";
import { type OpenedDocument, passages, type RowsOfTable, rowsOfTable } from "./server.js";
import { useWords } from "./words.js";

/** What was computed: the result, the rows that it rests on in each table, and the query. */
export function ComputedView({ computed: { sql, columns, rows, isCut, tables } }: { computed: Computed }) {
  const words = useWords();
  const id = useId();
  const isFigure = rows.length === 1 && columns.length === 1;
  return (
    <>
      {!isFigure && (
        <section>
          <h4 id={id}>{words.result}</h4>
          <Rows labelledBy={id} columns={columns} rows={rows.map((row) => ({ cells: row.map(inText) }))} />
          {isCut && <p class="hint">{words.firstRows(rows.length)}</p>}
        </section>
      )}
      <details class="sql">
        <summary>{words.sql}</summary>
        <pre>
          <code>{sql}</code>
        </pre>
      </details>
      {tables.map((table) => (
        <UsedTableView key={table.id} table={table} />
      ))}
    </>
  );
}

/** Fifteen digits are exact; the last ones of a sum are not. */
const inText = (value: TableValue) =>
  value === null ? "–" : typeof value === "number" ? `${Number(value.toPrecision(12))}` : value;

/** The rows of a table that a result rests on, marked; on request among all rows of the table. */
function UsedTableView({ table }: { table: UsedTable }) {
  const words = useWords();
  const { listed } = messagesIn(words.language);
  const id = useId();
  const [around, setAround] = useState<RowsOfTable>();
  const [isWhole, setIsWhole] = useState(false);
  const [place, setPlace] = useState<OpenedDocument>();
  const [fault, setFault] = useState("");
  const { documentId, uri, section, reviewedAt, columns, used, matched, rows, unread } = table;
  useEffect(() => {
    let isLeft = false;
    passages(`${documentId}#${used[0]?.passage ?? 0}`, 0).then(
      (found) => isLeft || setPlace(found),
      (error: Error) => isLeft || setFault(error.message),
    );
    return () => {
      isLeft = true;
    };
  }, [table.id]);

  const read = (after: readonly string[][]) =>
    rowsOfTable(table.id, after.length).then(
      (found) => {
        setAround({ ...found, cells: [...after, ...found.cells] });
        setIsWhole(true);
      },
      (error: Error) => setFault(error.message),
    );
  const byNumber = new Map(used.map(({ number, cells }) => [number, cells]));
  const isChanged = isWhole && around !== undefined && !isSame(table, around);
  const known = matched !== undefined && !isChanged;
  const shown =
    isWhole && around
      ? around.cells.map((cells, i) => ({ number: i + 1, cells, isUsed: known && byNumber.has(i + 1) }))
      : used.map(({ number, cells }) => ({ number, cells, isUsed: known }));
  return (
    <section>
      <h4 id={id}>{listed.rowsOf(table)}</h4>
      <p class="hint">{[section, uri, reviewedAt && listed.dated(reviewedAt)].filter(Boolean).join(" · ")}</p>
      {isChanged && <p class="fault">{words.changedTable}</p>}
      {shown.length > 0 && (
        <Rows labelledBy={id} columns={(isWhole && around?.columns) || columns} rows={shown} isAmong={isWhole} />
      )}
      {!isWhole && used.length < (matched ?? rows) && <p class="hint">{words.firstRows(used.length)}</p>}
      {unread.map(({ column, cells }) => (
        <p key={column} class="hint">
          {listed.noValue(column, cells)}
        </p>
      ))}
      {fault && <p class="fault">{fault}</p>}
      <p class="buttons">
        {place && (matched ?? 0) < rows && (
          <button
            type="button"
            class="second"
            aria-pressed={isWhole}
            onClick={() => (isWhole ? setIsWhole(false) : around ? setIsWhole(true) : read([]))}
          >
            {words.allRows}
          </button>
        )}
        {isWhole && around && around.cells.length < around.rows && (
          <button type="button" class="second" onClick={() => read(around.cells)}>
            {messagesIn(words.language).documents.more}
          </button>
        )}
        {place?.original && <Original documentId={documentId} page={pageOf(section)} onFault={setFault} />}
        {/^https?:/.test(uri) && (
          <a href={uri} target="_blank" rel="noreferrer">
            {words.openSite}
          </a>
        )}
      </p>
    </section>
  );
}

/** False if the rows that were used, of those that were read now, have changed since. */
const isSame = ({ columns, used }: UsedTable, now: RowsOfTable) =>
  `${columns}` === `${now.columns}` &&
  used.every(({ number, cells }) => number > now.cells.length || `${cells}` === `${now.cells[number - 1]}`);

interface RowsProps {
  /** The id of what names the table. */
  labelledBy: string;
  columns: readonly string[];
  rows: readonly { number?: number; cells: readonly string[]; isUsed?: boolean }[];
  /** True if there may be rows that are not used. */
  isAmong?: boolean;
}

/** A table that scrolls in both directions, with its first used row in view. */
export function Rows({ labelledBy, columns, rows, isAmong = false }: RowsProps) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector(".used")?.scrollIntoView({ block: "nearest" });
  }, [isAmong]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark, and a document may have many tables.
    <div class={isAmong ? "rows among" : "rows"} role="group" aria-labelledby={labelledBy} tabIndex={0} ref={box}>
      <table>
        <thead>
          <tr>
            {rows[0]?.number !== undefined && <th scope="col">{words.row}</th>}
            {columns.map((name, i) => (
              <th key={i} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, cells, isUsed }, i) => (
            <tr key={number ?? i} class={isUsed ? "used" : undefined}>
              {number !== undefined && (
                <th scope="row">
                  {number}
                  {isUsed && isAmong && <span class="unseen"> {words.isUsed}</span>}
                </th>
              )}
              {cells.map((cell, j) => (
                <td key={j}>
                  {cell}
                  {number === undefined && j === 0 && isUsed && <span class="unseen"> {words.isQuoted}</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
