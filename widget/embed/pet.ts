/**
 * `/embed-pet.js`: the agent itself on the page (EMB-4), its face alive. It breathes, blinks, looks at the pointer; visitors
 * drag it or move it by the arrow keys, and it docks at the nearer side, clear of the page's own buttons. Moves by
 * `transform` alone and reads the page's layout only when it has come to rest. Still for those who asked for less motion,
 * and while nobody sees it.
 */
import { listen } from "./listen.js";
import type { Corner } from "./parts.js";
import { clearSpot, EDGE, type Side, type Spot, within } from "./pet-dock.js";
import { readFace } from "./pet-face.js";

/** Width and height, pixels. */
const SIZE = 76;
/** A press that moves less is a click. */
const THRESHOLD = 6;
/** One press of an arrow key. */
const STRIDE = 32;
/** How far the eyes follow, in units of the picture. */
const GAZE = 3.5;
/** How often it looks whether something of the page's has come under it, and how soon after the page has moved. */
const CHECK_MS = 2_000;
const SETTLE_MS = 160;

const CSS = `.k.k{inset:0 auto auto 0;width:${SIZE}px;height:${SIZE}px;touch-action:none;will-change:transform}
.k.go{transition:transform .34s cubic-bezier(.3,1.4,.5,1)}
.b.b,.x .b.b{width:100%;height:100%;border:0;border-radius:50%;background:none;box-shadow:none;touch-action:none;cursor:grab;-webkit-user-select:none;user-select:none}
.b.b:hover{transform:none}
.up .b.b{cursor:grabbing}
.x .b.b>*{display:grid!important}
.x .b.b:after{content:none}
.h{--s:100%}
.b svg{display:block;width:100%;height:100%;overflow:visible;filter:drop-shadow(0 0 1.5px #fff) drop-shadow(0 4px 8px #1c19174d);transform-origin:50% 92%;animation:breathe 4.2s ease-in-out infinite}
.up .b svg{animation:none;transform:scale(1.06) rotate(-4deg)}
.eyes{transition:transform .12s ease-out}
.lids{transform-box:fill-box;transform-origin:center;animation:blink 5.3s infinite}
.b img{filter:drop-shadow(0 4px 8px #1c19174d)}
.b .o{inset-inline-end:4px;bottom:4px}
.left .g{inset-inline:auto;left:calc(100% + 12px);right:auto}
.right .g{inset-inline:auto;right:calc(100% + 12px);left:auto}
.low .g{bottom:auto;top:6px}
.v .k~.p.p{inset-inline:auto;left:var(--pl);right:var(--pr);margin-bottom:0}
.v.f .k~.p.p{left:0;right:auto}
@keyframes breathe{50%{transform:scale(1.025,.975)}}
@keyframes blink{0%,94%,to{transform:none}97%{transform:scaleY(.08)}}
.still *{animation-play-state:paused!important}
@media(prefers-reduced-motion:reduce){.k.k,.k *{animation:none!important;transition:none!important}}`;

