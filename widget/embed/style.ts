/**
 * Looks of everything that stands in the page itself. `:host{all:initial!important}` keeps the site's resets out, and only
 * px is used, since sites change what a rem is. What changes while it runs goes by class on the root: `v` floating, `d`
 * dark, `x` open, `f` full screen, `r` the chat is there.
 */
const css = (
	inline: boolean,
): string => `:host{all:initial!important;${inline ? "display:block" : "position:fixed"}!important;z-index:var(--eo-z,2147483000)!important}
[hidden],.x .b>*,.r .l{display:none!important}
*{box-sizing:border-box;margin:0;padding:0}
.w{--b:#fff;--i:#1c1917;--l:#e7e5e4;color-scheme:light;font:600 13px/20px system-ui,sans-serif}
.d{--b:#1c1917;--i:#f5f5f4;--l:#2e2a27;color-scheme:dark}
.b,.p{background:var(--b);color:var(--i)}
.b,.v .p{position:fixed;inset-inline:auto 20px;bottom:max(20px,env(safe-area-inset-bottom));box-shadow:0 8px 32px #1c191733;transition:.16s ease-out}
.b{width:60px;height:60px;border:3px solid var(--a,var(--b));border-radius:50%;font:400 30px/54px system-ui,sans-serif;cursor:pointer}
.b:hover{transform:scale(1.05)}
img{display:block;width:54px;height:54px;border-radius:50%}
.o,.n,.l{position:absolute}
.o,.n{inset-inline-end:-5px;border:3px solid var(--b);border-radius:14px}
.o{bottom:-2px;width:16px;height:16px;background:#16a34a;forced-color-adjust:none}
.n{top:-7px;padding:0 7px;background:var(--i);color:var(--b);font:600 13px/20px system-ui,sans-serif}
.x .b{background:var(--i);color:var(--b);border-color:var(--a,var(--i))}
.x .b:after{content:"×"}
.p{position:relative;overflow:hidden;border:1px solid var(--l);border-radius:18px}
.v .p{display:block;width:min(392px,100vw - 40px);height:min(640px,100vh - 112px);max-width:none;max-height:none;margin-bottom:72px;visibility:hidden;opacity:0;transform:translateY(12px);transition-property:opacity,transform,visibility}
.v.x .p{visibility:visible;opacity:1;transform:none}
.v.f .p{inset:0 auto auto 0;margin:0;width:100%;height:100%;border:0;border-radius:0}
iframe{width:100%;height:100%;border:0}
.w:not(.r) iframe{opacity:0}
.l{inset:0;display:grid;place-content:center}
.l:empty:after{content:"•••"}
a{padding:12px;color:inherit}
@media(prefers-reduced-motion:reduce){*{transition:none!important}}
@media print{.w{display:none}}`;

/** Gives a shadow root its looks without a `style` attribute; `nonce` is for browsers that cannot construct style sheets. */
export function dress(root: ShadowRoot, inline: boolean, nonce: string): void {
	const text = css(inline);
	try {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(text);
		root.adoptedStyleSheets = [sheet];
	} catch {
		const style = document.createElement("style");
		style.nonce = nonce;
		style.textContent = text;
		root.append(style);
	}
}
