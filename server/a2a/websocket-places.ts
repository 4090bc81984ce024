/**
 * How many sockets there may be: an address, a desk, a guest, and of those that have not said Hello (reliability.md 5.4, 91).
 * Counts and nothing else; whoever takes a place gives it back once, at its end.
 */
import { DeskError } from "../../shared/errors.js";
import type { Limits } from "../../shared/limits.js";

export type PlaceLimits = Pick<Limits, "socketsPerGuest" | "socketsPerAddress" | "socketsPerDesk" | "socketsUnauthenticated">;

/** What one socket takes. */
export interface Place {
	/** `networkOf` of its address; empty where it has none. */
	readonly network: string;
	readonly deskId: number;
	/** The guest that it speaks for, once that is known. */
	guestId: number | undefined;
	greeted: boolean;
}

const full = (code: "rate_limited" | "unavailable", text: string, seconds: number): DeskError =>
	new DeskError(code, text, { retryAfterSeconds: seconds });

export class Places {
	private readonly addresses = new Map<string, number>();
	private readonly desks = new Map<number, number>();
	private readonly guests = new Map<number, number>();
	private unauthenticated = 0;

	constructor(private readonly limits: PlaceLimits) {}

	/** Throws `rate_limited` for an address that has as many as it may, `unavailable` where the desk has, or too many wait for their Hello. */
	check(network: string, deskId: number): void {
		const { socketsPerAddress, socketsPerDesk, socketsUnauthenticated } = this.limits;
		if (network !== "" && (this.addresses.get(network) ?? 0) >= socketsPerAddress) {
			throw full("rate_limited", "Too many sockets are open from this address. Close one, then open this again.", 5);
		}
		if ((this.desks.get(deskId) ?? 0) >= socketsPerDesk) {
			throw full("unavailable", "Too many people are at this desk now. Try again in a minute.", 60);
		}
		if (this.unauthenticated >= socketsUnauthenticated) {
			throw full("unavailable", "Too many sockets are being opened at once. Try again in a second.", 1);
		}
	}

	enter(place: Place): void {
		add(this.addresses, place.network, 1);
		add(this.desks, place.deskId, 1);
		this.unauthenticated++;
	}

	/** Whether this guest may have one more. */
	hasRoomFor(guestId: number): boolean {
		return (this.guests.get(guestId) ?? 0) < this.limits.socketsPerGuest;
	}

	/** The socket has said who it is; `guestId` where that is a guest. */
	greet(place: Place, guestId: number | undefined): void {
		place.greeted = true;
		place.guestId = guestId;
		this.unauthenticated--;
		if (guestId !== undefined) add(this.guests, guestId, 1);
	}

	leave(place: Place): void {
		add(this.addresses, place.network, -1);
		add(this.desks, place.deskId, -1);
		if (!place.greeted) this.unauthenticated--;
		else if (place.guestId !== undefined) add(this.guests, place.guestId, -1);
	}
}

function add<K>(counts: Map<K, number>, key: K, change: 1 | -1): void {
	const count = (counts.get(key) ?? 0) + change;
	if (count > 0) counts.set(key, count);
	else counts.delete(key);
}
