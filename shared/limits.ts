/**
 * Every limit of the product: its name, its unit and its default (reliability.md 5.4). A limit
 * on what is sent, kept or waited for stands nowhere else. `config.ts` lets an operator change those that it names.
 */
export const LIMITS = {
	/** UTF-8 bytes of the text of one message. */
	messageTextBytes: 16 * 1024,
	/** UTF-8 bytes of one message as JSON, pictures apart, and of the pictures in it. */
	messageBytes: 64 * 1024,
	messageRawBytes: 512 * 1024,
	/** Bytes of an HTTP request body. */
	bodyBytes: 1024 * 1024,
	/** Depth of a JSON body; a scalar is 1. */
	jsonDepth: 32,
	/** Values and keys in a JSON body. */
	jsonNodes: 5_000,
	/** Wrong fields that one refusal names. */
	violations: 20,
	/** Parts of a message. */
	messageParts: 32,
	/** Characters of an id, a key or a page token that a caller gives. */
	idChars: 128,
	/** Bytes of one WebSocket frame from a client. */
	frameBytes: 64 * 1024,
	/** Fragments of one WebSocket message. */
	frameFragments: 16,
	/** Frames a second a socket may send, and how many it may save up. */
	framesPerSecond: 20,
	framesBurst: 60,
	/** Bytes that may wait unsent on a socket before it is moved to catch-up from the log. */
	socketBufferBytes: 1024 * 1024,
	/** Bytes of one catch-up page. */
	catchUpPageBytes: 64 * 1024,
	/** Milliseconds from the opening of a socket to its Hello. */
	helloMs: 5_000,
	/** Milliseconds of silence after which the server sends `tick`. */
	tickMs: 20_000,
	/** Milliseconds without a frame after which a client reconnects. */
	silenceMs: 45_000,
	/** Requests of one socket that may wait for their answers at a time. */
	socketCalls: 32,
	/** Contexts that one socket may follow at a time. */
	socketContexts: 100,
	/** Guests that Hello makes, an address. */
	newGuestsPerMinutePerAddress: 60,
	/** Sockets: a guest, an address, a desk, and those without a Hello yet. */
	socketsPerGuest: 6,
	socketsPerAddress: 200,
	socketsPerDesk: 5_000,
	socketsUnauthenticated: 500,
	/** Open SSE streams a caller. */
	streamsPerCaller: 20,
	/** Milliseconds between comment heartbeats on an SSE stream. */
	streamHeartbeatMs: 15_000,
	/** Open turns: a guest, an embed, a desk. */
	turnsPerGuest: 2,
	turnsPerEmbed: 50,
	turnsPerDesk: 200,
	/** Messages of a guest. */
	guestMessagesPerMinute: 20,
	guestMessagesPerHour: 200,
	/** Requests an address may make a minute, before anything of them is parsed. */
	requestsPerMinutePerAddress: 600,
	/** The same for a /48 of IPv6, which one customer of a provider may have whole and of which an address is a /64. */
	requestsPerMinutePerSite: 6_000,
	/** Open TCP connections an address, whatever is spoken on them; not counted where a proxy of ours stands before us. */
	connectionsPerAddress: 500,
	/** Requests that one connection may make before it is closed. */
	requestsPerConnection: 1_000,
	/** Longest wait of a blocking send, milliseconds (A2A-6). */
	sendWaitMs: 55_000,
	/** Idle time after which an interrupted task is CANCELED (A2A-8). */
	interruptedTaskMs: 24 * 60 * 60 * 1000,
	/** Age at which the chunk rows of an ended turn are folded into one artifact. */
	chunkRowsMs: 24 * 60 * 60 * 1000,
	/** Idle time after which a guest's token ends. */
	guestIdleMs: 180 * 24 * 60 * 60 * 1000,
	/** Life of a claim on a turn; renewed by every write of the turn. */
	turnLeaseMs: 60_000,
	/** Times a turn may take its process down before it is parked. */
	turnAttempts: 3,
	/** Shortest time between two pieces of one stream, milliseconds; the first goes at once. */
	pieceGapMs: 50,
	/** ListTasks page. */
	pageSize: 50,
	pageSizeMax: 100,
	/** Messages of the open context in Hello's answer and in one History page, and how many bytes they may be; one is always given. */
	historyPage: 50,
	historyBytes: 256 * 1024,
	/** Bytes of the messages that a task is read with, and that each task of a list is. */
	taskHistoryBytes: 1024 * 1024,
	listedHistoryBytes: 32 * 1024,
	/** Life of an embed ticket. */
	ticketMs: 24 * 60 * 60 * 1000,
	/** Sites that wait for the owner's Allow, a desk; new ones an hour, a desk. */
	pendingSites: 50,
	pendingSitesPerHour: 20,
	/** How often `recent` and `pending` may be written, a desk and site. */
	siteVisitMs: 60_000,
	/** Sites kept as recent, a desk: whoever may name any site cannot fill the disk with names. */
	recentSites: 200,
	/** Rules of a desk, allowed and blocked. */
	siteRules: 500,
	/** Silence after which a site that is allowed is named to its owner: its domain may be somebody else's by now (reliability.md 4.1). */
	siteSilentMs: 90 * 24 * 60 * 60 * 1000,
	/** Embeds of a desk, and characters of the name that its owner gives one. */
	embeds: 100,
	embedNameChars: 60,
	/** Characters of a question in an address (LINK-3): what every browser, proxy and server passes on. */
	askChars: 2_000,
	/** How long a page waits for its answer, milliseconds: less than what fetching tools wait for a page. */
	askWaitMs: 20_000,
	/** The same for a person in a browser, who can look again. */
	askBrowserWaitMs: 5_000,
	/** Pages that wait at a time; the next ones answer at once with their receipt. */
	askWaits: 500,
	/** Time within which the same words to a desk are the same question. */
	askRepeatMs: 10 * 60 * 1000,
	/** How often one address may open the same question again in that time before it counts as another: each opening writes a link. */
	askRepeats: 5,
	/** Life of a private link after it was last asked with. */
	followUpMs: 30 * 24 * 60 * 60 * 1000,
	/** Badges kept as PNG, and slices of the font that they are drawn with. */
	badgePictures: 200,
	badgeFontSlices: 60,
	/** Rows of each list that an owner is given, the newest first. */
	listedApprovals: 100,
	listedCalls: 100,
	listedRatings: 200,
	listedGaps: 200,
	/** Life of a sign-in link, which is good once, and of a session. */
	signInLinkMs: 10 * 60 * 1000,
	sessionMs: 30 * 24 * 60 * 60 * 1000,
	/** Hours of a desk: spans of a week, and characters of the whole text, in which two spans a day have room. */
	hoursSpans: 50,
	hoursChars: 400,
	/** Characters of one memory file (OWN-4). */
	memoryFileChars: 20_000,
	/** The built-in answerer: characters of notes that it keeps ready, over all desks; questions answered in a turn, searches of the web for them, and characters of one that is kept for the owner. */
	knowledgeChars: 2_000_000,
	answersPerTurn: 8,
	searchesPerTurn: 2,
	gapChars: 500,
	/** Bytes of a picture as it comes, and as it is kept; pixels of one (reliability.md 4.2, 97). */
	pictureBytes: 10 * 1024 * 1024,
	picturePixels: 16_000_000,
	/** Pixels of either side: what making one anew costs grows with its rows, so 1 × 16,000,000 takes a hundred times what 4,000 × 4,000 does. */
	pictureSide: 16_384,
	/** Pieces that a PNG may be made of, and bytes of a profile of its colours: a larger one is left out. */
	pictureChunks: 10_000,
	pictureProfileBytes: 64 * 1024,
	/** Pictures of one message of a visitor's. */
	picturesPerMessage: 4,
	/** Pictures of a guest an hour. */
	picturesPerGuestPerHour: 60,
	/** Pictures that an address sends a minute and a day, and the bytes of those that are kept. */
	picturesPerAddressPerMinute: 30,
	picturesPerAddressPerDay: 300,
	pictureBytesPerAddressPerDay: 100 * 1024 * 1024,
	/** Pictures of an address that come in or are made anew at a time, and their bytes in memory: of an address, and of all. */
	pictureUploadsPerAddress: 4,
	pictureUploadBytesPerAddress: 20 * 1024 * 1024,
	pictureUploadBytes: 100 * 1024 * 1024,
	/** Pictures that an address fetches at a time. */
	pictureReadsPerAddress: 50,
	/** So many addresses' allowance of pictures has a /48 of IPv6. */
	pictureAddressesPerSite: 3,
	/** Pictures that wait to be made anew. */
	picturesWaiting: 16,
	/** How long making one anew may take; how long its process waits for another, and the heap of its JavaScript (pixels lie outside). */
	pictureMakeMs: 15_000,
	pictureIdleMs: 60_000,
	pictureHeapMb: 128,
	/** Pictures of a desk, and their bytes. */
	picturesPerDesk: 10_000,
	pictureBytesPerDesk: 2 * 1024 * 1024 * 1024,
	/** How long one that nobody has sent is kept. */
	pictureUnsentMs: 24 * 60 * 60 * 1000,
	/** Pictures that an owner is shown, the newest first. */
	listedPictures: 200,
	/** Time given to running turns at SIGTERM. */
	stopMs: 20_000,
	/** How long a write waits for the database before it is refused as retryable. */
	writeWaitMs: 2_000,
	/** Time an HTTP client has for its headers and for its whole request. */
	headersMs: 10_000,
	requestMs: 30_000,
	/** How often connections are held against the two. */
	connectionCheckMs: 5_000,
	/** Approvals that wait for the owner at a time, a desk; how long one waits; void ones that are kept, a desk: a key may make any number of those. */
	approvalsPerDesk: 20,
	approvalMs: 7 * 24 * 60 * 60 * 1000,
	approvalsVoidPerDesk: 100,
	/** Things that a turn does outside; those of one guest at a desk, and of one desk, in 24 hours. */
	callsPerTurn: 3,
	callsPerGuestPerDay: 50,
	callsPerDeskPerDay: 1_000,
	/** Longest time that one may take, milliseconds: what has not come by then is not waited for. */
	callMs: 30_000,
	/** How long what such a call brought is kept for its turn, and how long that it was made; as long what became of an approval. */
	callResultMs: 24 * 60 * 60 * 1000,
	callsKeptMs: 90 * 24 * 60 * 60 * 1000,
	/** Time that connecting an app has for its one try. */
	appConnectMs: 20_000,
	/** UTF-8 bytes of what one such call may bring, and characters of a web search. */
	callResultBytes: 64 * 1024,
	searchChars: 300,
	/** Pages that a web search gives, and characters of a title, of what is quoted of a page and of its address. */
	searchPages: 5,
	pageUrlChars: 2_000,
	pageTitleChars: 120,
	pageTextChars: 500,
	/** Longest time that a calendar is asked about, and how many occurrences and periods of its events are looked at and taken in for that. */
	calendarSpanMs: 62 * 24 * 60 * 60 * 1000,
	calendarOccurrences: 50_000,
	calendarEngagements: 2_000,
	/** Reading a calendar: how long its thread may take to begin and then to read, its heap, threads at a time, and calendars that wait for one. */
	calendarStartMs: 10_000,
	calendarReadMs: 5_000,
	calendarHeapMb: 128,
	calendarThreads: 2,
	calendarsWaiting: 16,
	/** Characters of an event's title. */
	eventTitleChars: 120,
	/** Calling an address outside: to be connected, to have the headers, to have everything; bytes of the headers. */
	outboundConnectMs: 5_000,
	outboundHeadersMs: 10_000,
	outboundTotalMs: 15_000,
	outboundHeaderBytes: 16 * 1024,
	/** Bytes of an answer from outside: usually, and of a calendar. */
	outboundBodyBytes: 512 * 1024,
	calendarBytes: 2 * 1024 * 1024,
} as const;

export type Limits = { [K in keyof typeof LIMITS]: number };
