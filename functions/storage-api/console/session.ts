import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { type Said, said } from './route.ts'
import { CONSOLE_PATH } from './with-console.ts'

const COOKIE = 'millrace_session'

/** The id of the session at the browser, in a cookie that no script reads, no other site sends and no other path gets. */
export const readSession = (context: Context): string | undefined => getCookie(context, COOKIE) || undefined

export const keepSession = (context: Context, id: string): void =>
  setCookie(context, COOKIE, id, {
    httpOnly: true,
    sameSite: 'Strict',
    path: CONSOLE_PATH,
    secure: new URL(context.req.url).protocol === 'https:',
  })

export const dropSession = (context: Context): void => {
  deleteCookie(context, COOKIE, { path: CONSOLE_PATH })
}

const SAID = 'millrace_said'
const SAID_SECONDS = 60

/** Keeps a sentence for the page that the browser asks for next. */
export const keepSaid = (context: Context, value: Said): void =>
  setCookie(context, SAID, JSON.stringify(value), {
    httpOnly: true,
    sameSite: 'Strict',
    path: CONSOLE_PATH,
    maxAge: SAID_SECONDS,
  })

/** The sentence of the form that led here, once; not for a script that looks at the page again. */
export const takeSaid = (context: Context): Said | undefined => {
  const kept = getCookie(context, SAID)
  if (kept === undefined || context.req.header('sec-fetch-dest') === 'empty') return undefined
  deleteCookie(context, SAID, { path: CONSOLE_PATH })
  try {
    return said.safeParse(JSON.parse(kept)).data
  } catch {
    return undefined // somebody else wrote it
  }
}
