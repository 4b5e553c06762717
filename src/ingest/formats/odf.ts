import { isoDate, metadataOf } from "../../text/metadata.js";
import { isElement, isText, type TreeElement, type TreeParent } from "../../tools/web/html-tree.js";
import {
  type Archive,
  at,
  childrenOf,
  descendants,
  prune,
  statedTexts,
  textOf,
  underName,
  unzip,
  xmlIn,
} from "./archive.js";
import {
  allowance,
  EncryptedError,
  type FormatReader,
  hiddenIf,
  type Item,
  inLine,
  inMarkdown,
  inParts,
  listed,
  numbered,
  type SpendCharacters,
} from "./content.js";
import { alternativeText, comment, isTask, marked, type Run } from "./marked.js";
import { picturesOf } from "./pictures.js";
import { sheetTables } from "./regions.js";
import { fillWide, type WideCell, withTitles } from "./table.js";

/**
 * An OpenDocument text, spreadsheet, presentation or drawing, in an archive or as one file of XML. The headers and footers
 * of pages stand before a text or a sheet, each line once.
 */
export const openDocument: FormatReader = async (bytes) => {
  // A flat file holds in one element what an archive holds in several files.
  const isFlat = !(bytes[0] === 0x50 && bytes[1] === 0x4b);
  const archive = isFlat
    ? new Map(["content.xml", "styles.xml", "meta.xml"].map((name) => [name, bytes]))
    : await unzip(bytes, (name) => /^(?:content|styles|meta|META-INF\/manifest|[^/]+\/content)\.xml$/.test(name));
  if (descendants(xmlIn(archive, "META-INF/manifest.xml"), "encryption-data").length > 0) throw new EncryptedError();
  const meta = at(xmlIn(archive, "meta.xml"), isFlat ? "document" : "document-meta", "meta");
  const about = {
    title: textOf(at(meta, "title")).trim(),
    reviewedAt: isoDate(textOf(at(meta, "date"))),
    metadata: metadataOf(statedTexts(meta)),
  };
  const content = xmlIn(archive, "content.xml");
  const shared = xmlIn(archive, "styles.xml");
  const styles = stylesOf([shared, content]);
  const isHidden = ({ attribs }: TreeElement) => styles(attribs["style-name"]).isHidden ?? false;
  const isOut = (element: TreeElement) => LEFT_OUT.has(element.name) || (TEXTS.has(element.name) && isHidden(element));
  const [body] = descendants(content, "body");
  const pictures = picturesOf(bytes);
  const text: Text = { styles, archive, controls: controlsIn(body), mark: pictures.mark, spend: allowance(bytes) };
  if (body) prune(body, isOut);
  const frames = framesIn(prune(shared, isOut), text);
  const finish = (parts: ReturnType<typeof inParts>) => ({ ...parts, pictures: pictures.found });
  const sheets = childrenOf(at(body, "spreadsheet"), "table").map((table) => {
    const { after, ...rows } = rowsOf(table, text);
    const whole = [...frames.splice(0), ...tablesOf(rows, text.spend), ...after];
    return underName(
      hiddenIf(isHidden(table), { name: table.attribs.name ?? "", text: whole.filter(Boolean).join("\n\n") }),
    );
  });
  const presentation = at(body, "presentation");
  const drawn = [presentation, at(body, "drawing")].flatMap((parent) => childrenOf(parent, "page"));
  const pages = drawn.map((page, i) => ({
    text: [...blocks(page, text), ...(i === 0 ? footersIn(presentation) : [])].join("\n\n"),
    isHidden: isHidden(page),
  }));
  if (sheets.length > 0) return finish(inParts(sheets, about));
  if (pages.length > 0) return finish(inParts(numbered(pages, "slide"), about));
  return finish(inMarkdown([...frames, ...blocks(body, text)].join("\n\n"), about));
};

/** What the blocks of a document share. */
interface Text {
  styles: Styles;
  archive: Archive;
  /** What the fields of its forms show, by their ids. */
  controls: ReadonlyMap<string, string>;
  /** Returns the mark of a picture. */
  mark: (path: string) => string;
  spend: SpendCharacters;
}

/** What a style sets; undefined for what it leaves as it is. */
interface Style {
  isHidden: boolean | undefined;
  isStruck: boolean | undefined;
  isRaised: boolean | undefined;
  isLowered: boolean | undefined;
}

type Styles = (name: string | undefined) => Style;

