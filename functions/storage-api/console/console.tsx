import { type Context, Hono } from 'hono'
import { compress } from 'hono/compress'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { ConsoleSessions } from '../../lib/storage/console/console-sessions.ts'
import type { Counts } from '../../lib/storage/counts/counts.ts'
import { createStorageClient } from '../../lib/storage-client/storage-client.ts'
import { componentBody } from '../../lib/wire/component-body.ts'
import { MAX_LIST_BYTES } from '../http/page.ts'
import type { App } from '../routes/app.ts'
import { actions } from './actions.ts'
import { type ApiClient, createApiClient, Refusal, type Room } from './api-client.ts'
import { type Asset, assetNames } from './assets.ts'
import type { Built } from './built.ts'
import { startBrowserUpload, uploadRequest } from './drop-file.ts'
import { loadRequest, loadState, startLoad } from './drop-load.ts'
import { exchangeWith } from './exchange-with.ts'
import { htmlPage } from './html-page.ts'
import { type AssetNames, Broken, Page, Problem } from './layout.tsx'
import { pages } from './pages.tsx'
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
 * Works without scripts but for dropping files and live lists.
 */
export const createConsole = (options: ConsoleOptions): App => {
  const { api, log } = options
  let read: ReadonlyMap<string, Asset> | undefined
  const assets = () => (read ??= options.assets())
  const names = () => assetNames(assets())
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

  const signedIn = signingIn(hono, {
    ...options,
    assets: names,
    clientFor: (context, token) => clientFor(context, api, token),
  })

  const { orRefusal, withinReply, show } = createReplies(api, names)
  for (const { path, at, build } of pages) {
    hono.get(
      path,
      signedIn((context, _, token) =>
        withinReply(context, token, client =>
          orRefusal(context, client, at, async () =>
            show(context, client, await build(client, { ...askedOf(context), now: options.now() }), at),
          ),
        ),
      ),
    )
  }
  for (const { path, at, act } of actions) {
    hono.post(
      path,
      signedIn(async (context, _, token) => {
        const form = textsOf(await context.req.parseBody())
        return withinReply(context, token, client =>
          orRefusal(context, client, at, async () =>
            show(context, client, await act(client, { ...askedOf(context), form }), at),
          ),
        )
      }),
    )
  }

  hono.get(
    `${CONSOLE_PATH}/components/:component/schema`,
    signedIn(async (context, client) => {
      const path = `components/${encodeURIComponent(context.req.param('component') ?? '')}`
      return context.json((await client.get(path, componentBody)).configurationSchema)
    }),
  )

  serveDrops(hono, { api, signedIn })

  hono.onError((error, context) => {
    const { status, sentence } = describeFailure(error)
    if (status === 500) log.error('A page of the console failed.', error)
    if (context.req.header('content-type')?.startsWith('application/json') === true)
      return context.json({ error: sentence }, status)
    return htmlPage(context, failurePage(names(), sentence), status)
  })
  hono.notFound(context =>
    htmlPage(
      context,
      failurePage(
        names(),
        'What it showed may be gone, or its address is mistyped.',
        'There is no such page',
      ),
      404,
    ),
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

/** How a page goes out, whatever becomes of it. */
const createReplies = (api: App, names: () => AssetNames) => {
  /** What the API refuses is said on a page with the way to all others. */
  const orRefusal = async (
    context: Context,
    client: ApiClient,
    at: string,
    run: () => Promise<Response>,
  ): Promise<Response> => {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === 401) throw error
      const { status, sentence } = describeFailure(error)
      const title = status === 403 ? 'Your token may not do this' : 'That did not work'
      return htmlPage(
        context,
        <Page title={title} at={at} assets={names()} person={await client.person()}>
          <Problem>{sentence}</Problem>
        </Page>,
        status,
      )
    }
  }

  /** A page that no reply has room for is built again of less. What a form does is done once. */
  const withinReply = async (
    context: Context,
    token: string,
    run: (client: ApiClient) => Promise<Response>,
  ): Promise<Response> => {
    for (const room of context.req.method === 'GET' ? rooms : rooms.slice(0, 1)) {
      const reply = await run(clientFor(context, api, token, room))
      const text = await reply.clone().text()
      if (Buffer.byteLength(JSON.stringify(text)) <= MAX_LIST_BYTES) return reply
    }
    return htmlPage(context, failurePage(names(), TOO_LARGE))
  }

  const show = async (context: Context, client: ApiClient, built: Built, at: string): Promise<Response> => {
    if ('redirect' in built) {
      if (built.said !== undefined) keepSaid(context, built.said)
      return context.redirect(built.redirect, 303)
    }
    if ('fragment' in built)
      return context.html(
        <>
          {built.fragment}
          <Broken sentences={client.broken} swaps />
        </>,
      )
    return htmlPage(
      context,
      <Page {...built} at={at} assets={names()} person={await client.person()} said={takeSaid(context)}>
        <Broken sentences={client.broken} />
        {built.body}
      </Page>,
    )
  }

  return { orRefusal, withinReply, show }
}

/** What a dropped file asks for, in JSON. */
const serveDrops = (
  hono: Hono,
  { api, signedIn }: { api: App; signedIn: ReturnType<typeof signingIn> },
): void => {
  const storageOf = (context: Context, token: string) =>
    createStorageClient({
      baseUrl: new URL(context.req.url).origin,
      token,
      exchange: exchangeWith(api),
    })
  hono.post(
    `${CONSOLE_PATH}/drop/upload`,
    signedIn(async (context, _, token) => {
      const wanted = uploadRequest.parse(await context.req.json())
      return context.json(await startBrowserUpload(storageOf(context, token), wanted))
    }),
  )
  hono.post(
    `${CONSOLE_PATH}/drop/load`,
    signedIn(async (context, _, token) => {
      const wanted = loadRequest.parse(await context.req.json())
      return context.json(await startLoad(storageOf(context, token), wanted))
    }),
  )
  hono.get(
    `${CONSOLE_PATH}/drop/jobs/:id`,
    signedIn(async (context, client) => context.json(await loadState(client, context.req.param('id') ?? ''))),
  )
}

/** Whether a form, or whatever else may change something, comes from a page of ours, in whichever way its body is written. */
const isOurs = ({ req }: Context): boolean =>
  req.method === 'GET' ||
  req.method === 'HEAD' ||
  req.header('sec-fetch-site') === 'same-origin' ||
  req.header('origin') === new URL(req.url).origin

const rooms: readonly [Room, Room] = [
  { items: 5_000, length: 2_000 },
  { items: 100, length: 300 },
]

const TOO_LARGE =
  'What this page is about is larger than a page may be. The API and the command line show it, or say what to ask for.'

const clientFor = (context: Context, api: App, token: string, room: Room = rooms[0]): ApiClient =>
  createApiClient(api, { origin: new URL(context.req.url).origin, token, room })

const askedOf = (context: Context) => ({
  params: context.req.param() as Record<string, string>, // those of the path, decoded
  query: context.req.query(),
})

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

const failurePage = (assets: AssetNames, sentence: string, title = 'That did not work') => (
  <Page title={title} assets={assets} person={undefined}>
    <Problem>{sentence}</Problem>
    <p>
      <a href={CONSOLE_PATH}>Back to the overview</a>
    </p>
  </Page>
)
