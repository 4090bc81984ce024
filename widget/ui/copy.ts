/** Puts text on the clipboard, also where a site's permissions policy keeps the modern way from a frame. */

/** Resolves to whether it is there. */
export async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const box = document.createElement("textarea");
		box.value = text;
		box.readOnly = true;
		box.className = "unseen";
		const before = document.activeElement;
		document.body.append(box);
		box.focus();
		box.select();
		try {
			return document.execCommand("copy");
		} catch {
			return false;
		} finally {
			box.remove();
			if (before instanceof HTMLElement) before.focus();
		}
	}
}