/** Returns a function that looks up a style by its name. A style inherits from its parent what it does not state. */
function stylesOf(roots: readonly TreeParent[]): Styles {
  const elements = new Map(
    roots.flatMap((root) => descendants(root, "style")).map((style) => [style.attribs.name, style] as const),
  );
  const known = new Map<string | undefined, Style>();
  return (name) => {
    const found = known.get(name);
    if (found) return found;
    let isHidden: boolean | undefined;
    let line: string | undefined;
    let position: string | undefined;
    for (let style = elements.get(name), i = 0; style && i < 20; i++) {
      for (const { attribs } of childrenOf(style)) {
        if (i === 0 && /^(?:none|false|hidden)$/.test(attribs.display ?? attribs.visibility ?? "")) isHidden = true;
        line ??= attribs["text-line-through-style"] ?? attribs["text-line-through-type"];
        position ??= attribs["text-position"];
      }
      style = elements.get(style.attribs["parent-style-name"]);
    }
    const [raise] = position?.trim().split(/\s+/) ?? [];
    const style = {
      isHidden,
      isStruck: line === undefined ? undefined : line !== "none",
      isRaised: raise === undefined ? undefined : raise === "super" || Number.parseFloat(raise) > 0,
      isLowered: raise === undefined ? undefined : raise === "sub" || Number.parseFloat(raise) < 0,
    };
    known.set(name, style);
    return style;
  };
}

/** Returns what the check boxes, lists and fields of forms show, by their ids. */
function controlsIn(body: TreeElement | undefined): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (parent: TreeElement | undefined) => {
    for (const child of childrenOf(parent)) {
      const { name, attribs } = child;
      const label = inLine(attribs.label ?? "");
      const state = attribs["current-state"] ?? attribs.state;
      const chosen = () =>
        childrenOf(child, "option").filter((one) => isTrue(one.attribs["current-selected"] ?? one.attribs.selected));
      const shown =
        name === "checkbox"
          ? `${state === "checked" ? "☑" : "☐"} ${label}`
          : name === "radio"
            ? `${isTrue(attribs["current-selected"] ?? attribs.selected) ? "☑" : "☐"} ${label}`
            : name === "listbox"
              ? chosen()
                  .map((one) => one.attribs.label ?? "")
                  .join(", ")
              : name === "fixed-text"
                ? label
                : INPUTS.has(name)
                  ? (attribs["current-value"] ?? attribs.value ?? "")
                  : undefined;
      if (shown !== undefined && attribs.id) found.set(attribs.id, shown.trim());
      visit(child);
    }
  };
  for (const forms of descendants(body, "forms")) visit(forms);
  return found;
}

const INPUTS = new Set("text textarea combobox formatted-text number date time".split(" "));
const isTrue = (value: string | undefined) => value === "true";

/** Returns the lines of the headers and footers of pages, each once, without lines that are only a page number. */
function framesIn(styles: TreeParent, text: Text): string[] {
  const frames = descendants(styles, "master-page").flatMap((page) =>
    childrenOf(page).filter(
      ({ name, attribs }) => /^(?:header|footer)(?:-left|-first)?$/.test(name) && attribs.display !== "false",
    ),
  );
  const paragraphs = frames.flatMap((frame) => [...descendants(frame, "p"), ...descendants(frame, "h")]);
  const lines = paragraphs
    .map((paragraph) => ({
      hasField: holdsPageField(paragraph),
      words: inLine(wordsIn(prune(paragraph, isPageField), text)),
    }))
    .filter(
      ({ hasField, words }) =>
        !hasField || (words.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu)?.length ?? 0) > 4,
    )
    .map(({ words }) => words);
  return [...new Set(lines.filter(Boolean))];
}

const isPageField = ({ name }: TreeElement) => PAGE_FIELDS.has(name);
const holdsPageField = (element: TreeElement): boolean =>
  childrenOf(element).some((child) => isPageField(child) || holdsPageField(child));
const PAGE_FIELDS = new Set("page-number page-count sheet-name file-name date time print-date print-time".split(" "));

/** Returns the footers of a presentation. */
const footersIn = (presentation: TreeElement | undefined): string[] =>
  [
    ...new Set(
      ["header-decl", "footer-decl"]
        .flatMap((name) => descendants(presentation, name))
        .map((one) => inLine(textOf(one))),
    ),
  ].filter(Boolean);

function blocks(parent: TreeElement | undefined, text: Text): string[] {
  return childrenOf(parent).flatMap((child) => {
    const written = block(child, text);
    if (written === undefined) return blocks(child, text);
    const boxes = child.name === "table" ? [] : beside(child);
    return [written, ...boxes.flatMap((one) => aside(one, text))].filter(Boolean);
  });
}

