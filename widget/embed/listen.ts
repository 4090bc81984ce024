/** Listens to several events (`"focus pointerenter"`) until a signal ends it, before what the page itself has inside. */
export const listen = (target: EventTarget | null | undefined, types: string, call: (event: Event) => void, signal: AbortSignal): void => {
	for (const type of types.split(" ")) target?.addEventListener(type, call, { signal, capture: true });
};
