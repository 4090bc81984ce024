/** The few signs that buttons bear. Decoration: the button itself says what it does. */
import type { JSX } from "preact";

const PATHS = {
	close: "M6 6l12 12M18 6L6 18",
	more: "M6 12h.01M12 12h.01M18 12h.01",
	send: "M12 19V5M6 11l6-6 6 6",
	stop: "M8 8h8v8H8z",
	down: "M12 5v14M6 13l6 6 6-6",
	file: "M7 3h7l4 4v14H7zM14 3v4h4",
	picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
	thumbUp: "M7 11v9H4v-9zM7 11l4-8c2 0 3 1 3 3l-1 4h6l-2 10H7",
	thumbDown: "M7 13V4H4v9zM7 13l4 8c2 0 3-1 3-3l-1-4h6L17 4H7",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }): JSX.Element {
	return (
		<svg class={`icon icon-${name}`} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
			<path d={PATHS[name]} />
		</svg>
	);
}
