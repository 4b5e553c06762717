/**
 * The script that a page of another origin includes: it adds a button, which opens a frame of the server that the script is
 * from. Neither the page nor the frame can read the other. All that they tell each other is what the page gives the frame
 * in its address, and that the frame wants to be closed.
 */

/** The attributes `data-…` of the script that are for the frame. */
const FOR_FRAME = ["token", "collection", "theme", "accent", "title", "greeting", "placeholder"];

const TITLES = { en: "Ask a question", zh: "提问" };
const LOOK = `
:host {
  --accent: light-dark(#0b6e63, #5fcdbb);
  color-scheme: light dark;
  font: 16px / 1.5 system-ui, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
}
:host([data-theme="light"]) { color-scheme: light; }
:host([data-theme="dark"]) { color-scheme: dark; }
:host([data-accent]) {
  --accent: light-dark(oklch(from var(--brand) min(l, 0.48) c h), oklch(from var(--brand) max(l, 0.8) c h));
}
button, dialog {
  position: fixed;
  z-index: 2147483647;
  inset: auto;
  margin: 0;
  border: 0;
  box-shadow: 0 0.2rem 1rem rgb(0 0 0 / 30%);
}
button {
  inset-block-end: var(--edge, 1rem);
  inset-inline-end: 1rem;
  display: flex;
  align-items: center;
  gap: 0.5rem;
  height: 3rem;
  padding: 0 1.1rem;
  border-radius: 1.5rem;
  background: var(--accent);
  color: light-dark(#fff, #06201c);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
svg { width: 1.4rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
dialog {
  inset-block-end: calc(var(--edge, 1rem) + 3.75rem);
  inset-inline-end: 1rem;
  width: min(26rem, 100vw - 2rem);
  height: min(42rem, 100dvh - var(--edge, 1rem) - 4.75rem);
  max-width: none;
  max-height: none;
  padding: 0;
  border-radius: 1rem;
  overflow: hidden;
  background: light-dark(#fbfaf7, #121615);
}
:host([data-corner$="left"]) :is(button, dialog) { inset-inline: 1rem auto; }
:host([data-corner^="top"]) button { inset-block: var(--edge, 1rem) auto; }
:host([data-corner^="top"]) dialog { inset-block: calc(var(--edge, 1rem) + 3.75rem) auto; }
iframe { display: block; width: 100%; height: 100%; border: 0; }
@media (max-width: 30rem) {
  :host dialog:modal { inset: 0; width: 100vw; height: 100dvh; border-radius: 0; }
}
@media print { button, dialog { display: none; } }
`;

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement)) throw new Error("emend: include widget.js by a <script> without a type.");
const { src, dataset } = script;
if (document.body) add();
else addEventListener("DOMContentLoaded", add);

function add(): void {
  const spoken = dataset.lang || document.documentElement.lang || navigator.language;
  const language = spoken.startsWith("zh") ? "zh" : "en";
  const title = dataset.title || TITLES[language];
  const address = new URL("widget", src);
  address.search = "";
  address.hash = `${new URLSearchParams([
    ["language", language],
    ...FOR_FRAME.flatMap((name) => (dataset[name] ? [[name, dataset[name]]] : [])),
  ])}`;

  const frame = document.createElement("iframe");
  frame.title = title;
  frame.referrerPolicy = "no-referrer";
  frame.allow = "clipboard-write";
  const dialog = document.createElement("dialog");
  dialog.ariaLabel = title;
  dialog.append(frame);
  const button = document.createElement("button");
  button.type = "button";
  button.ariaHasPopup = "dialog";
  button.append(bubble(), title);

  const show = (isOpen: boolean) => {
    button.ariaExpanded = `${isOpen}`;
    if (!isOpen) return dialog.close();
    // Where it covers the page, nothing behind it can be reached.
    if (matchMedia("(max-width: 30rem)").matches) dialog.showModal();
    else dialog.show();
    if (!frame.src) frame.src = address.href;
    frame.focus();
  };
  button.ariaExpanded = "false";
  button.onclick = () => show(!dialog.open);
  button.onkeydown = ({ key }) => {
    if (key === "Escape" && dialog.open) show(false);
  };
  dialog.onclose = () => {
    button.ariaExpanded = "false";
    button.focus();
  };
  // The focus that it got before it was loaded is lost.
  frame.onload = () => {
    if (dialog.open) frame.focus();
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source === frame.contentWindow && origin === address.origin && data === "emend: close") show(false);
  });

  const host = document.createElement("emend-widget");
  const { theme, accent, corner, edge } = dataset;
  if (theme) host.dataset.theme = theme;
  if (corner) host.dataset.corner = corner;
  if (edge && CSS.supports("bottom", edge)) host.style.setProperty("--edge", edge);
  if (accent && CSS.supports("color", accent)) {
    host.dataset.accent = "";
    host.style.setProperty("--brand", accent);
  }
  const look = new CSSStyleSheet();
  look.replaceSync(LOOK);
  const root = host.attachShadow({ mode: "open" });
  // A policy of the page for styles does not apply to these.
  root.adoptedStyleSheets = [look];
  root.append(button, dialog);
  document.body.append(host);
}

function bubble(): SVGElement {
  const make = (name: string, attributes: Record<string, string>) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const icon = make("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  icon.append(make("path", { d: "M4 5h16v11h-9l-4 4v-4H4z" }), make("path", { d: "M8 9h8M8 12h5" }));
  return icon;
}
