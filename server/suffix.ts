/** Knows the public suffix list, private part included: under `com`, `co.uk` or `github.io` anybody may have a name, so no rule of ours may cover all of it. */
import { getPublicSuffix } from "tldts";

/** Whether a domain is itself a public suffix; also for a last label that nobody has registered. */
export const isPublicSuffix = (domain: string): boolean => getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
