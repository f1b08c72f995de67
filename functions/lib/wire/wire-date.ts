/**
 * `2026-07-16T10:20:30.123Z` -> `2026-07-16T10:20:30+0000`: the format of dates on the wire
 * (docs/reference/storage-api.md#requests).
 */
export const wireDate = (iso: string): string => `${iso.slice(0, 19)}+0000`

export const wireDateOrNull = (iso: string | null): string | null => (iso === null ? null : wireDate(iso))
