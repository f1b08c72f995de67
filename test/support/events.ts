import { readFileSync } from 'node:fs'

/** A payload of `events/`, as the function would get it. */
export const eventFile = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../events/${path}`, import.meta.url), 'utf8'))
