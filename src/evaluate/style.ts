/** The style of the report: of this machine's own fonts, light and dark, and with every question open on paper. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8d8d8, #444); --soft: light-dark(#666, #aaa);
  --good: light-dark(#16723c, #5fc98a); --bad: light-dark(#b3261e, #ff8f85); --mark: light-dark(#2b5fb8, #8ab4ff) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#fff, #17181a); color: light-dark(#1a1a1a, #e6e6e6) }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem; margin: 0 }
table { border-collapse: collapse } th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; vertical-align: top; font-weight: normal }
th:first-child, td:first-child { text-align: left } thead th { color: var(--soft) }
.outcomes { width: 100% } .wide { width: 70% }
.bar { display: flex; gap: 2px } .bar i { color: #fff; text-align: center; font-style: normal; min-width: 3px; border-radius: 2px; white-space: nowrap }
.note, small, .legend { color: var(--soft); font-size: .85rem } .legend span { margin-right: 1rem; white-space: nowrap }
.legend i, summary i { display: inline-block; width: .8em; height: .8em; border-radius: 2px }
.right { background: #16723c } .refusedRightly { background: #3d8f9e } .wrong { background: #b3261e }
.answeredUnanswerable { background: #7d1010 } .failed { background: #333 } .refusedWrongly { background: #a06a00 }
.unsureRightly { background: #6a7d2f } .unsureWrongly { background: #8a6d4f } .unsureOfUnanswerable { background: #6b6f8c }
.good { color: var(--good) } .bad { color: var(--bad) }
.charts { display: flex; flex-wrap: wrap; gap: 2rem } figure { margin: 1rem 0; width: 18rem } figcaption { color: var(--soft) }
svg text { font-size: 10px; fill: var(--soft); text-anchor: middle } svg text.start { text-anchor: start }
svg text.end { text-anchor: end } svg .axis, svg .ideal { stroke: var(--line); fill: none }
svg .ideal { stroke-dasharray: 4 } svg polyline { stroke: var(--mark); fill: none } svg circle, svg rect { fill: var(--mark) }
.question { border-bottom: 1px solid var(--line); padding: .4rem 0 } .question > summary { cursor: pointer }
.columns { display: flex; gap: 2rem; flex-wrap: wrap } .columns > div { flex: 1 1 20rem; min-width: 0; overflow-wrap: anywhere }
.columns td { white-space: nowrap } .columns td:last-child { text-align: left; white-space: normal } .said { white-space: pre-wrap } blockquote { margin: .2rem 0 .2rem 1rem; color: var(--soft) }
@media (max-width: 40rem) { body > table:not(.outcomes) { display: block; overflow-x: auto } }
@media print { body { max-width: none; margin: 0; font-size: 11px } .question::details-content { content-visibility: visible; height: auto }
  .question { break-inside: avoid } i { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`;