/** Returns a block as Markdown; undefined for an element that only holds other blocks. */
function block(element: TreeElement, text: Text): string | undefined {
  const { name, attribs } = element;
  if (name === "h")
    return `${"#".repeat(Math.min(6, Number(attribs["outline-level"]) || 1))} ${wordsIn(element, text).trim()}`;
  if (name === "p") {
    const words = wordsIn(element, text).trim();
    return isTask(words) ? listed([{ words, depth: 0 }]) : words;
  }
  if (name === "list") return listed(items(element, 0, text));
  if (BESIDE.has(name) && name !== "text-box" && name !== "note") return aside(element, text).join("\n\n");
  if (name !== "table") return undefined;
  const { rows, wide, heads, after } = rowsOf(element, text);
  fillWide(rows, wide, text.spend);
  return [withTitles(rows, text.spend, wide, heads), ...after].filter(Boolean).join("\n\n");
}

const LEFT_OUT = new Set(
  "tracked-changes sequence-decls forms note-citation hidden-text ruby-text header-decl footer-decl".split(" "),
);
const TEXTS = new Set("p h span".split(" "));

/** Returns the boxes, notes, comments and figures that are anchored in an element, but not those inside one of them. */
const beside = (element: TreeElement): TreeElement[] =>
  childrenOf(element).flatMap((child) => (BESIDE.has(child.name) ? [child] : beside(child)));

const BESIDE = new Set("text-box note annotation desc image object".split(" "));

