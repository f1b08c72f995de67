import type { Child } from 'hono/jsx'
import type { Crumb, Said } from './built.ts'
import { Crumbs, Navigation, PersonMenu, sectionOf } from './navigation.tsx'
import { Icon } from './parts.tsx'
import type { Person } from './person.ts'

/** Where the assets of this revision lie: their name holds a digest, so a browser may keep them for good. */
export interface AssetNames {
  script: string
  style: string
}

interface PageProps {
  title: string
  /** Path of the entry of the navigation that is current. */
  at?: string
  assets: AssetNames
  /** Undefined: nobody is signed in. */
  person: Person | undefined
  /** Between the section and the page. */
  crumbs?: readonly Crumb[] | undefined
  /** Beside the title: what somebody comes here to do. */
  action?: Child
  /** What became of the form that led here. */
  said?: Said | undefined
  children?: Child
}

export const Page = ({ title, assets, person, children, ...rest }: PageProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="htmx-config" content='{"includeIndicatorStyles":false,"allowEval":false}' />
      <title>{`${title} · Millrace`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={`/console/assets/${assets.style}`} />
      <script src={`/console/assets/${assets.script}`} type="module"></script>
    </head>
    {person === undefined ? (
      <body class="signed-out">
        <main id="content">
          <p class="brand">
            <Icon name="ripple" /> Millrace
          </p>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    ) : (
      <Shell title={title} person={person} {...rest}>
        {children}
      </Shell>
    )}
  </html>
)

type ShellProps = Omit<PageProps, 'assets' | 'person'> & { person: Person }

const Shell = ({ title, at = '', person, crumbs = [], action, said, children }: ShellProps) => (
  <body>
    <a class="skip" href="#content">
      Skip to the content
    </a>
    <Navigation at={at} person={person} />
    <div class="page">
      <header class="top">
        <Crumbs of={[...sectionOf(at), ...crumbs]} title={title} />
        <a class="btn palette-button" href="/console/search" data-palette>
          <Icon name="search" /> <span>Search</span> <kbd>Ctrl K</kbd>
        </a>
        <PersonMenu person={person} />
      </header>
      <main id="content">
        <div class="head">
          <h1>{title}</h1>
          {action !== undefined && <div class="actions">{action}</div>}
        </div>
        {children}
      </main>
    </div>
    <div class="toasts" role="status">
      {said !== undefined && <Toast said={said} />}
    </div>
  </body>
)

const Toast = ({ said: { text, undo } }: { said: Said }) => (
  <div class="toast show" data-toast={undo === undefined ? 'passing' : ''}>
    <span>{text}</span>
    {undo !== undefined && (
      <form method="post" action={undo.action}>
        {Object.entries(undo.fields ?? {}).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">Undo</button>
      </form>
    )}
    <button type="button" class="plain" aria-label="Close" data-close>
      <Icon name="x" />
    </button>
  </div>
)

/** A sentence about what went wrong. */
export const Problem = ({ children }: { children?: Child }) => (
  <p class="problem" role="alert">
    {children}
  </p>
)

/** What could not be shown. A fragment swaps it, too, wherever it stands on the page. */
export const Broken = ({ sentences, swaps = false }: { sentences: readonly string[]; swaps?: boolean }) => (
  <div id="broken" hx-swap-oob={swaps ? 'true' : undefined}>
    {sentences.map(sentence => (
      <Problem>{sentence}</Problem>
    ))}
  </div>
)

/** In place of a list without entries: says what to do first. */
export const Empty = ({ icon, children, action }: { icon?: string; children?: Child; action?: Child }) => (
  <div class="empty">
    {icon !== undefined && <Icon name={icon} />}
    <p class="empty-subtitle">{children}</p>
    {action !== undefined && <div class="empty-action">{action}</div>}
  </div>
)

/** `{ number: 'Rows' }`: a column of numbers, whose cells have the class `number`. */
type ColumnHead = string | { number: string }

/** A table that scrolls on its own where the screen is narrow. */
export const Grid = ({
  caption,
  head,
  children,
}: {
  caption: string
  head: readonly ColumnHead[]
  children?: Child
}) => (
  <section class="scroll" tabindex={0} aria-label={caption}>
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {head.map(name =>
            typeof name === 'string' ? (
              <th scope="col">{name}</th>
            ) : (
              <th scope="col" class="number">
                {name.number}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

/** Label and value pairs. */
export const Facts = ({ of }: { of: readonly (readonly [string, Child])[] }) => (
  <dl class="datagrid panel">
    {of.map(([name, value]) => (
      <div>
        <dt class="datagrid-title">{name}</dt>
        <dd class="datagrid-content">{value}</dd>
      </div>
    ))}
  </dl>
)
