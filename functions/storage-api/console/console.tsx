import { type Context, Hono } from 'hono'
import { compress } from 'hono/compress'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { ConsoleSessions } from '../../lib/storage/console/console-sessions.ts'
import type { Counts } from '../../lib/storage/counts/counts.ts'
import { MAX_LIST_BYTES } from '../http/page.ts'
import type { App } from '../routes/app.ts'
import { type ApiClient, createApiClient, Refusal, type Room } from './api-client.ts'
import { type Asset, assetNames } from './assets.ts'
import { startLoad, startUpload } from './drop-file.ts'
import { type LoadStarted, loadRequest, uploadRequest } from './drop-wire.ts'
import { type AssetNames, type PageStatus, sendPage, sendPlainPage } from './frame.tsx'
import { Problem } from './parts.tsx'
import type { Route } from './route.ts'
import { routes } from './routes.ts'
import { keepSaid, takeSaid } from './session.ts'
import { signingIn } from './signing-in.tsx'
import { CONSOLE_PATH } from './with-console.ts'

interface ConsoleOptions {
  /** The storage API, in this process. */
  api: App
  /** What browsers load, by name; read with the first request for a page. */
  assets: () => ReadonlyMap<string, Asset>
  /** Origins of the object store that a page may send files to. */
  storeOrigins: readonly string[]
  consoleSessions: ConsoleSessions
  counts: Counts
  now: () => Date
  log: { error(message: string, error: Error): void }
}

/**
 * The console: pages for people over the API's own routes, with the token that the person signed in with. It has no access of its own.
 * Works without scripts but for dropping files and pages that follow what is under way.
 */
export const createConsole = (options: ConsoleOptions): App => {
  const { api, log, now } = options
  let read: ReadonlyMap<string, Asset> | undefined
  const assets = () => (read ??= options.assets())
  const names = () => assetNames(assets())
  const clientFor = (context: Context, token: string, room: Room = LARGE) =>
    createApiClient(api, { origin: new URL(context.req.url).origin, token, room })
  const hono = new Hono()

  guard(hono, options.storeOrigins)

  hono.get(`${CONSOLE_PATH}/assets/:name`, context => {
    const asset = assets().get(context.req.param('name'))
    if (asset === undefined) return context.notFound()
    return context.body(asset.body, 200, {
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  const signedIn = signingIn(hono, { ...options, assets: names, clientFor })
  for (const route of routes) {
    const handle = signedIn(async (context, token) => {
      const isForm = route.method === 'POST'
      const form = isForm ? textsOf(await context.req.parseBody()) : {}
      // A page that no reply has room for is built again of less. What a form does is done once.
      for (const room of isForm ? [LARGE] : [LARGE, SMALL]) {
        const client = clientFor(context, token, room)
        const reply = await answer(context, route, { client, form, now: now(), assets: names() })
        const text = await reply.clone().text()
        if (Buffer.byteLength(JSON.stringify(text)) <= MAX_LIST_BYTES) return reply
      }
      return failurePage(context, names(), { sentence: TOO_LARGE, status: 200 })
    })
    hono.on(route.method, route.path, handle)
  }
  serveScripts(hono, { signedIn, clientFor })

  hono.onError((error, context) => {
    const { status, sentence } = describeFailure(error)
    if (status === 500) log.error('A page of the console failed.', error)
    if (context.req.header('content-type')?.startsWith('application/json') === true)
      return context.json({ error: sentence }, status)
    return failurePage(context, names(), { sentence, status })
  })
  hono.notFound(context =>
    failurePage(context, names(), {
      title: 'There is no such page',
      sentence: 'What it showed may be gone, or its address is mistyped.',
      status: 404,
    }),
  )
  return { fetch: async request => hono.fetch(request) }
}

/** What browsers may load and where forms may come from. */
const guard = (hono: Hono, storeOrigins: readonly string[]): void => {
  hono.use(compress())
  hono.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", ...storeOrigins],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
      referrerPolicy: 'same-origin',
    }),
  )
  hono.use(async (context, next) => {
    if (!isOurs(context)) throw new HTTPException(403)
    await next()
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
  })
}

/** Whether a form, or whatever else may change something, comes from a page of ours, in whichever way its body is written. */
const isOurs = ({ req }: Context): boolean =>
  req.method === 'GET' ||
  req.method === 'HEAD' ||
  req.header('sec-fetch-site') === 'same-origin' ||
  req.header('origin') === new URL(req.url).origin

interface Answered {
  client: ApiClient
  form: Record<string, string>
  now: Date
  assets: AssetNames
}

/** What a page shows or a form leads to. What the API refuses is said on a page with the way to all others. */
const answer = async (context: Context, route: Route, { assets, ...asked }: Answered): Promise<Response> => {
  const { client } = asked
  const shown = { path: context.req.path, broken: client.broken }
  try {
    const params = context.req.param() as Record<string, string> // those of the path, decoded
    const built = await route.run({ ...asked, params, query: context.req.query() })
    if ('redirect' in built) {
      if (built.said !== undefined) keepSaid(context, built.said)
      return context.redirect(built.redirect, 303)
    }
    const person = await client.person()
    return sendPage(context, { assets }, { ...shown, ...built, person, said: takeSaid(context) })
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 401) throw error
    const { status, sentence } = describeFailure(error)
    const title = status === 403 ? 'Your token may not do this' : FAILED
    const body = <Problem>{sentence}</Problem>
    return sendPage(context, { assets, status }, { ...shown, title, body, person: await client.person() })
  }
}

