/**
 * Looks of the panel and what is in it, on top of those of `style.ts`. It stands above the button of the corner, wherever the site
 * has moved that (`--eo-x`, `--eo-y`), and as far over as leaves it whole; a pet says with `--pl` and `--pr` at which side it stands.
 */
export const PANEL = `.b{transition:transform .16s ease-out}
.b:hover{transform:scale(1.05)}
.x .b>*{display:none!important}
.x .b{background:var(--i);color:var(--b);border-color:var(--a,var(--i))}
.x .b:after{content:"×";font:400 30px/54px system-ui,sans-serif}
.n.n{position:absolute;top:-7px;inset-inline-end:-5px;padding:0 7px;border:3px solid var(--b);border-radius:14px;background:var(--i);color:var(--b);font:600 13px/20px system-ui,sans-serif}
.p{position:relative;overflow:hidden;border:1px solid var(--l);border-radius:18px;background:var(--b);color:inherit}
.v .p{--y:calc(max(var(--eo-y,20px),env(safe-area-inset-bottom)) + var(--u,0px));display:block;position:fixed;inset-inline:auto clamp(20px,var(--eo-x,20px),100vw - 412px);bottom:var(--y);width:min(392px,100vw - 40px);height:min(640px,100vh - 20px - var(--y));max-width:none;max-height:none;box-shadow:0 8px 32px #1c191733;visibility:hidden;opacity:0;transform:translateY(12px);transition:.16s ease-out;transition-property:opacity,transform,visibility}
.k~.p{--u:72px}
.v.x .p{visibility:visible;opacity:1;transform:none}
.v.f .p{inset:0 auto auto 0;margin:0;width:100%;height:100%;border:0;border-radius:0}
iframe{width:100%;height:100%;border:0}
.w:not(.r) iframe{opacity:0}
.r .q{display:none}
.q{position:absolute;inset:0;display:grid;place-content:center;font:600 13px/20px system-ui,sans-serif}
.q:empty:after{content:"•••"}
a{padding:12px;color:inherit}
@media(prefers-reduced-motion:reduce){*{transition:none!important}}`;
