/**
 * `/embed-pet.js`: the agent itself on the page (EMB-4), its face alive. It breathes, blinks, looks at the pointer; visitors
 * drag it or move it by the arrow keys, and it docks at the nearer side, clear of the page's own buttons. Moves by
 * `transform` alone and reads the page's layout only when it has come to rest. Still for those who asked for less motion,
 * and while nobody sees it.
 */
import { listen } from "./listen.js";
import type { Shared } from "./parts.js";
import { clearSpot, EDGE, type Side, type Spot, within } from "./pet-dock.js";
import { wakeFace } from "./pet-face.js";

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
.x .b.b>*{display:block!important}
.x .b.b:after{content:none}
.b svg{filter:drop-shadow(0 0 1.5px #fff) drop-shadow(0 4px 8px #1c19174d)}
.b .live{overflow:visible;border-radius:0;transform-origin:50% 92%;animation:breathe 4.2s ease-in-out infinite}
.up .b .live{animation:none;transform:scale(1.06) rotate(-4deg)}
.eyes{transition:transform .12s ease-out}
.lids{transform-box:fill-box;transform-origin:center;animation:blink 5.3s infinite}
.b .o{inset-inline-end:4px;bottom:4px}
.left .g{inset-inline:auto;left:calc(100% + 12px);right:auto}
.right .g{inset-inline:auto;right:calc(100% + 12px);left:auto}
.low .g{bottom:auto;top:6px}
.v .k~.p.p{--u:0px;inset-inline:auto;left:var(--pl);right:var(--pr);width:min(392px,100vw - 124px)}
.v.f .k~.p.p{left:0;right:auto;width:100%}
@keyframes breathe{50%{transform:scale(1.025,.975)}}
@keyframes blink{0%,94%,to{transform:none}97%{transform:scaleY(.08)}}
.still *{animation-play-state:paused!important}
@media(prefers-reduced-motion:reduce){.k.k,.k *{animation:none!important;transition:none!important}}`;

/** Throws nothing. */
export default function wake(at: Shared): void {
	const { host, root, corner, signal, state } = at;
	const button = corner.querySelector(".b") as HTMLElement;
	const still = matchMedia("(prefers-reduced-motion:reduce)");
	/** Where it stands, or would if nothing were in its way. */
	let home: Spot = { side: getComputedStyle(document.documentElement).direction === "rtl" ? "left" : "right", top: innerHeight };
	let spot = home;
	/** Left and top as they are on the screen: no frame has to ask. */
	let x = 0;
	let y = 0;
	/** The one finger, or the mouse, that holds it. */
	let drag: { by: number; dx: number; dy: number; fromX: number; fromY: number; moved: boolean } | undefined;
	let dragged = false;
	let painting = 0;
	let look: { x: number; y: number } | undefined;
	let settling: ReturnType<typeof setTimeout> | undefined;

	at.style(CSS);
	const picture = button.querySelector("svg") as SVGElement;
	const eyes = wakeFace(picture);
	picture.classList.toggle("live", !!eyes);

	/** Draws what has changed, once a frame. */
	const paint = () => {
		painting ||= requestAnimationFrame(() => {
			painting = 0;
			corner.style.transform = `translate3d(${x}px,${y}px,0)`;
			if (!eyes || !look || still.matches) return;
			const dx = look.x - x - SIZE / 2;
			const dy = look.y - y - SIZE / 2;
			const far = Math.max(Math.hypot(dx, dy), 60);
			eyes.style.transform = `translate(${(dx / far) * GAZE}px,${(dy / far) * GAZE}px)`;
		});
	};

	const leftOf = (side: Side) => (side === "left" ? EDGE : document.documentElement.clientWidth - EDGE - SIZE);
	const put = (next: Spot) => {
		spot = next;
		x = leftOf(next.side);
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

	/**
	 * Goes where it wants to be, or next to it; into the window where that has become another. Not while it is held; while a chat is
	 * open beside it it keeps its place, as far as the window has that.
	 */
	const settle = () => {
		if (drag || state.hidden || document.hidden) return;
		const next = state.open ? { ...spot, top: within(spot.top, SIZE) } : clearSpot(home, SIZE, host);
		if (next.side !== spot.side || next.top !== y || leftOf(next.side) !== x) put(next);
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
			// A second finger is not the one that holds it.
			if (which || drag) return;
			dragged = false;
			drag = { by: pointerId, dx: clientX - x, dy: clientY - y, fromX: clientX, fromY: clientY, moved: false };
			button.setPointerCapture(pointerId);
		},
		signal,
	);
	listen(
		window,
		"pointermove",
		(event) => {
			const { clientX, clientY, pointerId } = event as PointerEvent;
			if (drag && drag.by !== pointerId) return;
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
	const over = (event: Event, back: boolean) => drag?.by === (event as PointerEvent).pointerId && drop(back);
	listen(button, "pointerup", (event) => over(event, false), signal);
	listen(button, "pointercancel lostpointercapture", (event) => over(event, true), signal);
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
	listen(window, "scroll resize load focusin", soon, signal);
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
	corner.hidden = false;
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
