import type { Context, Hono } from 'hono'
import type { ConsoleSessions } from '../../lib/storage/console/console-sessions.ts'
import type { Counts } from '../../lib/storage/counts/counts.ts'
import { tokenBody } from '../../lib/wire/token-body.ts'
import { remoteAddress } from '../http/request-context.ts'
import { tokenIdOf } from '../services/authenticate.ts'
import { type ApiClient, Refusal } from './api-client.ts'
import { htmlPage } from './html-page.ts'
import { type AssetNames, Page } from './layout.tsx'
import { dropSession, keepSession, readSession } from './session.ts'
import { SignIn } from './views/sign-in.tsx'
import { CONSOLE_PATH } from './with-console.ts'

interface SigningInOptions {
  consoleSessions: ConsoleSessions
  counts: Counts
  clientFor: (context: Context, token: string) => ApiClient
  assets: () => AssetNames
}

type Run = (context: Context, client: ApiClient, token: string) => Promise<Response>

/** Adds the routes that begin and end a session. Returns what runs a page for whoever has one; everybody else is asked to sign in. */
export const signingIn = (
  hono: Hono,
  { consoleSessions, counts, clientFor, assets }: SigningInOptions,
): ((run: Run) => (context: Context) => Promise<Response>) => {
  const signInPage = (context: Context, to: string, problem?: string, status: 200 | 401 | 429 = 200) =>
    htmlPage(
      context,
      <Page title="Sign in" assets={assets()} person={undefined}>
        <SignIn problem={problem} to={to} />
      </Page>,
      status,
    )

  const endSession = async (context: Context): Promise<void> => {
    const id = readSession(context)
    if (id !== undefined) await consoleSessions.end(id)
  }

  hono.get(SIGN_IN_PATH, context => signInPage(context, wantedPage(context.req.query('to'))))
  hono.post(SIGN_IN_PATH, async context => {
    const form = await context.req.parseBody()
    const { token } = form
    const to = wantedPage(typeof form['to'] === 'string' ? form['to'] : undefined)
    if (typeof token !== 'string' || token === '') return signInPage(context, to, 'Which token?', 401)

    const counted = [
      `signing in from ${remoteAddress(context.req.raw.headers)}`,
      `signing in with the token ${tokenIdOf(token) ?? 'without an id'}`,
    ]
    const mayTry = await Promise.all(counted.map(of => counts.take(of, tries)))
    if (mayTry.includes(false)) {
      context.header('retry-after', String(tries.minutes * 60))
      return signInPage(context, to, tooMany, 429)
    }
    try {
      await clientFor(context, token).get('tokens/verify', tokenBody)
    } catch (error) {
      if (error instanceof Refusal) return signInPage(context, to, error.message, 401)
      throw error
    }
    await Promise.all(counted.map(of => counts.forget(of)))
    await endSession(context)
    keepSession(context, await consoleSessions.begin(token))
    return context.redirect(to, 303)
  })
  // A link is what a command of the same person opened in a browser, or what was pasted. One on somebody's page would sign its reader in
  // with a token of that somebody.
  hono.get(LINK_PATH, async context => {
    const comesFrom = context.req.header('sec-fetch-site') ?? 'none'
    const id = context.req.query('id') ?? ''
    const token = comesFrom === 'none' ? await consoleSessions.takeLink(id) : undefined
    if (token === undefined) return signInPage(context, CONSOLE_PATH, USED_LINK, 401)
    await endSession(context)
    keepSession(context, await consoleSessions.begin(token))
    return context.redirect(CONSOLE_PATH, 303)
  })
  hono.post(LINK_PATH, async context => {
    const token = context.req.header('x-storageapi-token') ?? ''
    try {
      await clientFor(context, token).get('tokens/verify', tokenBody)
    } catch (error) {
      if (error instanceof Refusal) return context.json({ error: error.message }, 401)
      throw error
    }
    const id = await consoleSessions.offerLink(token)
    return context.json({ url: `${new URL(context.req.url).origin}${LINK_PATH}?id=${id}` }, 201)
  })
  hono.post(`${CONSOLE_PATH}/sign-out`, async context => {
    await endSession(context)
    dropSession(context)
    return context.redirect(SIGN_IN_PATH, 303)
  })

  return run => async context => {
    const id = readSession(context)
    const token = id && (await consoleSessions.tokenOf(id))
    if (!token) return askToSignIn(context)
    try {
      return await run(context, clientFor(context, token), token)
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) throw error
      await endSession(context)
      dropSession(context)
      return signInPage(context, pageOf(context), error.message, 401)
    }
  }
}

/** Fruitless ones, of one address or with one token. A try counts before its token is looked at. */
const tries = { most: 10, minutes: 10 }

const tooMany =
  `There were more than ${tries.most} tries from this address, or with this token. ` +
  `Wait ${tries.minutes} minutes, then sign in again.`

/** A part of a page that asks for itself again sends the whole page to the form. */
const askToSignIn = (context: Context): Response => {
  const address = signInFor(pageOf(context))
  return context.req.header('hx-request') === undefined
    ? context.redirect(address, 303)
    : context.body(null, 204, { 'hx-redirect': address })
}

/** The page at the browser: the one that was asked for, or that a request of its parts or forms comes from. */
const pageOf = ({ req }: Context): string => {
  const current = URL.parse(req.header('hx-current-url') ?? (req.method === 'GET' ? req.url : ''))
  return wantedPage(current === null ? undefined : current.pathname + current.search)
}

const NO_HOST = 'https://console.invalid'

/**
 * The page that somebody asked for before signing in, as a path with its query. What leads anywhere else than to a page of the console
 * is read as its first page.
 */
const wantedPage = (asked: string | undefined): string => {
  const url = asked?.startsWith('/') ? URL.parse(asked, NO_HOST) : null
  const isPage =
    url?.origin === NO_HOST &&
    (url.pathname === CONSOLE_PATH || url.pathname.startsWith(`${CONSOLE_PATH}/`)) &&
    url.pathname !== SIGN_IN_PATH
  return isPage ? url.pathname + url.search : CONSOLE_PATH
}

const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`
const LINK_PATH = `${SIGN_IN_PATH}/link`

const USED_LINK =
  'This link has been used, or is older than two minutes, or leads here from another site. millrace open makes another one.'

/** The address of the form, which leads back to the page. */
const signInFor = (page: string): string =>
  page === CONSOLE_PATH ? SIGN_IN_PATH : `${SIGN_IN_PATH}?to=${encodeURIComponent(page)}`
