/** The style of the two pages for people who put the chat on a site: "check my install" and the page that makes a line. Follows SITE_CSS, whose colours it uses. */
export const TOOLS_CSS = `
main.tool { width: min(720px, 100% - 40px); margin: 0 auto; padding: 48px 0 32px; }
main.tool.wide { width: min(1120px, 100% - 40px); }
.tool-head { display: flex; justify-content: space-between; align-items: baseline; gap: 24px; }
.tool-head a { font-size: 15px; white-space: nowrap; padding: 10px 0; }
.tool-lead { font-size: 17px; line-height: 26px; max-width: 620px; }
.tool h2 { font-size: 19px; line-height: 28px; font-weight: 650; letter-spacing: -0.005em; }
.tool h3 { font-size: 15px; line-height: 22px; font-weight: 600; margin-top: 20px; }
.tool section > h2:first-child { margin-top: 48px; }
.tool section.verdict > h2:first-child { margin-top: 0; }
.tool section > p, .tool section > ul { max-width: 660px; }
.tool .again { margin-top: 48px; }
.again + .fields { margin-top: 16px; }
.fields { display: grid; gap: 20px; margin-top: 28px; }
.field label, .field legend { display: block; font-weight: 600; padding: 0; }
.hint { margin-top: 4px; font-size: 13px; line-height: 20px; }
.tool input[type="text"], .tool input:not([type]), .tool select { display: block; width: 100%; min-height: 44px; margin-top: 6px; padding: 9px 12px; border: 1px solid var(--edge); border-radius: 10px; background: var(--panel); color: inherit; font: inherit; font-size: 16px; }
.tool input:focus-visible, .tool select:focus-visible { outline: 2px solid var(--ink); outline-offset: 1px; }
.tool input:disabled, .tool select:disabled { color: var(--dim); background: var(--ground); cursor: not-allowed; }
.tool { --edge: #8f8983; }
.tool input[aria-invalid="true"] { border-color: var(--stop); }
.tool .go { margin-top: 4px; justify-self: start; border: 0; font: inherit; font-weight: 600; cursor: pointer; }
.verdict { margin-top: 28px; padding: 24px 28px 28px; border: 1px solid var(--line); border-radius: 18px; background: var(--panel); box-shadow: 0 8px 32px #1c19170f; }
.verdict h2 { display: flex; gap: 14px; font-size: 22px; line-height: 30px; overflow-wrap: anywhere; }
.verdict h2::before { content: ""; flex: none; width: 14px; height: 14px; margin-top: 8px; border-radius: 50%; background: #c2410c; }
.verdict.good h2::before { background: var(--online); }
.verdict p { font-size: 16px; line-height: 24px; max-width: 660px; }
.steps { list-style: none; padding: 0; margin-top: 12px; }
.steps li { display: grid; grid-template-columns: 128px 1fr; gap: 4px 16px; padding: 11px 0; color: var(--ink); }
.mark { font-size: 13px; line-height: 22px; font-weight: 600; color: var(--dim); }
.mark::before { content: ""; display: inline-block; width: 9px; height: 9px; margin-inline-end: 8px; border-radius: 50%; background: var(--dim); }
.ok .mark { color: var(--online-ink); }
.ok .mark::before { background: var(--online); }
.stop .mark { color: var(--stop); }
.stop .mark::before { background: #c2410c; }
.steps .open { color: var(--dim); }
.tool { --stop: #b3390b; }
:root[data-theme="dark"] .tool { --stop: #fb923c; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) .tool { --stop: #fb923c; } }
.tool label.tick { display: flex; align-items: center; gap: 10px; min-height: 44px; }
.tick input { width: 20px; height: 20px; margin: 0; accent-color: var(--ink); }
[data-for] .field + .field { margin-top: 12px; }
.tool [hidden] { display: none; }
.maker { display: grid; grid-template-columns: minmax(280px, 400px) minmax(0, 1fr); gap: 56px; align-items: start; margin-top: 36px; }
.maker .fields { margin-top: 0; }
.maker fieldset { min-width: 0; margin: 0; padding: 0; border: 0; display: grid; gap: 20px; }
.maker [data-for]:not([hidden]) { display: grid; gap: 20px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 20px 16px; align-items: start; }
.shown { position: sticky; top: 24px; display: grid; gap: 24px; }
.tool .shown section > h2:first-child { margin-top: 0; }
.copy { min-height: 36px; margin-top: 10px; padding: 5px 16px; font-size: 14px; }
.screen { overflow: hidden; margin-top: 12px; border: 1px solid var(--line); border-radius: 18px; background: var(--panel); }
.screen iframe { display: block; width: 100%; height: 700px; border: 0; background: transparent; }
.screen.phone { width: 377px; max-width: 100%; margin-inline: auto; border-radius: 28px; }
.screen.phone iframe { height: 667px; }
.wrong { color: var(--stop); }
.badge { margin-top: 20px; }
.badges { margin-top: 28px; display: grid; grid-template-columns: 1fr 1fr; gap: 32px 48px; }
.badges h3 { margin-top: 0; }
.tool details { border-top: 1px solid var(--line); }
.tool details:last-of-type { border-bottom: 1px solid var(--line); }
.tool summary { padding: 12px 0; min-height: 44px; font-weight: 600; cursor: pointer; }
.tool summary:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; border-radius: 6px; }
.tool details > :last-child { margin-bottom: 16px; }
.tool table { width: 100%; margin-top: 12px; border-collapse: collapse; font-size: 15px; }
.tool th, .tool td { padding: 10px 16px 10px 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top; }
.tool th { font-weight: 600; white-space: nowrap; }
.tool td { color: var(--dim); }
.preview-page { padding: 28px; min-height: 100vh; }
.preview-page .bone { display: block; height: 12px; margin-top: 14px; border-radius: 6px; background: var(--line); }
.preview-page .bone.title { width: 46%; height: 24px; margin-top: 0; border-radius: 8px; }
.preview-page .bone.short { width: 62%; }
.preview-page .place { margin-top: 24px; }
@media (max-width: 860px) { .maker { grid-template-columns: minmax(0, 1fr); gap: 36px; } .shown { position: static; } .badges { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 520px) { main.tool { padding-top: 28px; } .verdict { padding: 20px; } .verdict h2 { gap: 12px; font-size: 19px; line-height: 26px; } .verdict h2::before { margin-top: 6px; } .pair { grid-template-columns: minmax(0, 1fr); } .steps li { grid-template-columns: 1fr; gap: 0; } .tool th { white-space: normal; } }
`;
