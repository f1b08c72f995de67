import type { Child } from 'hono/jsx'

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
  person: string | undefined
  children?: Child
}

const sections = [
  ['/console', 'Overview'],
  ['/console/tables', 'Tables'],
  ['/console/query', 'Query'],
  ['/console/drop', 'Drop a file'],
  ['/console/jobs', 'Jobs and runs'],
  ['/console/dead-letters', 'Dead letters'],
  ['/console/configurations', 'Configurations'],
  ['/console/files', 'Files'],
  ['/console/events', 'Events'],
  ['/console/tokens', 'Tokens'],
] as const

export const Page = ({ title, at, assets, person, children }: PageProps) => (
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
    <body>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/console">
          Millrace
        </a>
        {person !== undefined && (
          <>
            <nav aria-label="Sections">
              {sections.map(([path, name]) => (
                <a href={path} aria-current={path === at ? 'page' : undefined}>
                  {name}
                </a>
              ))}
            </nav>
            <search>
              <form action="/console/search">
                <input
                  type="search"
                  name="q"
                  aria-label="Search tables, buckets and configurations"
                  placeholder="Search"
                />
              </form>
            </search>
            <form method="post" action="/console/sign-out" class="person">
              <span>{person}</span>
              <button type="submit">Sign out</button>
            </form>
          </>
        )}
      </header>
      <main id="content">
        <h1>{title}</h1>
        {children}
      </main>
    </body>
  </html>
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

/** In place of a list without entries: says what to do. */
export const Empty = ({ children }: { children?: Child }) => <p class="empty">{children}</p>

export const Status = ({ value }: { value: string }) => <span class={`status ${value}`}>{value}</span>

/** A table that scrolls on its own where the screen is narrow. */
export const Grid = ({
  caption,
  head,
  children,
}: {
  caption: string
  head: readonly string[]
  children?: Child
}) => (
  <section class="scroll" tabindex={0} aria-label={caption}>
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {head.map(name => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

/** Label and value pairs. */
export const Facts = ({ of }: { of: readonly (readonly [string, Child])[] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
