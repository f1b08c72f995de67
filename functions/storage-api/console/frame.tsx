import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import { Act } from './forms.tsx'
import { Icon, Problem } from './parts.tsx'
import { mayConfigure, mayLoad, type Person } from './person.ts'
import type { Crumb, PageBuilt, Said } from './route.ts'

/** Where the assets of this revision lie: their name holds a digest, so a browser may keep them for good. */
export interface AssetNames {
  script: string
  style: string
}

export type PageStatus = 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500

type Entry = readonly [path: string, name: string, icon: string, isFor?: (person: Person) => boolean]

const drop: Entry = ['/console/drop', 'Drop a file', 'upload', mayLoad]

/** Groups of entries. One that needs a right is shown to tokens that have it. */
const groups: readonly (readonly [string, readonly Entry[]])[] = [
  ['', [['/console', 'Overview', 'home']]],
  [
    'Data',
    [
      ['/console/tables', 'Tables', 'table'],
      ['/console/query', 'Query', 'terminal'],
      ['/console/files', 'Files', 'file'],
    ],
  ],
  [
    'Work',
    [
      ['/console/configurations', 'Configurations', 'plug', mayConfigure],
      ['/console/jobs', 'Jobs and runs', 'activity'],
      ['/console/dead-letters', 'Dead letters', 'mail-exclamation', person => person.canManageBuckets],
    ],
  ],
  [
    'Installation',
    [
      ['/console/events', 'Events', 'list-details'],
      ['/console/tokens', 'Tokens', 'key', person => person.canManageTokens],
    ],
  ],
]

/** Every page of the navigation that a person may use. */
export const sectionsFor = (person: Person): Entry[] =>
  [drop, ...groups.flatMap(([, entries]) => entries)].filter(([, , , isFor]) => isFor?.(person) ?? true)

interface ShellProps extends PageBuilt {
  /** The path of the page. */
  path: string
  person: Person
  /** What became of the form that led here. */
  said?: Said | undefined
  /** Sentences about what could not be shown. */
  broken: readonly string[]
}

const Shell = ({ path, title, body, crumbs = [], action, live, person, said, broken }: ShellProps) => {
  const sections = sectionsFor(person)
  const entry = `/${path.split('/').slice(1, 3).join('/').replace(/runs$/, 'jobs')}`
  const here = sections.filter(([each]) => each === entry).map(([each, name]): Crumb => [each, name])
  return (
    <body>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Navigation at={entry} sections={sections} />
      <div class="page">
        <header class="top">
          <Crumbs of={[...here, ...crumbs]} title={title} />
          <a class="btn search-button" href="/console/search" data-search>
            <Icon name="search" /> <span>Search</span> <kbd>Ctrl K</kbd>
          </a>
          <PersonMenu person={person} />
        </header>
        <main id="content" data-live={live}>
          <div class="head">
            <h1>{title}</h1>
            {action !== undefined && <div class="actions">{action}</div>}
          </div>
          {broken.map(sentence => (
            <Problem>{sentence}</Problem>
          ))}
          {body}
        </main>
      </div>
      <dialog class="panel search" aria-label="Go to">
        <GoTo />
        <div class="found" aria-live="polite"></div>
      </dialog>
      <div class="toasts" role="status">
        {said !== undefined && <Toast said={said} />}
      </div>
    </body>
  )
}

/** A box for a part of a name, which Enter leads to. */
export const GoTo = ({ q }: { q?: string }) => (
  <form class="filter" action="/console/search">
    <label>
      A part of the name of a page, table, bucket or configuration
      <input type="search" name="q" value={q} autofocus autocomplete="off" />
    </label>
    <button type="submit" name="open" value="first" class="btn-primary">
      Open the first
    </button>
  </form>
)

/** On the left; a bar below on a phone. */
const Navigation = ({ at, sections }: { at: string; sections: readonly Entry[] }) => {
  const linksTo = (entries: readonly Entry[], look: string) =>
    entries
      .filter(entry => sections.includes(entry))
      .map(([path, name, icon]) => (
        <a class={look} href={path} aria-current={path === at ? 'page' : undefined}>
          <Icon name={icon} /> <span>{name}</span>
        </a>
      ))
  return (
    <nav class="side" aria-label="Sections">
      <a class="brand" href="/console">
        <Icon name="ripple" /> Millrace
      </a>
      {linksTo([drop], 'btn btn-outline-primary')}
      {groups.map(([name, entries]) => (
        <div class="group">
          {name !== '' && <p class="subheader">{name}</p>}
          {linksTo(entries, 'entry')}
        </div>
      ))}
    </nav>
  )
}

/** The way here; the page itself stands last. */
const Crumbs = ({ of, title }: { of: readonly Crumb[]; title: string }) => (
  <nav aria-label="The way here" class="crumbs">
    <ol class="breadcrumb">
      {of
        .filter(([, name]) => name !== title)
        .map(([path, name]) => (
          <li class="breadcrumb-item">
            <a href={path}>{name}</a>
          </li>
        ))}
      <li class="breadcrumb-item active" aria-current="page">
        {title}
      </li>
    </ol>
  </nav>
)

const PersonMenu = ({ person: { description } }: { person: Person }) => (
  <>
    <button type="button" popovertarget="person" aria-label={`Signed in: ${description}`} class="person">
      <Icon name="user" />
    </button>
    <div id="person" popover="auto" class="panel menu">
      <p>
        <strong>{description}</strong>
      </p>
      <p class="hint">
        Times are those of <span data-zone>UTC</span>.
      </p>
      <Act to="/console/sign-out" verb="Sign out" />
    </div>
  </>
)

const Toast = ({ said: { text, undo } }: { said: Said }) => (
  <div class="toast show" data-toast={undo === undefined ? 'passing' : ''}>
    <span>{text}</span>
    {undo !== undefined && <Act to={undo.action} fields={undo.fields ?? {}} verb="Undo" />}
    <button type="button" class="plain" aria-label="Close" data-close>
      <Icon name="x" />
    </button>
  </div>
)

/** A page before somebody is signed in, or of which nothing else is known. */
const SignedOut = ({ title, body }: Pick<PageBuilt, 'title' | 'body'>) => (
  <body class="signed-out">
    <main id="content">
      <p class="brand">
        <Icon name="ripple" /> Millrace
      </p>
      <h1>{title}</h1>
      {body}
    </main>
  </body>
)

interface PageOptions {
  assets: AssetNames
  status?: PageStatus
}

const send = (context: Context, title: string, { assets, status = 200 }: PageOptions, body: Child) =>
  context.html(
    html`<!doctype html>${(
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · Millrace`}</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href={`/console/assets/${assets.style}`} />
          <script src={`/console/assets/${assets.script}`} type="module"></script>
        </head>
        {body}
      </html>
    )}`,
    status,
  )

/** The reply with a page for whoever is signed in. */
export const sendPage = (context: Context, options: PageOptions, shown: ShellProps) =>
  send(context, shown.title, options, <Shell {...shown} />)

/** The reply with a page for nobody in particular. */
export const sendPlainPage = (
  context: Context,
  options: PageOptions,
  shown: Pick<PageBuilt, 'title' | 'body'>,
) => send(context, shown.title, options, <SignedOut {...shown} />)
