/** The one style sheet of this door's pages: widget.md "Look", with more room. System fonts, both themes, nothing from elsewhere. */
import { TOOLS_CSS } from "./check-style.js";

export const SITE_CSS = `
:root { color-scheme: light dark; --ground: #fafaf9; --panel: #fff; --ink: #1c1917; --dim: #57534e; --line: #e7e5e4; --on: #fafaf9; --online: #16a34a; --online-ink: #15803d; --edge: #8f8983; }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; --ground: #12100f; --panel: #1c1917; --ink: #f5f5f4; --dim: #a8a29e; --line: #2e2a27; --on: #1c1917; --online-ink: #4ade80; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { --ground: #12100f; --panel: #1c1917; --ink: #f5f5f4; --dim: #a8a29e; --line: #2e2a27; --on: #1c1917; --online-ink: #4ade80; } }
* { box-sizing: border-box; margin: 0; }
body { font: 15px/22px system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", sans-serif; background: var(--ground); color: var(--ink); min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; }
main { width: min(560px, 100% - 40px); margin: auto; padding: 56px 0; }
h1 { font-size: 28px; line-height: 36px; font-weight: 650; letter-spacing: -0.01em; text-wrap: balance; }
h2 { font-size: 15px; line-height: 22px; font-weight: 600; margin-top: 40px; }
p { margin-top: 8px; color: var(--dim); text-wrap: pretty; overflow-wrap: anywhere; }
a { color: inherit; }
a:focus-visible { outline: 2px solid var(--ink); outline-offset: 3px; border-radius: 12px; }
.face { display: block; border-radius: 50%; }
.person { display: flex; flex-direction: column; align-items: center; text-align: center; }
.person .face { margin-bottom: 20px; box-shadow: 0 8px 32px #1c19171f; }
.person .about { font-size: 17px; line-height: 26px; margin-top: 12px; }
.state { display: inline-flex; align-items: center; gap: 8px; font-size: 13px; line-height: 20px; color: var(--dim); }
.state::before { content: ""; width: 9px; height: 9px; border-radius: 50%; background: var(--dim); }
.state.on { color: var(--online-ink); }
.state.on::before { background: var(--online); }
.go { display: inline-block; margin-top: 28px; padding: 12px 26px; min-height: 44px; border-radius: 24px; background: var(--ink); color: var(--on); font-weight: 600; text-decoration: none; }
.go:hover { opacity: 0.88; }
.go:focus-visible { border-radius: 24px; }
ul { list-style: none; padding: 0; margin-top: 12px; }
li { padding: 10px 0; border-top: 1px solid var(--line); color: var(--dim); overflow-wrap: anywhere; }
li:first-child { border-top: 0; }
li strong { font-weight: 500; color: var(--ink); }
.desks { margin-top: 24px; display: grid; gap: 12px; }
.desks li { padding: 0; border: 0; color: inherit; }
.desk { display: flex; gap: 16px; align-items: center; padding: 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 18px; text-decoration: none; }
.desk:hover { border-color: var(--dim); }
.desk:focus-visible { border-radius: 18px; }
.desk strong { display: block; font-weight: 600; color: var(--ink); }
.desk .about { margin: 0; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
pre { margin-top: 12px; padding: 14px 16px; border: 1px solid var(--line); border-radius: 14px; background: var(--panel); font: 13px/20px ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-x: auto; text-align: start; white-space: pre-wrap; overflow-wrap: anywhere; }
button { padding: 8px 18px; min-height: 44px; border: 1px solid var(--line); border-radius: 22px; background: var(--panel); color: inherit; font: inherit; cursor: pointer; }
button:hover { border-color: var(--dim); }
button:focus-visible { outline: 2px solid var(--ink); outline-offset: 3px; }
footer { padding: 20px; text-align: center; font-size: 13px; line-height: 20px; color: var(--dim); }
.person section { width: 100%; margin-top: 44px; padding-top: 32px; border-top: 1px solid var(--line); text-align: start; }
.person section h2 { margin-top: 0; }
.person section p { margin-top: 12px; }
.person .ways { display: flex; flex-wrap: wrap; gap: 0 20px; }
.person .ways a, .quietly { display: inline-block; padding: 11px 0; }
.box { display: flex; flex-direction: column; align-items: flex-start; margin-top: 12px; }
.box label { color: var(--dim); font-size: 13px; line-height: 20px; }
.box textarea { width: 100%; margin-top: 4px; padding: 11px 14px; border: 1px solid var(--edge); border-radius: 14px; background: var(--panel); color: inherit; font: 16px/24px inherit; font-family: inherit; resize: vertical; }
.box textarea:focus-visible { outline: 2px solid var(--ink); outline-offset: 1px; }
.box .go { margin-top: 12px; border: 0; font: inherit; font-weight: 600; }
.tries { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-top: 16px; }
.tries p { flex-basis: 100%; font-size: 13px; line-height: 20px; }
.tries button { text-align: start; }
.ask > header { display: flex; align-items: center; gap: 16px; }
.thread { list-style: none; padding: 0; margin-top: 28px; display: flex; flex-direction: column; gap: 24px; }
.thread li { padding: 0; border: 0; color: var(--ink); }
.thread .who { display: block; font-size: 13px; line-height: 20px; color: var(--dim); }
.thread .asked { align-self: flex-end; max-width: 85%; }
.thread .asked .who { text-align: end; }
.thread .asked p { padding: 10px 16px; border-radius: 14px; background: var(--ink); color: var(--on); white-space: pre-wrap; margin-top: 4px; }
.thread .said p, .thread .said li { color: var(--ink); }
.thread .said ul, .thread .said ol { padding-inline-start: 22px; list-style: disc; }
.thread .said ol { list-style: decimal; }
.thread .said li { padding: 2px 0; }
.thread .said li > p { margin-top: 0; }
.where { color: var(--dim); font-size: 13px; }
.stands { margin-top: 24px; font-size: 13px; line-height: 20px; }
.ask .box { margin-top: 20px; }
.ask section { margin-top: 44px; padding-top: 32px; border-top: 1px solid var(--line); }
.ask section h2 { margin-top: 0; }
.ask section form { margin-top: 16px; }
main.docs { width: min(720px, 100% - 40px); margin: 0 auto; padding: 24px 0 80px; }
.docs nav { display: flex; justify-content: space-between; gap: 20px; font-size: 13px; }
.docs nav a { padding: 11px 0; color: var(--dim); }
.docs article { margin-top: 24px; }
.docs h2, .docs h3 { font-weight: 650; letter-spacing: -0.005em; }
.docs h2 { font-size: 19px; line-height: 28px; margin-top: 44px; }
.docs h3, .docs h4 { font-size: 15px; line-height: 22px; margin-top: 28px; }
.docs p, .docs li, .docs td { color: var(--ink); }
.docs p { margin-top: 12px; }
.docs ul, .docs ol { padding-inline-start: 22px; list-style: revert; }
.docs li { padding: 3px 0; border: 0; }
.docs li p { margin-top: 4px; }
.docs strong { font-weight: 600; }
:is(.docs, .thread) :not(pre) > code { padding: 1px 5px; border-radius: 5px; background: var(--line); font: 0.87em/1 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: break-word; }
:is(.docs, .thread) pre code { font: inherit; }
:is(.docs, .thread) blockquote { margin-top: 12px; padding-inline-start: 16px; border-inline-start: 3px solid var(--line); }
:is(.docs, .thread) hr { margin-top: 28px; border: 0; border-top: 1px solid var(--line); }
.table { margin-top: 16px; overflow-x: auto; }
.table:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
table { border-collapse: collapse; font-size: 14px; line-height: 21px; width: 100%; }
th, td { min-width: 96px; padding: 8px 16px 8px 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
th { font-weight: 600; }
.quiet { text-align: center; padding: 56px 0 14vh; }
.quiet::before { content: ""; display: block; width: 88px; height: 88px; margin: 0 auto 28px; border-radius: 50%; background: var(--line) url("/icon.svg") center / cover; box-shadow: 0 8px 32px #1c19171f; }
.quiet p { font-size: 17px; line-height: 26px; margin-top: 12px; }
.quiet a { display: inline-block; min-height: 44px; padding: 9px 12px; font-size: 15px; color: var(--ink); }
.owner span { display: block; }
.owner h1 span { margin-top: 4px; font-size: 20px; line-height: 28px; }
.owner p { text-wrap: balance; }
.owner p span { margin-top: 4px; }
.owner pre { width: fit-content; max-width: 100%; margin: 20px auto 0; }
.quiet.bare { padding: 24px 0; }
.quiet.bare::before { width: 56px; height: 56px; margin-bottom: 16px; }
.quiet.bare h1 { font-size: 18px; line-height: 26px; }
.quiet.bare p { font-size: 15px; line-height: 22px; margin-top: 8px; }
/* On a phone a row of few cells is read from top to bottom; its headings stay for those who are read to. */
@media (max-width: 640px) {
  .table:not(:has(th:nth-child(4))) :is(table, tbody, tr, td) { display: block; }
  .table:not(:has(th:nth-child(4))) thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .table:not(:has(th:nth-child(4))) tr { padding: 12px 0; border-bottom: 1px solid var(--line); }
  .table:not(:has(th:nth-child(4))) td { min-width: 0; padding: 0; border: 0; overflow-wrap: anywhere; }
  .table:not(:has(th:nth-child(4))) td:first-child { font-weight: 600; }
  .table:not(:has(th:nth-child(4))) td:not(:last-child) { display: inline-block; max-width: 100%; margin: 0 10px 4px 0; }
}
@media (prefers-reduced-motion: no-preference) { .go, .desk { transition: opacity 0.16s ease-out, border-color 0.16s ease-out; } }
@media (forced-colors: active) { .go { border: 1px solid; } .state::before { forced-color-adjust: none; } }
${TOOLS_CSS}`;
