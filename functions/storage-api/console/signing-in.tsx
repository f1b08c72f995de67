import type { Context, Hono } from 'hono'
import type { ConsoleSessions } from '../../lib/storage/console/console-sessions.ts'
import type { Counts } from '../../lib/storage/counts/counts.ts'
import { tokenBody } from '../../lib/wire/token-body.ts'
import { remoteAddress } from '../http/request-context.ts'
import { tokenIdOf } from '../services/authenticate.ts'
import { type ApiClient, orProblem, Refusal } from './api-client.ts'
import { Field, Hidden } from './forms.tsx'
import { type AssetNames, sendPlainPage } from './frame.tsx'
import { Problem } from './parts.tsx'
import { dropSession, keepSession, readSession } from './session.ts'
import { CONSOLE_PATH } from './with-console.ts'

interface SigningInOptions {
  consoleSessions: ConsoleSessions
  counts: Counts
  clientFor: (context: Context, token: string) => ApiClient
  assets: () => AssetNames
}

type Run = (context: Context, token: string) => Promise<Response>

/** Adds the routes that begin and end a session. Returns what runs a page for whoever has one; everybody else is asked to sign in. */
export const signingIn = (
  hono: Hono,
  { consoleSessions, counts, clientFor, assets }: SigningInOptions,
): ((run: Run) => (context: Context) => Promise<Response>) => {
  const signInPage = (context: Context, to: string, problem?: string, status: 200 | 401 | 429 = 200) =>
    sendPlainPage(
      context,
      { assets: assets(), status },
      { title: 'Sign in', body: <SignIn problem={problem} to={to} /> },
    )
  const refused = (context: Context, to: string) => {
    context.header('retry-after', String(tries.minutes * 60))
    return signInPage(context, to, tooMany, 429)
  }
  /** Why a token is none, if it is. */
  const problemOf = async (context: Context, token: string): Promise<string | undefined> => {
    const found = await orProblem(clientFor(context, token).get('tokens/verify', tokenBody))
    return 'problem' in found ? found.problem : undefined
  }
  const endSession = async (context: Context): Promise<void> => {
    const id = readSession(context)
    if (id !== undefined) await consoleSessions.end(id)
  }
  const beginSession = async (context: Context, token: string, to: string): Promise<Response> => {
    await endSession(context)
    keepSession(context, await consoleSessions.begin(token))
    return context.redirect(to, 303)
  }

  hono.get(SIGN_IN_PATH, context => signInPage(context, wantedPage(context.req.query('to'))))
  hono.post(SIGN_IN_PATH, async context => {
    const { token, to: asked } = await context.req.parseBody()
    const to = wantedPage(typeof asked === 'string' ? asked : undefined)
    if (typeof token !== 'string' || token === '') return signInPage(context, to, 'Which token?', 401)

    const counted = tryOf(context, token)
    if (!(await counts.take(counted, tries))) return refused(context, to)
    const problem = await problemOf(context, token)
    if (problem !== undefined) return signInPage(context, to, problem, 401)
    await counts.forget(counted)
    return beginSession(context, token, to)
  })
  // A link is what a command of the same person opened in a browser, or what was pasted. One on somebody's page would sign its reader in
  // with a token of that somebody.
  hono.get(LINK_PATH, async context => {
    const comesFrom = context.req.header('sec-fetch-site') ?? 'none'
    const id = context.req.query('id') ?? ''
    const counted = `opening links from ${remoteAddress(context.req.raw.headers)}`
    if (!(await counts.take(counted, tries))) return refused(context, CONSOLE_PATH)
    const token = comesFrom === 'none' ? await consoleSessions.takeLink(id) : undefined
    if (token === undefined) return signInPage(context, CONSOLE_PATH, USED_LINK, 401)
    await counts.forget(counted)
    return beginSession(context, token, CONSOLE_PATH)
  })
  hono.post(LINK_PATH, async context => {
    const token = context.req.header('x-storageapi-token') ?? ''
    const counted = tryOf(context, token)
    if (!(await counts.take(counted, tries))) return context.json({ error: tooMany }, 429)
    const problem = await problemOf(context, token)
    if (problem !== undefined) return context.json({ error: problem }, 401)
    await counts.forget(counted)
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
    if (!token) return context.redirect(signInFor(pageOf(context)), 303)
    try {
      return await run(context, token)
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) throw error
      await endSession(context)
      dropSession(context)
      return signInPage(context, pageOf(context), error.message, 401)
    }
  }
}

/** `to`: the page that is shown then. */
const SignIn = ({ problem, to }: { problem: string | undefined; to: string }) => (
  <form method="post" action={SIGN_IN_PATH} class="panel narrow">
    {problem !== undefined && <Problem>{problem}</Problem>}
    <Hidden of={{ to }} />
    <Field label="Storage token" type="password" name="token" required autocomplete="current-password" />
    <p class="hint">
      <code>npm start</code> prints it when it is ready; <code>npm run deploy</code> prints which secret of
      the account holds it.
    </p>
    <button type="submit" class="btn-primary">
      Sign in
    </button>
  </form>
)

/** Fruitless ones. A try counts before its token or link is looked at. */
const tries = { most: 10, minutes: 10 }

/** With one token from one address: whoever tries another token there, or this one elsewhere, keeps nobody out. */
const tryOf = (context: Context, token: string): string =>
  `signing in from ${remoteAddress(context.req.raw.headers)} with the token ${tokenIdOf(token) ?? 'without an id'}`

const tooMany =
  `There were more than ${tries.most} fruitless tries from this address. ` +
  `Wait ${tries.minutes} minutes; or millrace open makes a link, and the form takes a token, whichever of the two was not tried so often.`

/** The page that was asked for; a form leads to none. */
const pageOf = ({ req }: Context): string => {
  const { pathname, search } = new URL(req.url)
  return wantedPage(req.method === 'GET' ? pathname + search : undefined)
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
