import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { isSameText } from '../../lib/digests.ts'
import { type Said, said } from './route.ts'
import { CONSOLE_PATH } from './with-console.ts'

const COOKIE = 'millrace_session'

const isSecure = ({ req }: Context): boolean => new URL(req.url).protocol === 'https:'

/**
 * With TLS no other host and no other port can set it. Without, the ports of one machine share their cookies, so it counts only for
 * requests that come from a page of ours or from nowhere.
 */
const placeOf = (context: Context) =>
  isSecure(context)
    ? ({ prefix: 'host', path: '/', secure: true } as const)
    : ({ path: CONSOLE_PATH, secure: false } as const)

/** The id of the session at the browser, in a cookie that no script reads, no other site sends and, without TLS, no other path gets. */
export const readSession = (context: Context): string | undefined => {
  const from = context.req.header('sec-fetch-site') ?? 'none'
  if (from !== 'none' && from !== 'same-origin') return undefined
  return (isSecure(context) ? getCookie(context, COOKIE, 'host') : getCookie(context, COOKIE)) || undefined
}

export const keepSession = (context: Context, id: string): void =>
  setCookie(context, COOKIE, id, { httpOnly: true, sameSite: 'Strict', ...placeOf(context) })

export const dropSession = (context: Context): void => {
  deleteCookie(context, COOKIE, placeOf(context))
}

const SAID = 'millrace_said'
const SAID_SECONDS = 60

/** Only who knows the session can have written it: another port may set a cookie here. */
const signed = (context: Context, text: string): string =>
  createHmac('sha256', readSession(context) ?? '')
    .update(text)
    .digest('base64url')

/** Keeps a sentence for the page that the browser asks for next. */
export const keepSaid = (context: Context, value: Said): void => {
  const text = JSON.stringify(value)
  setCookie(context, SAID, `${signed(context, text)}.${text}`, {
    httpOnly: true,
    sameSite: 'Strict',
    path: CONSOLE_PATH,
    maxAge: SAID_SECONDS,
  })
}

/** The sentence of the form that led here, once; not for a script that looks at the page again. */
export const takeSaid = (context: Context): Said | undefined => {
  const kept = getCookie(context, SAID)
  if (kept === undefined || context.req.header('sec-fetch-dest') === 'empty') return undefined
  deleteCookie(context, SAID, { path: CONSOLE_PATH })
  const [signature = '', text = ''] = kept.split(/\.(.*)/s)
  if (!isSameText(signature, signed(context, text))) return undefined
  return said.safeParse(JSON.parse(text)).data
}
