/** Asks for an answer at once (RFC 7240, "wait"): whoever waits between its requests need not wait in them. */
export const PREFER_NO_WAIT = { Prefer: 'wait=0' }

export const prefersNoWait = (headers: Headers): boolean =>
  /(?:^|,)\s*wait\s*=\s*0\s*(?:$|[,;])/i.test(headers.get('prefer') ?? '')