/** Writes what is anchored in a paragraph or a cell, as blocks after it. @param about the words of its row. */
function aside(element: TreeElement, text: Text, about = ""): string[] {
  const { name, attribs } = element;
  if (name === "desc") return [alternativeText(textOf(element))];
  if (name === "image") return [text.mark((attribs.href ?? "").replace(/^\.\//, ""))];
  if (name === "object") return embedded(element, text);
  if (name !== "annotation") return blocks(element, text);
  const words = ["p", "list"]
    .flatMap((each) => descendants(element, each))
    .map((one) => wordsIn(one, text))
    .join(" ");
  return [comment({ author: textOf(at(element, "creator")), words, isResolved: isTrue(attribs.resolved), about })];
}

/** Writes a chart that is embedded, or the formula of an equation. */
function embedded({ attribs }: TreeElement, text: Text): string[] {
  const path = (attribs.href ?? "").replace(/^\.\//, "");
  const root = xmlIn(text.archive, `${path}/content.xml`);
  const [formula] = descendants(root, "annotation");
  if (formula) return [inLine(textOf(formula))];
  const [body] = descendants(root, "chart");
  const drawn = at(body, "chart") ?? body;
  const [values] = descendants(drawn, "table");
  if (!drawn || !values) return [];
  const title = inLine(childrenOf(drawn, "title").map(textOf).join(" "));
  const { rows, wide } = rowsOf(values, text);
  fillWide(rows, wide, text.spend);
  return [title, withTitles(rows, text.spend)].filter(Boolean);
}

const items = (list: TreeElement, depth: number, text: Text): Item[] =>
  childrenOf(list)
    .filter(({ name }) => name === "list-item" || name === "list-header")
    .flatMap((item) =>
      childrenOf(item).flatMap((child) => {
        if (child.name === "list") return items(child, depth + 1, text);
        const words = wordsIn(child, text);
        return words === "" ? [] : [{ words, depth }];
      }),
    );

interface Rows {
  rows: string[][];
  wide: WideCell[];
  /** The number of rows that are repeated on each page. */
  heads: number;
  /** What is anchored in cells, and the tables in them. */
  after: string[];
}

/** Returns the text of the cells. A merged cell repeats its text in each of its rows, and in its first column. */
function rowsOf(table: TreeElement, text: Text): Rows {
  const merged: { text: string; rows: number }[] = [];
  const found: Rows = { rows: [], wide: [], heads: 0, after: [] };
  found.heads = childrenOf(table, "table-header-rows").flatMap((rows) => childrenOf(rows, "table-row")).length;
  for (const row of descendants(table, "table-row")) {
    const written = cellsOf(row, text);
    let column = 0;
    for (const cell of childrenOf(row)) {
      const count = repeated(cell, "number-columns-repeated");
      if (cell.name === "covered-table-cell") {
        for (let i = column; i < column + count; i++) {
          const reaching = merged[i];
          if (!reaching || reaching.rows === 0) continue;
          for (const each of written) each[i] = reaching.text;
          text.spend(reaching.text.length * written.length);
          reaching.rows -= 1;
        }
      } else if (cell.name === "table-cell") {
        const [words, columns] = [written[0]?.[column] ?? "", repeated(cell, "number-columns-spanned")];
        const rows = repeated(cell, "number-rows-spanned");
        merged[column] = { text: words, rows: rows - 1 };
        // Those beside it are covered in its own row, too.
        if (rows > 1) for (let i = 1; i < columns; i++) merged[column + i] = { text: words, rows };
        if (columns > 1) found.wide.push({ row: found.rows.length, column, columns });
        const lead = (written[0] ?? []).filter((each) => each.trim() !== "").join(", ");
        found.after.push(...besideIn(cell, inLine(lead), text));
      }
      column += count;
    }
    for (const each of written) found.rows.push(each);
  }
  found.after.push(
    ...descendants(at(table, "shapes"), "frame").flatMap((frame) => beside(frame).flatMap((one) => aside(one, text))),
  );
  return found;
}

/** Writes the tables of a sheet. A sheet whose header rows are marked has one. */
function tablesOf({ rows, wide, heads }: Omit<Rows, "after">, spend: SpendCharacters): string[] {
  if (heads > 0) {
    fillWide(rows, wide, spend);
    return [withTitles(rows, spend, wide, heads)];
  }
  const sheet = rows.flatMap((row, i) => {
    const cells = new Map(row.flatMap((cell, column) => (cell.trim() === "" ? [] : [[column, cell] as const])));
    return cells.size === 0 ? [] : [{ number: i, cells, isBold: false }];
  });
  const across = Map.groupBy(wide, ({ row }) => row);
  const spans = [...across].map(
    ([row, cells]) => [row, new Map(cells.map(({ column, columns }) => [column, columns]))] as const,
  );
  return sheetTables(sheet, new Map(spans), spend);
}

/** Writes the tables in a cell, and what is anchored in it. A table gets the words of its row as its introduction. */
const besideIn = (element: TreeElement, lead: string, text: Text): string[] =>
  childrenOf(element).flatMap((child) => {
    if (child.name === "table")
      return [lead && `${lead}${/\p{Script=Han}$/u.test(lead) ? "：" : ":"}`, block(child, text) ?? ""];
    return BESIDE.has(child.name) ? aside(child, text, lead) : besideIn(child, lead, text);
  });

/**
 * Returns a row as often as it is repeated, up to a thousand times: files repeat empty rows and cells by the million.
 */
function cellsOf(row: TreeElement, text: Text): string[][] {
  const written = childrenOf(row).map((cell) => ({
    words: linesIn(cell)
      .map((line) => wordsIn(line, text, text.styles(cell.attribs["style-name"])))
      .join(" "),
    count: repeated(cell, "number-columns-repeated"),
  }));
  const last = written.findLastIndex(({ words }) => words !== "");
  const rows = last < 0 ? 1 : repeated(row, "number-rows-repeated");
  const filled = written.slice(0, last + 1);
  text.spend(rows * filled.reduce((sum, { words, count }) => sum + (words.length + 1) * count, 0));
  return Array<string[]>(rows).fill(filled.flatMap(({ words, count }) => Array<string>(count).fill(words)));
}

/** Returns the paragraphs of a cell, but not those of what is anchored or of tables in it. */
const linesIn = (element: TreeElement): TreeElement[] =>
  childrenOf(element).flatMap((child) => {
    if (child.name === "p" || child.name === "h") return [child];
    return child.name === "table" || BESIDE.has(child.name) ? [] : linesIn(child);
  });

const repeated = ({ attribs }: TreeElement, name: string) =>
  Math.min(1_000, Math.max(1, Math.trunc(Number(attribs[name])) || 1));

type Look = Omit<Run, "text">;

/** Returns the words of an element. @param around how what is around it looks, such as its cell. */
const wordsIn = (element: TreeElement, text: Text, around: Look = {}): string =>
  marked(runsIn(element, within(around, element, text), text)).replace(/\s+/g, " ");

/** Returns how an element looks: what its style leaves open is as around it. */
function within(around: Look, { attribs }: TreeElement, { styles }: Text): Look {
  const own = styles(attribs["style-name"]);
  return {
    isStruck: own.isStruck ?? around.isStruck,
    isRaised: own.isRaised ?? around.isRaised,
    isLowered: own.isLowered ?? around.isLowered,
  };
}

const runsIn = (element: TreeElement, look: Look, text: Text): Run[] =>
  element.children.flatMap((child) => {
    if (isText(child)) return { ...look, text: child.data };
    if (!isElement(child)) return [];
    const { name, attribs } = child;
    if (name === "s" || name === "tab" || name === "line-break") return { ...look, text: " " };
    if (name === "control") return { text: ` ${text.controls.get(attribs.control ?? "") ?? ""} ` };
    if (name === "content-control" && isTrue(attribs["showing-place-holder"])) return [];
    if (name === "content-control" && isTrue(attribs.checkbox)) return { text: isTrue(attribs.checked) ? "☑" : "☐" };
    if (name === "placeholder") return [];
    if (name === "title" || BESIDE.has(name)) return [];
    return runsIn(child, name === "span" ? within(look, child, text) : look, text);
  });
