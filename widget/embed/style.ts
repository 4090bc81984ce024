/**
 * Looks of everything that stands in the page before a chat is opened. `:host{all:initial!important}` keeps the site's
 * resets out, and only px is used, since sites change what a rem is. What changes while it runs goes by class on the root:
 * `d` dark; those of an opened chat are in `panel.ts`. Rules and what they say stand in the order that packs smallest.
 */
const css = `.h,svg{position:relative;width:100%;display:block;border-radius:50%;height:100%}
*{margin:0;padding:0;box-sizing:border-box}
.o{forced-color-adjust:none;border-radius:50%;border:3px solid var(--b);width:16px;height:16px;inset-inline-end:-5px;position:absolute;bottom:-2px;background:#16a34a}
.k{bottom:max(var(--eo-y,20px),env(safe-area-inset-bottom));inset-inline-end:calc(var(--eo-x,20px) + 76px*var(--k));position:fixed}
.b{width:60px;border:3px solid var(--a,var(--b));display:block;border-radius:50%;height:60px;box-shadow:0 8px 32px #1c191733}
button{position:relative;cursor:pointer;color:inherit;border:0;background:var(--b)}
.w{--b:#fff;--i:#1c1917;--l:#e7e5e4;color-scheme:light;color:var(--i)}
.d{--b:#1c1917;--l:#44403c;--i:#f5f5f4;color-scheme:dark}
@media print{.w{display:none}}`;

/** Gives a shadow root looks without a `style` attribute; `nonce` is for browsers that cannot construct style sheets. */
export function dress(root: ShadowRoot, text: string, nonce: string): void {
	try {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(text);
		root.adoptedStyleSheets.push(sheet);
	} catch {
		const style = document.createElement("style");
		style.nonce = nonce;
		style.textContent = text;
		root.append(style);
	}
}

/** Looks of a root of ours; `place`: how its element stands in the page. */
export const looks = (place: string): string =>
	`:host{all:initial!important;z-index:var(--eo-z,var(--z))!important;${place}!important}${css}`;