export default async function wake({ base, config, host, root, corner, button, signal, state, dress }: Corner): Promise<void> {
	const still = matchMedia("(prefers-reduced-motion:reduce)");
	/** Where it stands, or would if nothing were in its way. */
	let home: Spot = { side: getComputedStyle(document.documentElement).direction === "rtl" ? "left" : "right", top: innerHeight };
	let spot = home;
	/** Left and top as they are on the screen: no frame has to ask. */
	let x = 0;
	let y = 0;
	let drag: { dx: number; dy: number; fromX: number; fromY: number; moved: boolean } | undefined;
	let dragged = false;
	let painting = 0;
	let look: { x: number; y: number } | undefined;
	let settling: ReturnType<typeof setTimeout> | undefined;

	dress(CSS);
	const picture = button.querySelector("img");
	// A photo, or a page that lets no answer in: then the picture itself is the pet.
	const face = await fetch(new URL(config.face as string, base), { credentials: "omit", referrerPolicy: "no-referrer", signal }).then(
		async (answer) => (/svg/.test(answer.headers.get("content-type") ?? "") ? readFace(await answer.text()) : undefined),
		() => undefined,
	);
	if (signal.aborted) return;
	if (face) picture?.replaceWith(face.picture);

	/** Draws what has changed, once a frame. */
	const paint = () => {
		painting ||= requestAnimationFrame(() => {
			painting = 0;
			corner.style.transform = `translate3d(${x}px,${y}px,0)`;
			if (!face?.eyes || !look || still.matches) return;
			const dx = look.x - x - SIZE / 2;
			const dy = look.y - y - SIZE / 2;
			const far = Math.max(Math.hypot(dx, dy), 60);
			face.eyes.style.transform = `translate(${(dx / far) * GAZE}px,${(dy / far) * GAZE}px)`;
		});
	};

	const put = (next: Spot) => {
		spot = next;
		x = next.side === "left" ? EDGE : document.documentElement.clientWidth - EDGE - SIZE;
		y = next.top;
		corner.classList.add("go");
		for (const side of ["left", "right"] as const) corner.classList.toggle(side, side === next.side);
		corner.classList.toggle("low", y < innerHeight / 2);
		// The chat opens beside it.
		const beside = `${EDGE + SIZE + 12}px`;
		panelSide.replaceSync?.(`.w{--pl:${next.side === "left" ? beside : "auto"};--pr:${next.side === "left" ? "auto" : beside}}`);
		paint();
	};
	/** The sides for the panel: a sheet of its own, since the root's style is drawn by others. */
	const panelSide = sheetOf(root.getRootNode() as ShadowRoot);

	/** Goes where it wants to be, or next to it. Not while it is held, or a chat is open beside it. */
	const settle = () => {
		if (drag || state.open || state.hidden || document.hidden) return;
		const next = clearSpot(home, SIZE, host);
		if (next.side !== spot.side || next.top !== spot.top || !x) put(next);
	};
	const soon = () => {
		clearTimeout(settling);
		settling = setTimeout(settle, SETTLE_MS);
	};
	const dock = (side: Side, top: number) => {
		home = { side, top: within(top, SIZE) };
		put(clearSpot(home, SIZE, host));
	};

	listen(
		button,
		"pointerdown",
		(event) => {
			const { button: which, clientX, clientY, pointerId } = event as PointerEvent;
			if (which) return;
			dragged = false;
			drag = { dx: clientX - x, dy: clientY - y, fromX: clientX, fromY: clientY, moved: false };
			button.setPointerCapture(pointerId);
		},
		signal,
	);
	listen(
		window,
		"pointermove",
		(event) => {
			const { clientX, clientY } = event as PointerEvent;
			look = { x: clientX, y: clientY };
			if (drag && !drag.moved && Math.hypot(clientX - drag.fromX, clientY - drag.fromY) > THRESHOLD) {
				drag.moved = true;
				dragged = true;
				corner.classList.add("up");
				corner.classList.remove("go");
			}
			if (drag?.moved) {
				x = clientX - drag.dx;
				y = clientY - drag.dy;
			}
			paint();
		},
		signal,
	);
	const drop = (back: boolean) => {
		const held = drag;
		drag = undefined;
		corner.classList.remove("up");
		if (!held?.moved) return;
		if (back) put(spot);
		else dock(x + SIZE / 2 < innerWidth / 2 ? "left" : "right", y);
	};
	listen(button, "pointerup", () => drop(false), signal);
	listen(button, "pointercancel lostpointercapture", () => drop(true), signal);
	// The click that ends a drag is none; before the page's and our own listeners.
	listen(
		window,
		"click",
		(event) => {
			if (!dragged || !event.composedPath().includes(button)) return;
			dragged = false;
			event.stopImmediatePropagation();
			event.preventDefault();
		},
		signal,
		true,
	);
	listen(
		button,
		"keydown",
		(event) => {
			const { key } = event as KeyboardEvent;
			// The button that was pressed for a drag is still to come up, and that is no click either.
			if (!drag) dragged = false;
			if (key === "Escape" && drag) drop(true);
			else if (key === "ArrowLeft") dock("left", spot.top);
			else if (key === "ArrowRight") dock("right", spot.top);
			else if (key === "ArrowUp") dock(spot.side, spot.top - STRIDE);
			else if (key === "ArrowDown") dock(spot.side, spot.top + STRIDE);
			else return;
			event.preventDefault();
		},
		signal,
	);
	listen(button, "dragstart", (event) => event.preventDefault(), signal);
	listen(window, "scroll resize load focusin", soon, signal, true);
	listen(host, "earthonline:close", soon, signal);

	let checking: ReturnType<typeof setInterval> | undefined;
	const watch = () => {
		clearInterval(checking);
		corner.classList.toggle("still", document.hidden);
		if (!document.hidden) checking = setInterval(settle, CHECK_MS);
	};
	listen(document, "visibilitychange", watch, signal);
	signal.addEventListener("abort", () => {
		clearInterval(checking);
		clearTimeout(settling);
		cancelAnimationFrame(painting);
	});
	watch();
	dock(home.side, home.top);
	corner.classList.remove("go");
	// Where it stands must be known before it shows.
	corner.style.transform = `translate3d(${x}px,${y}px,0)`;
}

/** A style sheet of a shadow root whose text may change. */
function sheetOf(shadow: ShadowRoot): { replaceSync?(css: string): void } {
	try {
		const sheet = new CSSStyleSheet();
		shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
		return sheet;
	} catch {
		return {};
	}
}
