/**
 * Where a pet may stand: at one of the two sides, clear of everything that a visitor uses on this page. Looks at the page
 * only when the pet has come to rest or the page has moved, never while something moves.
 */

export type Side = "left" | "right";

export interface Spot {
	side: Side;
	/** Pixels from the top of the window. */
	top: number;
}

/** Pixels between the pet and the edges of the window. */
export const EDGE = 16;
/** Steps in which a clear place is looked for. */
const STEP = 12;

/** What a visitor presses, writes into, or watches. */
const USED = "a,button,input,textarea,select,label,summary,video,audio,iframe,[role=button],[role=link],[contenteditable],[tabindex]";

/** Whether a point belongs to something that a pet must not cover. `own`: the pet's element. */
function taken(x: number, y: number, own: Element): boolean {
	for (const element of document.elementsFromPoint(x, y)) {
		if (element === own) continue;
		if (element === document.body || element === document.documentElement) return false;
		if (element.matches(USED) || element.localName === "earth-online") return true;
		// Bars that stay while the page moves: cookie notices, menus. One that fills the window is a background.
		if (/fixed|sticky/.test(getComputedStyle(element).position)) {
			const { width, height } = element.getBoundingClientRect();
			if (width * height < innerWidth * innerHeight * 0.6) return true;
		}
	}
	return false;
}

/** Whether a pet of a size may stand at a place. Five points across and down: nothing that is used is smaller. */
function isClear({ side, top }: Spot, size: number, own: Element): boolean {
	const left = side === "left" ? EDGE : document.documentElement.clientWidth - EDGE - size;
	for (let i = 0; i <= 4; i++) for (let j = 0; j <= 4; j++) if (taken(left + (size * i) / 4, top + (size * j) / 4, own)) return false;
	return true;
}

/** Keeps a place inside the window. */
export const within = (top: number, size: number): number => Math.max(EDGE, Math.min(top, innerHeight - EDGE - size));

/** The clear place that is nearest to the one that is wanted: along its side, then along the other; where all is taken, the wanted one. */
export function clearSpot(wanted: Spot, size: number, own: Element): Spot {
	const top = within(wanted.top, size);
	for (const side of [wanted.side, wanted.side === "left" ? "right" : "left"] as const) {
		for (let away = 0; away <= innerHeight; away += STEP) {
			for (const at of [top - away, top + away]) {
				if (at !== within(at, size)) continue;
				const spot: Spot = { side, top: at };
				if (isClear(spot, size, own)) return spot;
			}
		}
	}
	return { ...wanted, top };
}
