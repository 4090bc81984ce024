/**
 * Looks of everything that stands in the page before a chat is opened. `:host{all:initial!important}` keeps the site's
 * resets out, and only px is used, since sites change what a rem is. What changes while it runs goes by class on the root:
 * `d` dark, `v` the chat lies over the page; those of an opened chat are in `panel.ts`.
 */
const css = `*{box-sizing:border-box;margin:0;padding:0}
.w{--b:#fff;--i:#1c1917;--l:#e7e5e4;color-scheme:light;color:var(--i)}
.d{--b:#1c1917;--i:#f5f5f4;--l:#44403c;color-scheme:dark}
button{position:relative;border:0;background:var(--b);color:inherit;cursor:pointer}
.k{position:fixed;inset-inline-end:calc(var(--eo-x,20px) + 76px*var(--k));bottom:max(var(--eo-y,20px),env(safe-area-inset-bottom))}
.b{display:block;width:60px;height:60px;border:3px solid var(--a,var(--b));border-radius:50%;box-shadow:0 8px 32px #1c191733}
.h,svg{position:relative;display:block;width:100%;height:100%;border-radius:50%}
.o{position:absolute;inset-inline-end:-5px;bottom:-2px;width:16px;height:16px;border:3px solid var(--b);border-radius:50%;background:#16a34a;forced-color-adjust:none}
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
	`:host{all:initial!important;${place}!important;z-index:var(--eo-z,var(--z))!important}${css}`;
