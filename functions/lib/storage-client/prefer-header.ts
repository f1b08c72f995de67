/** Asks for an answer at once (RFC 7240, "wait"): whoever waits between its requests need not wait in them. */
export const PREFER_NO_WAIT = { Prefer: 'wait=0' }

export const prefersNoWait = (headers: Headers): boolean =>
  /(?:^|,)\s*wait\s*=\s*0\s*(?:$|[,;])/i.test(headers.get('prefer') ?? '')

/** What becomes of a configuration that cannot run (RFC 7240, "handling"): it is refused, or stored as a draft. */
export type Handling = 'strict' | 'lenient' | 'unsaid'

export const handlingOf = (headers: Headers): Handling => {
  const given = /(?:^|,)\s*handling\s*=\s*(strict|lenient)\s*(?:$|[,;])/i.exec(headers.get('prefer') ?? '')
  return (given?.[1]?.toLowerCase() ?? 'unsaid') as Handling // one of those that the pattern names
}
