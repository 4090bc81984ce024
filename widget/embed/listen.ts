/** Listens to several events (`"focus pointerenter"`) until a signal ends it; `first`: before the page's own listeners. */
export const listen = (
	target: EventTarget | null | undefined,
	types: string,
	call: (event: Event) => void,
	signal: AbortSignal,
	first?: boolean,
): void => {
	for (const type of types.split(" ")) target?.addEventListener(type, call, { signal, capture: first });
};