interface ScriptOptions {
  signedIn: ReturnType<typeof signingIn>
  clientFor: (context: Context, token: string) => ApiClient
}

/** What scripts ask for, in JSON: what becomes of a file that is dropped. */
const serveScripts = (hono: Hono, { signedIn, clientFor }: ScriptOptions): void => {
  const drop = `${CONSOLE_PATH}/drop`
  const say = (run: (client: ApiClient, context: Context) => Promise<object>) =>
    signedIn(async (context, token) => context.json(await run(clientFor(context, token), context)))
  hono.post(
    `${drop}/upload`,
    say(async (client, { req }) => startUpload(client, uploadRequest.parse(await req.json()))),
  )
  hono.post(
    `${drop}/load`,
    say(async (client, { req }) => {
      const { id } = await startLoad(client, loadRequest.parse(await req.json()))
      return { jobId: id } satisfies LoadStarted
    }),
  )
}

const LARGE: Room = { items: 5_000, length: 2_000 }
const SMALL: Room = { items: 100, length: 300 }

const TOO_LARGE =
  'What this page is about is larger than a page may be. The API and the command line show it, or say what to ask for.'

/** The fields of a form; files are sent to the object store, never here. */
const textsOf = (form: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )

const describeFailure = (error: Error): { status: 400 | 403 | 404 | 409 | 500; sentence: string } => {
  if (error instanceof z.ZodError) return { status: 400, sentence: z.prettifyError(error) }
  if (error instanceof HTTPException && error.status === 403)
    return { status: 403, sentence: 'The form comes from another site.' }
  if (!(error instanceof Refusal || error instanceof UserError))
    return { status: 500, sentence: 'Something went wrong here. The log of the service says what.' }
  const known = ([403, 404, 409] as const).find(status => status === error.status)
  return { status: known ?? 400, sentence: error.message }
}

const FAILED = 'That did not work'

const failurePage = (
  context: Context,
  assets: AssetNames,
  { title = FAILED, sentence, status }: { title?: string; sentence: string; status: PageStatus },
) =>
  sendPlainPage(
    context,
    { assets, status },
    {
      title,
      body: (
        <>
          <Problem>{sentence}</Problem>
          <p>
            <a href={CONSOLE_PATH}>Back to the overview</a>
          </p>
        </>
      ),
    },
  )
